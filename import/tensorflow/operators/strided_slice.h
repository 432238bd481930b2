// What `StridedSlice` takes of each axis, as its rule and its formula see it.
#pragma once

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {

// What is taken of one axis: `step` apart from `start` up to, not including, `stop`, of the axis turned around where
// `turned`. `open` where the bounds are not known.
struct Cut {
  bool added = false;  // no axis of the input: a new one
  bool shrunk = false, turned = false, open = false, whole = false;
  Dim start, stop;
  std::int64_t step = 1;
  std::size_t place = 0;  // of its bounds among all; not where it is new or whole for want of them
};

// By axes of the input, which has these sizes, with new ones in between. None after an error, or where strides are not
// known.
std::optional<std::vector<Cut>> cutsOf(RuleNode& n, const Dims& dims);

}  // namespace axle::tensorflow
