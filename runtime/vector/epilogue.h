// Stores sums in registers through an epilogue. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

// Loads into a register if there are enough: otherwise the compiler may repeat the load of a value used more than once
// (`isShared`).
template <bool isShared, class V>
[[gnu::always_inline]] inline V loadInRegister(const float* from) {
  V loaded = V::load_unaligned(from);
#if defined(__AVX512F__)
  if constexpr (isShared) asm("" : "+v"(loaded.data));
#endif
  return loaded;
}

template <class V, int rows, int columns, class Function>
[[gnu::always_inline]] inline void forEachSum(V (&sums)[rows][columns], Function function) {
#pragma GCC unroll mostRegisters
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll mostRegisters
    for (int j = 0; j < columns; ++j) sums[i][j] = function(sums[i][j], i, j * static_cast<int>(V::size));
}

// Initialises sums with the bias, or with 0 if there is none or a scale comes before it. `column`: the first sum's
// column, from the epilogue's first one.
template <class V, int rows, int columns>
[[gnu::always_inline]] inline void startSums(V (&sums)[rows][columns], const ProductEpilogue& e, std::int64_t column) {
  forEachSum(sums, [](V, int, int) { return V(0.0f); });
  if (e.bias != nullptr && e.scale == nullptr)
    forEachSum(sums, [&](V, int, int j) { return V::load_unaligned(e.bias + column + j); });
}

// Applies the rest of the epilogue to sums that startSums initialised, and stores them at `out`.
template <class V, int rows, int columns>
[[gnu::always_inline]] inline void storeSums(V (&sums)[rows][columns], const ProductEpilogue& e, float* out,
                                             std::int64_t pitch, std::int64_t column) {
  if (e.scale != nullptr) {
    forEachSum(sums, [&](V x, int, int j) { return x * V::load_unaligned(e.scale + column + j); });
    if (e.bias != nullptr)
      forEachSum(sums, [&](V x, int, int j) { return x + V::load_unaligned(e.bias + column + j); });
  }
  if (e.residual != nullptr)
    forEachSum(sums,
               [&](V x, int i, int j) { return x + V::load_unaligned(e.residual + i * e.residualPitch + column + j); });
  if (e.low != -std::numeric_limits<float>::infinity()) {
    const V low(e.low);
    forEachSum(sums, [&](V x, int, int) { return max(low, x); });
  }
  if (e.high != std::numeric_limits<float>::infinity()) {
    const V high(e.high);
    forEachSum(sums, [&](V x, int, int) { return min(high, x); });
  }
  forEachSum(sums, [&](V x, int i, int j) {
    x.store_unaligned(out + i * pitch + column + j);
    return x;
  });
}

}  // namespace axle::runtime
