// The kernels of depthwise.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"
#include "runtime/vector/depthwise.h"
#include "runtime/vector/epilogue.h"

namespace axle::runtime {

// One channel of one pixel after another: what is left beside whole vectors.
template <class V>
void stripOfLane(const DepthwiseBlock& block, int pixels, std::int64_t channel) {
  ProductEpilogue epilogue = block.epilogue;
  for (int i = 0; i < pixels; ++i) {
    Lane<V> sum[1][1] = {{Lane<V>(0.0f)}};
    const float* filter = block.filter + block.firstChannel + channel;
    for (std::int64_t tap = 0; tap < block.taps; ++tap, filter += block.filterPitch)
      sum[0][0] = fma(Lane<V>(block.rows[tap * pixels + i][block.firstChannel + channel]), Lane<V>(*filter), sum[0][0]);
    storeSums(sum, epilogue, block.out + i * block.outPitch, 0, channel);
    if (epilogue.residual != nullptr) epilogue.residual += epilogue.residualPitch;
  }
}

template <class V, int pixels>
struct DepthwiseTile {
  static constexpr auto lanes = static_cast<std::int64_t>(V::size);

  // `vectors` vectors of channels from `channel` on.
  template <int vectors>
  static void strip(const DepthwiseBlock& block, std::int64_t channel) {
    V sums[pixels][vectors];
#pragma GCC unroll 16
    for (int i = 0; i < pixels; ++i)
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) sums[i][j] = V(0.0f);
    const float* filter = block.filter + block.firstChannel + channel;
    const float* const* rows = block.rows;
    for (std::int64_t tap = 0; tap < block.taps; ++tap, filter += block.filterPitch, rows += pixels) {
      V w[vectors];
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) w[j] = V::load_unaligned(filter + j * lanes);
#pragma GCC unroll 16
      for (int i = 0; i < pixels; ++i) {
        const float* const from = rows[i] + block.firstChannel + channel;
#pragma GCC unroll 16
        for (int j = 0; j < vectors; ++j) sums[i][j] = fma(V::load_unaligned(from + j * lanes), w[j], sums[i][j]);
      }
    }
    storeSums(sums, block.epilogue, block.out, block.outPitch, channel);
  }

  static void run(const DepthwiseBlock& block) {
    std::int64_t channel = 0;
    for (; channel + 2 * lanes <= block.channels; channel += 2 * lanes) strip<2>(block, channel);
    for (; channel + lanes <= block.channels; channel += lanes) strip<1>(block, channel);
    for (; channel < block.channels; ++channel) stripOfLane<V>(block, pixels, channel);
  }
};

template <class V, class Pixels>
struct DepthwiseTable;
template <class V, int... pixel>
struct DepthwiseTable<V, std::integer_sequence<int, pixel...>> {
  static constexpr DepthwiseKernel kernels[] = {&DepthwiseTile<V, pixel + 1>::run...};
};

// Kernels of 1 to `pixels` pixels.
template <class V, int pixels>
constexpr DepthwiseKernels depthwiseKernels() {
  static_assert(pixels <= maxDepthwisePixels);
  return {DepthwiseTable<V, std::make_integer_sequence<int, pixels>>::kernels, pixels};
}

}  // namespace axle::runtime
