// Products on 64-bit ARM, which multiplies by one lane of a vector. Only for the file of that instruction set.
#pragma once

#include <arm_neon.h>

#include "runtime/vector/product_kernels.h"

namespace axle::runtime {

template <>
struct ProductSteps<xsimd::batch<float, xsimd::neon64>> {
  using V = xsimd::batch<float, xsimd::neon64>;
  static constexpr int length = 4, independentSums = 12;

  template <int lane, int rows>
  [[gnu::always_inline]] static void addRow(V (&sums)[rows][4], const float32x4_t (&left)[rows], const float*& right) {
    const float32x4x4_t b = vld1q_f32_x4(right);
    right += panelWidth;
    asm("" : "+r"(right));  // otherwise the compiler computes an address for each load
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) sums[i][j] = V(vfmaq_laneq_f32(sums[i][j].data, b.val[j], left[i], lane));
  }

  // Adds the products of all whole steps of `depth`, and moves `right` past their rows, which must be adjacent in the
  // panel. Returns the first remaining element of the left factor.
  template <int sets, int rows>
  [[gnu::always_inline]] static std::int64_t add(V (&sums)[sets][rows][4], const float* const (&at)[rows],
                                                 std::int64_t depth, const float*& right) {
    std::int64_t p = 0;
    for (std::int64_t steps = depth / length; steps > 0; --steps, p += length) {
      float32x4_t left[rows];
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) left[i] = vld1q_f32(at[i] + p);
      addRow<0>(sums[0], left, right);
      addRow<1>(sums[1 % sets], left, right);
      addRow<2>(sums[2 % sets], left, right);
      addRow<3>(sums[3 % sets], left, right);
    }
    return p;
  }
};

}  // namespace axle::runtime
