// The value of a small tensor of whole numbers, whose elements are sizes: what makes `Shape -> StridedSlice -> Pack ->
// Reshape` understood (papers/tfdeploy-report.txt, definition 7; ARCHITECTURE.md, "Fact").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/import/tensorflow/graph.h"
#include "typecheck/dim.h"

namespace axle::tensorflow {

inline constexpr std::int64_t mostKnown = 1024;  // elements of a tensor whose value is followed

struct Known {
  std::vector<std::int64_t> shape;
  std::vector<Dim> elements;  // row-major

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  static Known scalar(Dim d) { return {{}, {d}}; }
  static Known vector(std::vector<Dim> d) { return {{static_cast<std::int64_t>(d.size())}, std::move(d)}; }
};

// How many elements such a shape has; where that overflows, more than are ever followed.
std::int64_t countOf(const std::vector<std::int64_t>& shape);

// Of an integer or bool constant of at most `mostKnown` elements.
std::optional<Known> knownOf(const Tensor& tensor, DimStore& dims);

// All elements as numbers; none where one is open.
std::optional<std::vector<std::int64_t>> numbers(const Known& known, const DimStore& dims);

}  // namespace axle::tensorflow
