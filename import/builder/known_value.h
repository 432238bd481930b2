// The value of a small tensor of whole numbers, whose elements are sizes, or of a few reals that sizes are computed by:
// what makes `Shape -> StridedSlice -> Pack -> Reshape` understood (papers/tfdeploy-report.txt, definition 7).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dims/dim.h"
#include "io/elem.h"

namespace axle {

inline constexpr std::int64_t mostKnown = 1024;  // elements of a tensor whose value is followed
inline constexpr std::int64_t mostReals = 16;    // the same of floats

struct Known {
  std::vector<std::int64_t> shape;
  std::vector<Dim> elements;  // row-major
  bool isReal = false;        // of f32 or f64: each element is the bits of its number, as f64

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  static Known scalar(Dim d) { return {{}, {d}}; }
  static Known vector(std::vector<Dim> d) { return {{static_cast<std::int64_t>(d.size())}, std::move(d)}; }
};

// How many elements such a shape has; where that overflows, more than are ever followed.
std::int64_t countOf(const std::vector<std::int64_t>& shape);

// `axis` counted from the front; none where there is no such axis.
std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank);

// How many elements lie together from `axis` on.
std::int64_t elementsFrom(const std::vector<std::int64_t>& shape, std::size_t axis);

// All elements as whole numbers; none where one is open, or of reals.
std::optional<std::vector<std::int64_t>> wholeNumbers(const Known& known, const DimStore& dims);

// A number as an element of a tensor of f32 or f64, in its precision.
Dim realElement(double value, Elem elem, DimStore& dims);
// None where it is open.
std::optional<double> realOf(Dim element, const DimStore& dims);
// All elements as numbers; none where one is open, or of whole ones.
std::optional<std::vector<double>> realNumbers(const Known& known, const DimStore& dims);

}  // namespace axle
