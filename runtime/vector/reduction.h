// Sums and extremes of f32, of the elements under a window or of a row.
#pragma once

#include <cstdint>

#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// Sets out[c] to rows[0][c] to rows[count - 1][c], combined in order, for `columns` columns; `count` >= 1. A row may be
// `out`.
using CombineRows = void (*)(const float* const* rows, std::int64_t count, std::int64_t columns, float* out);

// Combines `start` and all elements of a row, in several partial results.
using CombineRow = float (*)(const float* row, std::int64_t count, float start);

AXLE_KERNEL_SETS(CombineRows, sumRows)
AXLE_KERNEL_SETS(CombineRows, maxRows)
AXLE_KERNEL_SETS(CombineRow, sumRow)
AXLE_KERNEL_SETS(CombineRow, maxRow)

}  // namespace axle::runtime
