// Frames of tensors: those that a push takes from a whole sequence, and several pulls as one tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/stream.h"

namespace axle::runtime::test {

// Frames [first, last) along an axis.
Tensor framesOf(const TensorView& whole, int axis, std::int64_t first, std::int64_t last);

// How many frames of an input come with n frames of the first one.
std::int64_t framesAt(const StreamInputInfo& input, std::int64_t n);

struct JoinedFrames {
  int axis = 0;
  std::vector<Tensor> parts;  // at least one

  void add(const TensorView& view);
  Tensor whole() const;
};

}  // namespace axle::runtime::test
