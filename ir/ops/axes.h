// Describes how the axes of an operator's outputs follow the axes of its inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dims/dim.h"

namespace axle::ir {

// Position p of the output reads positions p*stride - before + k*dilation of the input, for 0 <= k < size. If `spread`
// is more than 1, spread - 1 empty positions lie between two elements of the input. Positions outside of the input are
// empty, too. `after` is the padding behind the input, if the operator pads.
struct AxisWindow {
  Dim size, stride, dilation, before, after, spread;
};

// Returns the window of a repetition: position p reads element p / times.
inline AxisWindow repeatWindow(DimStore& dims, Dim times) {
  const Dim one = dims.constant(1), zero = dims.constant(0);
  return {times, one, one, dims.sub(times, one), zero, times};
}
// Returns the window of all positions up to p (following: from p on) along an axis of `size`.
inline AxisWindow precedingWindow(DimStore& dims, Dim size) {
  const Dim one = dims.constant(1), zero = dims.constant(0);
  return {size, one, one, dims.sub(size, one), zero, one};
}
inline AxisWindow followingWindow(DimStore& dims, Dim size) {
  const Dim one = dims.constant(1), zero = dims.constant(0);
  return {size, one, one, zero, dims.sub(size, one), one};
}

struct InputAxis {
  std::size_t input = 0, axis = 0;
};

// The elements of the output at position p of `outputAxis` depend only on input elements at the window's positions of
// the input axis, whatever their positions along other axes. Without a window they depend only on position p.
struct AxisLink {
  std::size_t output = 0, outputAxis = 0;
  InputAxis from;
  std::optional<AxisWindow> window;
};

// An output axis and an input axis without a link are unknown: the operator may mix all positions.
struct AxisMap {
  std::vector<AxisLink> links;

  // Adds a link of the first output.
  void add(std::size_t outputAxis, InputAxis from, std::optional<AxisWindow> window = std::nullopt) {
    links.push_back({0, outputAxis, from, window});
  }
  // Returns the first link from an output axis to the input, or null. An axis may have several.
  const AxisLink* find(std::size_t output, std::size_t outputAxis, std::size_t input) const {
    for (const AxisLink& link : links)
      if (link.output == output && link.outputAxis == outputAxis && link.from.input == input) return &link;
    return nullptr;
  }
};

}  // namespace axle::ir
