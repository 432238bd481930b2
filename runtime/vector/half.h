// Elements of f16 and bf16 as f32, exactly.
#pragma once

#include <cstdint>

#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// Rows of `columns` elements, given by their bits. The rows are `fromPitch` and `toPitch` elements apart.
struct HalfRows {
  const std::uint16_t* from;
  std::int64_t fromPitch, rows, columns;
  float* to;
  std::int64_t toPitch;
};

using WidenRows = void (*)(const HalfRows&);

AXLE_KERNEL_SETS(WidenRows, widenF16)
AXLE_KERNEL_SETS(WidenRows, widenBf16)

}  // namespace axle::runtime
