// The kernels of winograd.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/epilogue.h"
#include "runtime/vector/winograd.h"

namespace axle::runtime {

// The matrices of F(tile x tile, 3 x 3). `pairs` points x and -x give rows 1 and 2, 3 and 4, ... of `input` and
// `filter`, and such columns of `output`. Of each pair the matrices have half the sum and half the difference, which
// have fewer elements that are not 0: `WinogradTransform` adds and subtracts them.
template <int tile>
struct WinogradMatrices;

template <>
struct WinogradMatrices<2> {
  static constexpr int pairs = 1;
  static constexpr float input[4][4] = {{1, 0, -1, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}, {0, -1, 0, 1}};
  static constexpr float output[2][4] = {{1, 1, 0, 0}, {0, 0, 1, 1}};
  static constexpr float filter[4][3] = {{1, 0, 0}, {0.5f, 0, 0.5f}, {0, 0.5f, 0}, {0, 0, 1}};
};

template <>
struct WinogradMatrices<4> {
  static constexpr int pairs = 1;
  static constexpr float input[6][6] = {{1, -1.5f, -2, 1.5f, 1, 0}, {0, 0, -1, 1.5f, 1, 0},
                                        {0, -1, 1.5f, 1, 0, 0},     {0, -2, -1, 2, 1, 0},
                                        {0, 0.5f, -1, -0.5f, 1, 0}, {0, 1, -1.5f, -2, 1.5f, 1}};
  static constexpr float output[4][6] = {
      {1, 1, 0, 1, 1, 0}, {0, 0, 1, 0.5f, -2, 0}, {0, 1, 0, 0.25f, 4, 0}, {0, 0, 1, 0.125f, -8, 1}};
  static constexpr float filter[6][3] = {{1, 0, 0},
                                         {0, 1.0f / 3, 0},
                                         {1.0f / 3, 0, 1.0f / 3},
                                         {-16.0f / 15, -8.0f / 15, -4.0f / 15},
                                         {1.0f / 15, -2.0f / 15, 4.0f / 15},
                                         {0, 0, 1}};
};

template <>
struct WinogradMatrices<6> {
  static constexpr int pairs = 3;
  static constexpr float input[8][8] = {
      {1, 0, -5.25f, 0, 5.25f, 0, -1, 0}, {0, 0, 1, 0, -4.25f, 0, 1, 0},      {0, 1, 0, -4.25f, 0, 1, 0, 0},
      {0, 0, 0.25f, 0, -1.25f, 0, 1, 0},  {0, 0.5f, 0, -2.5f, 0, 2, 0, 0},    {0, 0, 4, 0, -5, 0, 1, 0},
      {0, 2, 0, -2.5f, 0, 0.5f, 0, 0},    {0, -1, 0, 5.25f, 0, -5.25f, 0, 1},
  };
  static constexpr float output[6][8] = {{1, 1, 0, 1, 0, 1, 0, 0},        {0, 0, 1, 0, 2, 0, 0.5f, 0},
                                         {0, 1, 0, 4, 0, 0.25f, 0, 0},    {0, 0, 1, 0, 8, 0, 0.125f, 0},
                                         {0, 1, 0, 16, 0, 0.0625f, 0, 0}, {0, 0, 1, 0, 32, 0, 0.03125f, 1}};
  static constexpr float filter[8][3] = {
      {1, 0, 0},         {-2.0f / 9, 0, -2.0f / 9},  {0, -2.0f / 9, 0},  {1.0f / 90, 0, 2.0f / 45},
      {0, 1.0f / 45, 0}, {32.0f / 45, 0, 8.0f / 45}, {0, 16.0f / 45, 0}, {0, 0, 1}};
};

// Transforms one vector of channels, or of a filter's columns.
template <class V, int tile>
struct WinogradTransform {
  static constexpr auto lanes = static_cast<std::int64_t>(V::size);
  static constexpr int size = static_cast<int>(winogradSize(tile)), window = static_cast<int>(winogradWindow);
  using Matrices = WinogradMatrices<tile>;
  static constexpr int lastOfPairs = 2 * Matrices::pairs;

  // Calls line(i) for each column or row of pixels; unrolled if most of the pixels fit in registers.
  template <class Line>
  [[gnu::always_inline]] static void forLines(Line line) {
    if constexpr (lanes > 1 && size <= 6) {
#pragma GCC unroll mostRegisters
      for (int i = 0; i < size; ++i) line(i);
    } else {
#pragma GCC unroll 1
      for (int i = 0; i < size; ++i) line(i);
    }
  }

