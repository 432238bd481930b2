// The value of a constant, stored as sparingly as its file does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "import/tensorflow/types.h"
#include "io/file_error.h"

namespace axle::tensorflow {

// `bytes` are little-endian elements in row-major order. They may be fewer than the shape has: then the last one is
// repeated, and none are zeros. So a constant of a billion equal elements is as small as its file. The sizes are at
// least 0, and neither their product nor the bytes of all elements overflow 63 bits.
struct Tensor {
  Type type = Type::invalid;
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;            // the product of the sizes
  std::string bytes;                 // of all types but strings
  std::vector<std::string> strings;  // of strings, by the same rule

  std::size_t stored() const;  // elements that are there
  bool isWhole() const { return stored() == static_cast<std::uint64_t>(count); }
  // The bytes of one element, or the string; `index` < count. A string is empty and a number zero where none are
  // stored.
  std::string_view element(std::int64_t index) const;
  // All elements written out. The caller looks at `count` first: this is as large as it says.
  std::string dense() const;
  // An integer or bool element as a number.
  std::int64_t integer(std::int64_t index) const;
  // An element of f32 or f64; none of other types.
  std::optional<double> real(std::int64_t index) const;
};

// The product of sizes, none where one is negative or the bytes of that many elements overflow.
std::optional<std::int64_t> elementCount(Type type, const std::vector<std::int64_t>& sizes);

// Numbers as an integer or bool tensor; null where one does not fit.
std::shared_ptr<Tensor> integerTensor(Type type, const std::vector<std::int64_t>& shape,
                                      const std::vector<std::int64_t>& values);

}  // namespace axle::tensorflow
