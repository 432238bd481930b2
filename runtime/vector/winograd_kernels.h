// The kernels of winograd.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/epilogue.h"
#include "runtime/vector/winograd.h"

namespace axle::runtime {

struct WinogradMatrices {
  static constexpr int size = static_cast<int>(winogradSize), tile = static_cast<int>(winogradTile);
  static constexpr float input[size][size] = {{1, -1.5f, -2, 1.5f, 1, 0}, {0, -1, 0.5f, 2.5f, 1, 0},
                                              {0, 1, -2.5f, 0.5f, 1, 0},  {0, -2, -1, 2, 1, 0},
                                              {0, 0.5f, -1, -0.5f, 1, 0}, {0, 1, -1.5f, -2, 1.5f, 1}};
  static constexpr float output[tile][size] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 0.5f, -2, 0}, {0, 1, 1, 0.25f, 4, 0}, {0, 1, -1, 0.125f, -8, 1}};
  static constexpr int window = static_cast<int>(winogradWindow);
  static constexpr float filter[size][window] = {{1, 0, 0},
                                                 {1.0f / 3, 1.0f / 3, 1.0f / 3},
                                                 {-1.0f / 3, 1.0f / 3, -1.0f / 3},
                                                 {-16.0f / 15, -8.0f / 15, -4.0f / 15},
                                                 {1.0f / 15, -2.0f / 15, 4.0f / 15},
                                                 {0, 0, 1}};
};

// Transforms one vector of channels, or of a filter's columns.
template <class V>
struct Winograd {
  static constexpr auto lanes = static_cast<std::int64_t>(V::size);
  static constexpr int size = WinogradMatrices::size, tile = WinogradMatrices::tile;

  // Returns the product of a matrix row and the elements.
  template <int count>
  [[gnu::always_inline]] static V product(const float (&row)[count], const V (&elements)[count]) {
    V sum(0.0f);
    bool isFirst = true;
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
      if (row[i] == 0) continue;
      const V x = elements[i];
      if (isFirst)
        sum = row[i] == 1 ? x : x * V(row[i]);
      else
        sum = row[i] == 1 ? sum + x : fma(x, V(row[i]), sum);
      isFirst = false;
    }
    return sum;
  }

  // Transforms one channel of a filter.
  static void transformFilter(const float* taps, std::int64_t tapPitch, float* to, std::int64_t pitch) {
    constexpr int window = WinogradMatrices::window;
    V half[size][window];  // columns transformed
#pragma GCC unroll 8
    for (int j = 0; j < window; ++j) {
      V column[window];
#pragma GCC unroll 8
      for (int i = 0; i < window; ++i) column[i] = V::load_unaligned(taps + (i * window + j) * tapPitch);
#pragma GCC unroll 8
      for (int i = 0; i < size; ++i) half[i][j] = product(WinogradMatrices::filter[i], column);
    }
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < size; ++j, to += pitch) product(WinogradMatrices::filter[j], half[i]).store_unaligned(to);
  }

  static void transformInput(const WinogradInput& in, std::int64_t channel) {
    V half[size][size];  // columns transformed
#pragma GCC unroll 8
    for (int j = 0; j < size; ++j) {
      V column[size];
#pragma GCC unroll 8
      for (int i = 0; i < size; ++i) column[i] = V::load_unaligned(in.pixels[i * size + j] + in.firstChannel + channel);
#pragma GCC unroll 8
      for (int i = 0; i < size; ++i) half[i][j] = product(WinogradMatrices::input[i], column);
    }
    float* to = in.to + channel;
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < size; ++j, to += in.pitch) product(WinogradMatrices::input[j], half[i]).store_unaligned(to);
  }

  static void transformOutput(const WinogradOutput& out, std::int64_t channel) {
    V half[tile][size];
    const float* from = out.from + channel;
#pragma GCC unroll 8
    for (int j = 0; j < size; ++j) {
      V column[size];
#pragma GCC unroll 8
      for (int i = 0; i < size; ++i) column[i] = V::load_unaligned(from + (i * size + j) * out.pitch);
#pragma GCC unroll 8
      for (int i = 0; i < tile; ++i) half[i][j] = product(WinogradMatrices::output[i], column);
    }
    ProductEpilogue epilogue = out.epilogue;
    float* to = out.out;
    for (std::int64_t i = 0; i < out.rows; ++i, to += out.outRowPitch) {
      V sums[tile][1];
      startSums(sums, epilogue, channel);
#pragma GCC unroll 8
      for (int j = 0; j < tile; ++j) sums[j][0] = sums[j][0] + product(WinogradMatrices::output[j], half[i]);
      if (out.columns == tile)
        storeSums(sums, epilogue, to, out.outPitch, channel);
      else
        storeFirst(sums, epilogue, to, out, channel);
      if (epilogue.residual != nullptr) epilogue.residual += out.residualRowPitch;
    }
  }

  // Stores the first columns of a row of a tile that the border cuts off.
  static void storeFirst(V (&sums)[tile][1], ProductEpilogue epilogue, float* to, const WinogradOutput& out,
                         std::int64_t channel) {
    for (std::int64_t j = 0; j < out.columns; ++j, to += out.outPitch) {
      V sum[1][1] = {{sums[j][0]}};
      storeSums(sum, epilogue, to, 0, channel);
      if (epilogue.residual != nullptr) epilogue.residual += epilogue.residualPitch;
    }
  }
};

template <class V>
void winogradFilter(const WinogradFilter& filter) {
  static_assert(panelWidth % Winograd<V>::lanes == 0);
  for (std::int64_t at = 0; at < filter.channels * panelWidth; at += Winograd<V>::lanes)
    Winograd<V>::transformFilter(filter.taps + at, filter.tapPitch, filter.to + at, filter.pitch);
}

template <class V>
void winogradInput(const WinogradInput& in) {
  constexpr auto lanes = Winograd<V>::lanes;
  std::int64_t channel = 0;
  for (; channel + lanes <= in.channels; channel += lanes) Winograd<V>::transformInput(in, channel);
  for (; channel < in.channels; ++channel) Winograd<Lane<V>>::transformInput(in, channel);
}

template <class V>
void winogradOutput(const WinogradOutput& out) {
  constexpr auto lanes = Winograd<V>::lanes;
  std::int64_t channel = 0;
  for (; channel + lanes <= out.channels; channel += lanes) Winograd<V>::transformOutput(out, channel);
  for (; channel < out.channels; ++channel) Winograd<Lane<V>>::transformOutput(out, channel);
}

template <class V>
constexpr WinogradKernels winogradKernels() {
  return {winogradFilter<V>, winogradInput<V>, winogradOutput<V>};
}

}  // namespace axle::runtime
