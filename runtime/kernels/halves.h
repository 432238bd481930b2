// Operators of f16 and bf16 that f32 kernels compute: how their elements are widened, and how sums become results.
#pragma once

#include <array>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/results.h"
#include "runtime/vector/half.h"

namespace axle::runtime {

constexpr bool isHalf(Elem elem) { return elem == Elem::f16 || elem == Elem::bf16; }

// The same for the types of elements.h.
template <class T>
inline constexpr bool isHalfType = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
inline constexpr Elem halfElem = std::is_same_v<T, F16> ? Elem::f16 : Elem::bf16;
inline const std::uint16_t* bitsOf(const F16* halves) { return &halves->bits; }
inline const std::uint16_t* bitsOf(const BF16* halves) { return &halves->bits; }
inline std::uint16_t* bitsOf(F16* halves) { return &halves->bits; }
inline std::uint16_t* bitsOf(BF16* halves) { return &halves->bits; }

inline WidenRows widenHalves(Elem elem) {
  return elem == Elem::f16 ? AXLE_KERNELS_IN_USE(widenF16) : AXLE_KERNELS_IN_USE(widenBf16);
}

inline StoreHalves storeHalves(Elem elem) {
  return elem == Elem::f16 ? AXLE_KERNELS_IN_USE(storeF16) : AXLE_KERNELS_IN_USE(storeBf16);
}

// Checks the element types of two operands and the result before the epilogue. Returns the error, or null.
const char* checkHalves(const Step& step);

// Rounds the sums of a step, once, and applies its epilogue, whose operators round their results too.
class HalfEpilogue {
 public:
  explicit HalfEpilogue(const Step& step);

  // Stores `rows` rows of sums, `pitch` elements apart, as the results from a row and a column on.
  bool store(const float* sums, std::int64_t pitch, std::int64_t row, std::int64_t rows, std::int64_t column,
             std::int64_t columns, Fault& fault) const;

 private:
  // Adds an operator of the epilogue; false if the kernel cannot apply it.
  bool addLink(const manifest::Pointwise& operation, std::uint32_t before);

  const Step& step_;
  const Results results_;
  const StoreHalves store_;
  bool isWhole_ = true;  // the kernel applies all operators of the epilogue
  std::size_t count_ = 0;
  std::array<HalfLink, mostHalfLinks> links_;
  std::array<std::int64_t, mostHalfLinks> columnSteps_;  // of the operands: 0 for one element
};

}  // namespace axle::runtime
