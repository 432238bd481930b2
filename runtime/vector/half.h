// Elements of f16 and bf16 as f32, exactly; f32 sums rounded to them; and products of one row with a factor of them.
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

// An operator on results of f16 or bf16, which rounds its result to this type.
struct HalfLink {
  enum class Op : std::uint8_t { add, mul, maximum, minimum, relu };  // the operand is the second one; relu has none
  Op op = Op::relu;
  bool isOne = false;                      // one element for all results
  const std::uint16_t* operand = nullptr;  // of the first result
  std::int64_t pitch = 0;                  // elements from one row of results to the next
};

inline constexpr std::int64_t mostHalfLinks = 4;

// Rows of sums, rounded to nearest, ties to even, and the results of `count` <= mostHalfLinks operators on them. With
// operators, the lower halves of sums that are NaN are 0, as processors and widened factors give them.
struct HalfResults {
  const float* sums;
  std::int64_t sumPitch, rows, columns;
  std::uint16_t* out;
  std::int64_t outPitch;
  const HalfLink* links = nullptr;
  std::int64_t count = 0;
};

using StoreHalves = void (*)(const HalfResults&);

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
AXLE_KERNEL_SETS(StoreHalves, storeF16)
AXLE_KERNEL_SETS(StoreHalves, storeBf16)
AXLE_KERNEL_SETS(MultiplyHalf, multiplyF16)
AXLE_KERNEL_SETS(MultiplyHalf, multiplyBf16)

}  // namespace axle::runtime
