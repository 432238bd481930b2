// Windows that slide along axes of a tensor, and the padding around it.
#pragma once

#include "ir/lower/application.h"

namespace axle::ir::lowering {

// A window along one axis. `extent` is the size of the dilated window, `result` the number of its positions.
struct Window {
  Dim size, extent, stride, result;
};

// Reads the attribute `padding`: the elements before and after the tensor for each axis. "same" pads as TensorFlow
// does: if the number is odd, the larger part goes after.
std::optional<std::vector<Dim>> windowPadding(Context& c, const Application& a, const std::vector<Window>& windows);

}  // namespace axle::ir::lowering
