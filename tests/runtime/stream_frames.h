// Cuts the frames of a push from a whole sequence, and joins the frames of several pulls.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/stream.h"

namespace axle::runtime::test {

// Returns frames [first, last) along an axis.
Tensor framesOf(const TensorView& whole, int axis, std::int64_t first, std::int64_t last);

// Returns how many frames of an input correspond to n frames of the first one.
std::int64_t framesAt(const StreamInputInfo& input, std::int64_t n);

struct JoinedFrames {
  int axis = 0;
  std::vector<Tensor> parts;  // at least one

  void add(const TensorView& view);
  Tensor whole() const;
};

}  // namespace axle::runtime::test
