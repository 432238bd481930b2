// How the axes of an operator's outputs run along the axes of its inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dims/dim.h"

namespace axle::ir {

// Position p of the output reads positions p*stride - before + k*dilation of the input, for 0 <= k < size. Where the
// spread is more than 1, spread - 1 positions that hold nothing stand between two elements of the input; outside of it
// there is nothing either. `after` is the padding behind the input, where the operator has one.
struct AxisWindow {
  Dim size, stride, dilation, before, after, spread;
};

// One element several times: position p reads element p / times.
inline AxisWindow repeatWindow(DimStore& dims, Dim times) {
  const Dim one = dims.constant(1), zero = dims.constant(0);
  return {times, one, one, dims.sub(times, one), zero, times};
}
// All positions of an axis of `size` up to p; from p on.
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

// The elements of the output at position p of `outputAxis` depend on the input only at the positions that the window
// gives, whatever their other positions; without a window only at position p.
struct AxisLink {
  std::size_t output = 0, outputAxis = 0;
  InputAxis from;
  std::optional<AxisWindow> window;
};

// Of an output axis and an input axis without a link, nothing is known: the operator may mix all positions.
struct AxisMap {
  std::vector<AxisLink> links;

  // Of the first output.
  void add(std::size_t outputAxis, InputAxis from, std::optional<AxisWindow> window = std::nullopt) {
    links.push_back({0, outputAxis, from, window});
  }
  // The link from an output axis to the input; null if there is none. An axis may have several.
  const AxisLink* find(std::size_t output, std::size_t outputAxis, std::size_t input) const {
    for (const AxisLink& link : links)
      if (link.output == output && link.outputAxis == outputAxis && link.from.input == input) return &link;
    return nullptr;
  }
};

}  // namespace axle::ir
