// The kernels of groups.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include <algorithm>
#include <utility>

#include "runtime/vector/epilogue.h"
#include "runtime/vector/groups.h"

namespace axle::runtime {

// Computes `pixels` pixels. Channels are loaded once for each tap, and spread in registers to the lanes of the results
// that they are multiplied for.
template <class V, int depth, int multiplier, int pixels>
struct GroupTile {
  static constexpr int lanes = static_cast<int>(V::size);
  static constexpr int loads = std::max(depth / lanes, 1), columns = loads * multiplier;  // in vectors

  // Which of the loaded channels result `column` multiplies as channel c of its group.
  static constexpr int channelOf(int column, int c) { return column / (depth * multiplier) * depth + c; }

  template <int column, int c, int... lane>
  [[gnu::always_inline]] static V spread(const V (&x)[loads], std::integer_sequence<int, lane...>) {
    const V& from = x[channelOf(column, c) / lanes];
    return V(__builtin_shufflevector(from.data, from.data, (channelOf(column + lane, c) % lanes)...));
  }

  // Adds the products of channel c of each group to vector j of the results.
  template <int c, int j>
  [[gnu::always_inline]] static void addProducts(V (&sums)[pixels][columns], const V (&x)[pixels][loads],
                                                 const float* filter) {
    const V w = loadInRegister<true, V>(filter + std::ptrdiff_t{j} * lanes);
#pragma GCC unroll mostRegisters
    for (int i = 0; i < pixels; ++i)
      sums[i][j] = fma(spread<j * lanes, c>(x[i], std::make_integer_sequence<int, lanes>()), w, sums[i][j]);
  }

  template <int... place>
  [[gnu::always_inline]] static void addVectors(V (&sums)[pixels][columns], const V (&x)[pixels][loads],
                                                const float* filter, std::int64_t pitch,
                                                std::integer_sequence<int, place...>) {
    (addProducts<place / columns, place % columns>(sums, x, filter + place / columns * pitch), ...);
  }

  [[gnu::always_inline]] static void addTap(V (&sums)[pixels][columns], const V (&x)[pixels][loads],
                                            const float* filter, std::int64_t pitch) {
    if constexpr (lanes > 1)
      addVectors(sums, x, filter, pitch, std::make_integer_sequence<int, depth * columns>());
    else
      for (int c = 0; c < depth; ++c, filter += pitch)
        for (int i = 0; i < pixels; ++i)
          for (int j = 0; j < columns; ++j) sums[i][j] = fma(x[i][channelOf(j, c)], V(filter[j]), sums[i][j]);
  }

  static void run(const DepthwiseBlock& block) {
    for (std::int64_t channel = 0; channel < block.channels; channel += std::int64_t{loads} * lanes) {
      V sums[pixels][columns];
      startSums(sums, block.epilogue, channel * multiplier);
      const std::int64_t element = block.firstChannel + channel;
      const float* filter = block.filter + element * multiplier;
      const float* const* rows = block.rows;
      for (std::int64_t tap = 0; tap < block.taps; ++tap, rows += pixels, filter += depth * block.filterPitch) {
        V x[pixels][loads];
#pragma GCC unroll mostRegisters
        for (int i = 0; i < pixels; ++i)
#pragma GCC unroll mostRegisters
          for (int j = 0; j < loads; ++j)
            x[i][j] = V::load_unaligned(rows[i] + block.rowOffset + element + j * std::ptrdiff_t{lanes});
        addTap(sums, x, filter, block.filterPitch);
      }
      storeSums(sums, block.epilogue, block.out, block.outPitch, channel * multiplier);
    }
  }
};

template <class V, std::size_t form, int pixels>
inline constexpr DepthwiseKernel groupTable[] = {
    &GroupTile<V, groupForms[form].depth, groupForms[form].multiplier, 1>::run,
    &GroupTile<V, groupForms[form].depth, groupForms[form].multiplier, pixels>::run};

// Returns the kernels for one pixel, and for up to `most` pixels, whose sums and channels fit into the registers.
template <class V, int most, int registers, std::size_t... form>
constexpr GroupKernels groupKernels(std::index_sequence<form...> = {}) {
  static_assert(most <= maxDepthwisePixels);
  if constexpr (sizeof...(form) == 0) {
    return groupKernels<V, most, registers>(std::make_index_sequence<std::size(groupForms)>());
  } else {
    constexpr auto pixels = [](std::size_t of) {
      const int loads = std::max(static_cast<int>(groupForms[of].depth) / static_cast<int>(V::size), 1),
                columns = loads * static_cast<int>(groupForms[of].multiplier);
      return std::clamp(registers / (loads + columns), std::min(2, most), most);
    };
    return {{{groupTable<V, form, pixels(form)>, {}, pixels(form), most == 1, groupForms[form].multiplier}...}};
  }
}

}  // namespace axle::runtime
