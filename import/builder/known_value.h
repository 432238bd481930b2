// Values of small tensors that an analysis follows: whole numbers, which may be symbolic sizes, and a few reals from
// which sizes are computed. With them `Shape -> StridedSlice -> Pack -> Reshape` has a known shape
// (papers/tfdeploy-report.txt, definition 7).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dims/dim.h"
#include "io/elem.h"

namespace axle {

inline constexpr std::int64_t mostKnown = 1024;  // elements of a tensor of integers that is followed
inline constexpr std::int64_t mostReals = 16;    // elements of a tensor of floats that is followed

struct Known {
  std::vector<std::int64_t> shape;
  std::vector<Dim> elements;  // row-major
  bool isReal = false;        // a tensor of f32 or f64: each element is a constant with the bits of an f64

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  static Known scalar(Dim d) { return {{}, {d}}; }
  static Known vector(std::vector<Dim> d) { return {{static_cast<std::int64_t>(d.size())}, std::move(d)}; }
};

// The number of elements of a shape; INT64_MAX where it overflows.
std::int64_t countOf(const std::vector<std::int64_t>& shape);

// `axis`, which may count from the end, counted from the front. None where there is no such axis.
std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank);

// The product of the sizes from `axis` on.
std::int64_t elementsFrom(const std::vector<std::int64_t>& shape, std::size_t axis);

// All elements of a tensor of integers. None where one is open, and for a tensor of reals.
std::optional<std::vector<std::int64_t>> wholeNumbers(const Known& known, const DimStore& dims);

// A number as an element of a tensor of f32 or f64, rounded to that precision.
Dim realElement(double value, Elem elem, DimStore& dims);
// The number of such an element. None where it is open.
std::optional<double> realOf(Dim element, const DimStore& dims);
// All elements of a tensor of reals. None where one is open, and for a tensor of integers.
std::optional<std::vector<double>> realNumbers(const Known& known, const DimStore& dims);

}  // namespace axle
