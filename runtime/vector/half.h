// Elements of f16 and bf16 as f32, exactly; and products of one row with a factor of such elements.
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

// sums[columns] = left[k] times right, which is [k, columns] with rows `pitch` elements apart.
struct HalfProduct {
  const float* left;
  std::int64_t k;
  const std::uint16_t* right;
  std::int64_t pitch, columns;
  float* sums;
};

using MultiplyHalf = void (*)(const HalfProduct&);

AXLE_KERNEL_SETS(WidenRows, widenF16)
AXLE_KERNEL_SETS(WidenRows, widenBf16)
AXLE_KERNEL_SETS(MultiplyHalf, multiplyF16)
AXLE_KERNEL_SETS(MultiplyHalf, multiplyBf16)

}  // namespace axle::runtime