  template <int count>
  [[gnu::always_inline]] static V product(const float (&row)[count], const V (&elements)[count]) {
    V sum(0.0f);
    bool isFirst = true;
#pragma GCC unroll mostRegisters
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

  // Replaces the elements of each pair by their sum and difference.
  template <int count>
  [[gnu::always_inline]] static void addPairs(V (&elements)[count]) {
#pragma GCC unroll mostRegisters
    for (int i = 1; i < lastOfPairs; i += 2) {
      const V even = elements[i], odd = elements[i + 1];
      elements[i] = even + odd;
      elements[i + 1] = even - odd;
    }
  }

  // to = matrix * from, for a matrix whose rows are pairs.
  template <int count>
  [[gnu::always_inline]] static void multiply(const float (&matrix)[size][count], const V (&from)[count],
                                              V (&to)[size]) {
#pragma GCC unroll mostRegisters
    for (int i = 0; i < size; ++i) to[i] = product(matrix[i], from);
    addPairs(to);
  }

  // Transforms one channel of a filter.
  [[gnu::always_inline]] static void transformFilter(const float* taps, std::int64_t tapPitch, float* to,
                                                     std::int64_t pitch) {
    V half[window][size];  // columns transformed
#pragma GCC unroll mostRegisters
    for (int j = 0; j < window; ++j) {
      V column[window];
#pragma GCC unroll mostRegisters
      for (int i = 0; i < window; ++i) column[i] = V::load_unaligned(taps + (i * window + j) * tapPitch);
      multiply(Matrices::filter, column, half[j]);
    }
#pragma GCC unroll mostRegisters
    for (int i = 0; i < size; ++i) {
      V row[size];
      multiply(Matrices::filter, {half[0][i], half[1][i], half[2][i]}, row);
#pragma GCC unroll mostRegisters
      for (int j = 0; j < size; ++j, to += pitch) row[j].store_unaligned(to);
    }
  }

  static void transformInput(const WinogradInput& in, std::int64_t channel) {
    V half[size][size];  // columns transformed
    forLines([&](int j) __attribute__((always_inline)) {
      V column[size];
#pragma GCC unroll mostRegisters
      for (int i = 0; i < size; ++i) column[i] = V::load_unaligned(in.pixels[i * size + j] + in.firstChannel + channel);
      multiply(Matrices::input, column, half[j]);
    });
    float* to = in.to + channel;
    forLines([&](int i) __attribute__((always_inline)) {
      V row[size], transformed[size];
#pragma GCC unroll mostRegisters
      for (int j = 0; j < size; ++j) row[j] = half[j][i];
      multiply(Matrices::input, row, transformed);
#pragma GCC unroll mostRegisters
      for (int j = 0; j < size; ++j, to += in.pitch) transformed[j].store_unaligned(to);
    });
  }

  static void transformOutput(const WinogradOutput& out, std::int64_t channel) {
    V half[size][tile];
    const float* from = out.from + channel;
    forLines([&](int j) __attribute__((always_inline)) {
      V column[size];
#pragma GCC unroll mostRegisters
      for (int i = 0; i < size; ++i) column[i] = V::load_unaligned(from + (i * size + j) * out.pitch);
      addPairs(column);
#pragma GCC unroll mostRegisters
      for (int i = 0; i < tile; ++i) half[j][i] = product(Matrices::output[i], column);
    });
    ProductEpilogue epilogue = out.epilogue;
    float* to = out.out;
    for (std::int64_t i = 0; i < out.rows; ++i, to += out.outRowPitch) {
      V row[size], sums[tile][1];
#pragma GCC unroll mostRegisters
      for (int j = 0; j < size; ++j) row[j] = half[j][i];
      addPairs(row);
      startSums(sums, epilogue, channel);
#pragma GCC unroll mostRegisters
      for (int j = 0; j < tile; ++j) sums[j][0] = sums[j][0] + product(Matrices::output[j], row);
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

template <class V, int tile>
void winogradFilter(const WinogradFilter& filter) {
  using Transform = WinogradTransform<V, tile>;
  static_assert(panelWidth % Transform::lanes == 0);
  for (std::int64_t at = 0; at < filter.channels * panelWidth; at += Transform::lanes)
    Transform::transformFilter(filter.taps + at, filter.tapPitch, filter.to + at, filter.pitch);
}

template <class V, int tile>
void winogradInput(const WinogradInput& in) {
  constexpr auto lanes = WinogradTransform<V, tile>::lanes;
  std::int64_t channel = 0;
  for (; channel + lanes <= in.channels; channel += lanes) WinogradTransform<V, tile>::transformInput(in, channel);
  for (; channel < in.channels; ++channel) WinogradTransform<Lane<V>, tile>::transformInput(in, channel);
}

template <class V, int tile>
void winogradOutput(const WinogradOutput& out) {
  constexpr auto lanes = WinogradTransform<V, tile>::lanes;
  std::int64_t channel = 0;
  for (; channel + lanes <= out.channels; channel += lanes) WinogradTransform<V, tile>::transformOutput(out, channel);
  for (; channel < out.channels; ++channel) WinogradTransform<Lane<V>, tile>::transformOutput(out, channel);
}

template <class V, int tile>
constexpr WinogradKernels winogradKernels() {
  return {winogradFilter<V, tile>, winogradInput<V, tile>, winogradOutput<V, tile>};
}

}  // namespace axle::runtime

// Defines the tables of the batch V in the namespace of an instruction set.
#define AXLE_DEFINE_WINOGRAD(V)                               \
  const WinogradKernels winogradF2 = winogradKernels<V, 2>(); \
  const WinogradKernels winogradF4 = winogradKernels<V, 4>(); \
  const WinogradKernels winogradF6 = winogradKernels<V, 6>();
