// Lines of resized images: each pixel is a weighted sum of neighbouring pixels.
#pragma once

#include <cstdint>

#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

inline constexpr int mostMixed = 4;  // along an axis

// The elements along an axis that one result is made of, and their weights.
template <class C>
struct Mix {
  int count = 0;
  std::int64_t at[mostMixed];
  C weight[mostMixed];
};

// `count` pixels of a line: pixel j is the sum of rows[p][columns[j].at[q]] times the product of both weights, in order
// of p and q.
struct MixedLine {
  const float* rows[mostMixed];  // of the image
  Mix<float> rowMix;             // `at` is not read
  const Mix<float>* columns = nullptr;
  std::int64_t count = 0, channels = 0;
  float* out = nullptr;
};

using MixLine = void (*)(const MixedLine&);

AXLE_KERNEL_SETS(MixLine, mixLine)

}  // namespace axle::runtime
