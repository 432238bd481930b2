// Followed values (import/builder/known_value.h) of TensorFlow's constants and element types.
#pragma once

#include <optional>

#include "import/builder/known_value.h"
#include "import/tensorflow/tensor.h"

namespace axle::tensorflow {

// Returns the value of an integer or bool constant of at most `mostKnown` elements, or a float one of `mostReals`.
std::optional<Known> knownOf(const Tensor& tensor, DimStore& dims);

inline bool isReal(Type type) { return type == Type::f32 || type == Type::f64; }
// Returns a number as an element of a tensor of this type, which is real.
inline Dim realElement(double value, Type type, DimStore& dims) {
  return axle::realElement(value, type == Type::f32 ? Elem::f32 : Elem::f64, dims);
}

}  // namespace axle::tensorflow
