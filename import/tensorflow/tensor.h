// The value of a constant, stored as compactly as in its file.
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
#include "io/tensor_file.h"

namespace axle::tensorflow {

// A tensor. `bytes` are little-endian elements in row-major order. There may be fewer than the shape has: then the last
// one is repeated, or all are zero if there are none. So a constant of a billion equal elements stays as small as in
// its file. The sizes are at least 0, and neither their product nor the bytes of all elements overflow 63 bits.
struct Tensor {
  Type type = Type::invalid;
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;            // the product of the sizes
  std::string bytes;                 // elements, unless they are strings
  std::vector<std::string> strings;  // elements that are strings, by the same rule

  std::size_t stored() const;  // the number of elements in `bytes` or `strings`
  bool isWhole() const { return stored() == static_cast<std::uint64_t>(count); }
  // Returns the bytes of one element, or the string; `index` < count. If no elements are stored, a string is empty and
  // a number is zero.
  std::string_view element(std::int64_t index) const;
  // Returns the bytes of all elements. Check `count` before: it determines how large this is.
  std::string dense() const;
  // Returns an integer or bool element as a number.
  std::int64_t integer(std::int64_t index) const;
  // Returns an element of f32 or f64; none for other types.
  std::optional<double> real(std::int64_t index) const;
};

// Returns the bytes of all elements of a tensor of numbers; a copy where fewer are stored.
TensorBytes bytesOf(const std::shared_ptr<const Tensor>& tensor);

// Returns the product of the sizes; none if one is negative or the bytes of that many elements overflow.
std::optional<std::int64_t> elementCount(Type type, const std::vector<std::int64_t>& sizes);

// Returns a tensor of integers or bools; null if a value does not fit its type.
std::shared_ptr<Tensor> integerTensor(Type type, const std::vector<std::int64_t>& shape,
                                      const std::vector<std::int64_t>& values);

}  // namespace axle::tensorflow
