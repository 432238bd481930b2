// The kernels of resize.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"
#include "runtime/vector/resize.h"

namespace axle::runtime {

// The pixels that one result is made of. `fixed`: their number, or 0 if it is `count`.
template <class V, int fixed>
struct MixedPixel {
  const float* from[mostMixed * mostMixed];
  float weight[mostMixed * mostMixed];
  int count = fixed;

  void add(const float* pixel, float factor) { from[count] = pixel, weight[count++] = factor; }

  template <class Batch>
  [[gnu::always_inline]] void sumAt(std::int64_t channel, float* out) const {
    Batch sum(0.0f);
    const int all = fixed > 0 ? fixed : count;
#pragma GCC unroll 4
    for (int i = 0; i < all; ++i) sum = fma(Batch::load_unaligned(from[i] + channel), Batch(weight[i]), sum);
    sum.store_unaligned(out + channel);
  }

  [[gnu::always_inline]] void store(std::int64_t channels, float* out) const {
    constexpr auto lanes = static_cast<std::int64_t>(V::size);
    std::int64_t channel = 0;
    for (; channel + lanes <= channels; channel += lanes) sumAt<V>(channel, out);
    for (; channel < channels; ++channel) sumAt<Lane<V>>(channel, out);
  }
};

template <class V>
void mixLineOf(const MixedLine& line) {
  float* out = line.out;
  for (std::int64_t j = 0; j < line.count; ++j, out += line.channels) {
    const Mix<float>& column = line.columns[j];
    if (line.rowMix.count == 2 && column.count == 2) {
      MixedPixel<V, 4> pixel;
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        pixel.from[i] = line.rows[i / 2] + column.at[i % 2] * line.channels;
        pixel.weight[i] = line.rowMix.weight[i / 2] * column.weight[i % 2];
      }
      pixel.store(line.channels, out);
      continue;
    }
    MixedPixel<V, 0> pixel;
    for (int p = 0; p < line.rowMix.count; ++p)
      for (int q = 0; q < column.count; ++q)
        pixel.add(line.rows[p] + column.at[q] * line.channels, line.rowMix.weight[p] * column.weight[q]);
    pixel.store(line.channels, out);
  }
}

}  // namespace axle::runtime
