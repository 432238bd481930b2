// Values of small tensors that an analysis follows: integers, which may be symbolic sizes, and a few reals from which
// sizes are computed. They give `Shape -> StridedSlice -> Pack -> Reshape` a known shape (papers/tfdeploy-report.txt,
// definition 7).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dims/dim.h"
#include "io/elem.h"

namespace axle {

inline constexpr std::int64_t mostKnown = 1024;  // elements of a tensor of integers; larger ones are not followed
inline constexpr std::int64_t mostReals = 16;    // elements of a tensor of floats; larger ones are not followed

struct Known {
  std::vector<std::int64_t> shape;
  std::vector<Dim> elements;  // row-major
  bool isReal = false;        // a tensor of f32 or f64: each element is a constant with the bits of an f64

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  static Known scalar(Dim d) { return {{}, {d}}; }
  static Known vector(std::vector<Dim> d) { return {{static_cast<std::int64_t>(d.size())}, std::move(d)}; }
};

// Returns the number of elements of a shape; INT64_MAX if it overflows.
std::int64_t countOf(const std::vector<std::int64_t>& shape);

// Returns `axis`, which may count from the end, counted from the front. None if there is no such axis.
std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank);

// Returns the product of the sizes from `axis` on.
std::int64_t elementsFrom(const std::vector<std::int64_t>& shape, std::size_t axis);

// Returns all elements of a tensor of integers. None if one is open, or if the tensor holds reals.
std::optional<std::vector<std::int64_t>> wholeNumbers(const Known& known, const DimStore& dims);

// Returns a number as an element of a tensor of f32 or f64, rounded to that precision.
Dim realElement(double value, Elem elem, DimStore& dims);
// Returns the number of such an element. None if it is open.
std::optional<double> realOf(Dim element, const DimStore& dims);
// Returns all elements of a tensor of reals. None if one is open, or if the tensor holds integers.
std::optional<std::vector<double>> realNumbers(const Known& known, const DimStore& dims);

}  // namespace axle
