// Sums and extremes of f32: of the elements under a window, and of a row.
#pragma once

#include <cstdint>

#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// out[c] = rows[0][c] to rows[count - 1][c] combined in order, for `columns` columns; `count` is at least 1. A row may
// be `out`.
using CombineRows = void (*)(const float* const* rows, std::int64_t count, std::int64_t columns, float* out);

// All elements of a row and `start`; in several partial results.
using CombineRow = float (*)(const float* row, std::int64_t count, float start);

AXLE_KERNEL_SETS(CombineRows, sumRows)
AXLE_KERNEL_SETS(CombineRows, maxRows)
AXLE_KERNEL_SETS(CombineRow, sumRow)
AXLE_KERNEL_SETS(CombineRow, maxRow)

}  // namespace axle::runtime
