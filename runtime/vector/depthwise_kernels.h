// The kernels of depthwise.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"
#include "runtime/vector/depthwise.h"
#include "runtime/vector/epilogue.h"

namespace axle::runtime {

// Computes one channel, pixel by pixel, for channels that do not fill a vector.
template <class V>
void stripOfLane(const DepthwiseBlock& block, int pixels, int stride, std::int64_t channel) {
  ProductEpilogue epilogue = block.epilogue;
  const std::int64_t columns = (pixels - 1) * stride + 3;  // of windows with three
  const std::int64_t element = block.rowOffset + block.firstChannel + channel;
  for (int i = 0; i < pixels; ++i) {
    Lane<V> sum[1][1];
    startSums(sum, epilogue, channel);
    const float* filter = block.filter + block.firstChannel + channel;
    for (std::int64_t tap = 0; tap < block.taps; ++tap, filter += block.filterPitch) {
      const std::int64_t at = stride == 0 ? tap * pixels + i : tap / 3 * columns + std::int64_t{i} * stride + tap % 3;
      sum[0][0] = fma(Lane<V>(block.rows[at][element]), Lane<V>(*filter), sum[0][0]);
    }
    storeSums(sum, epilogue, block.out + i * block.outPitch, 0, channel);
    if (epilogue.residual != nullptr) epilogue.residual += epilogue.residualPitch;
  }
}

// The number of pixel columns loaded before they are used: in-order cores wait at each use of a load that has not
// arrived. More than 1 needs 32 registers.
template <class V>
constexpr int columnsLoadedTogether = 1;
#if defined(__aarch64__)
template <>
inline constexpr int columnsLoadedTogether<xsimd::batch<float, xsimd::neon64>> = 4;
#endif

// Kernels for `pixels` pixels. `stride`: 0, or the stride of windows with three columns, whose pixels are loaded once
// for all windows over them.
template <class V, int pixels, int stride>
struct DepthwiseTile {
  static constexpr auto lanes = static_cast<std::int64_t>(V::size);

  template <int vectors>
  [[gnu::always_inline]] static void addTap(V (&sums)[pixels][vectors], const float* const* rows, const float* filter,
                                            std::int64_t element) {
    V w[vectors];
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) w[j] = V::load_unaligned(filter + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < pixels; ++i) {
      const float* const from = rows[i] + element;
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) sums[i][j] = fma(V::load_unaligned(from + j * lanes), w[j], sums[i][j]);
    }
  }

  template <int vectors>
  [[gnu::always_inline]] static void addRow(V (&sums)[pixels][vectors], const float* const* row, const float* filter,
                                            std::int64_t pitch, std::int64_t element) {
    V w[3][vectors];
#pragma GCC unroll 16
    for (int t = 0; t < 3; ++t)
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) w[t][j] = V::load_unaligned(filter + t * pitch + j * lanes);
    constexpr int columns = (pixels - 1) * stride + 3, together = columnsLoadedTogether<V>;
#pragma GCC unroll 16
    for (int first = 0; first < columns; first += together) {
      V x[together][vectors];
#pragma GCC unroll 16
      for (int i = 0; i < together; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < vectors; ++j)
          if (first + i < columns) x[i][j] = loadInRegister<true, V>(row[first + i] + element + j * lanes);
#pragma GCC unroll 16
      for (int i = 0; i < together; ++i)
#pragma GCC unroll 16
        for (int t = 0; t < 3; ++t) {
          const int from = first + i - t, pixel = from / stride;
          if (from < 0 || from % stride != 0 || pixel >= pixels) continue;
#pragma GCC unroll 16
          for (int j = 0; j < vectors; ++j) sums[pixel][j] = fma(x[i][j], w[t][j], sums[pixel][j]);
        }
    }
  }

  // Computes `vectors` vectors of channels from `channel` on.
  template <int vectors>
  static void strip(const DepthwiseBlock& block, std::int64_t channel) {
    V sums[pixels][vectors];
    startSums(sums, block.epilogue, channel);
    const float* filter = block.filter + block.firstChannel + channel;
    const float* const* rows = block.rows;
    const std::int64_t element = block.rowOffset + block.firstChannel + channel;
    if constexpr (stride == 0)
      for (std::int64_t tap = 0; tap < block.taps; ++tap, filter += block.filterPitch, rows += pixels)
        addTap(sums, rows, filter, element);
    else
      for (std::int64_t tap = 0; tap < block.taps; tap += 3, filter += 3 * block.filterPitch) {
        addRow(sums, rows, filter, block.filterPitch, element);
        rows += (pixels - 1) * stride + 3;
      }
    storeSums(sums, block.epilogue, block.out, block.outPitch, channel);
  }

  static void run(const DepthwiseBlock& block) {
    std::int64_t channel = 0;
    for (; channel + 2 * lanes <= block.channels; channel += 2 * lanes) strip<2>(block, channel);
    for (; channel + lanes <= block.channels; channel += lanes) strip<1>(block, channel);
    for (; channel < block.channels; ++channel) stripOfLane<V>(block, pixels, stride, channel);
  }
};

template <class V, int stride, class Pixels>
struct DepthwiseTable;
template <class V, int stride, int... pixel>
struct DepthwiseTable<V, stride, std::integer_sequence<int, pixel...>> {
  static constexpr DepthwiseKernel kernels[] = {&DepthwiseTile<V, pixel + 1, stride>::run...};
};

// Returns the kernels for 1 to `pixels` pixels.
template <class V, int pixels>
constexpr DepthwiseKernels depthwiseKernels() {
  static_assert(pixels <= maxDepthwisePixels);
  using Pixels = std::make_integer_sequence<int, pixels>;
  return {DepthwiseTable<V, 0, Pixels>::kernels,
          {DepthwiseTable<V, 1, Pixels>::kernels, DepthwiseTable<V, 2, Pixels>::kernels},
          pixels};
}

}  // namespace axle::runtime
