// Compares a tensor with the expected one, across element types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/tensor.h"

namespace axle::run {

struct Tolerance {
  double relative = 1e-4;
  double absolute = 1e-5;
};

struct Comparison {
  bool shapesMatch = true;
  double largest = 0;      // |actual - expected|; infinite where shapes differ
  std::size_t beyond = 0;  // elements with |actual - expected| > absolute + relative*|expected|
  std::size_t elements = 0;
  std::string worst;        // of those beyond, the one with the largest error: `[1, 2] is 0.5, expected 0.25`
  std::size_t worstAt = 0;  // its row-major position

  bool met() const { return shapesMatch && beyond == 0; }
};

Comparison compare(const runtime::TensorView& actual, const runtime::TensorView& expected, const Tolerance& tolerance);

// The index of an element, `[1, 2]`, from its row-major position.
runtime::Shape indexAt(const runtime::Shape& shape, std::size_t flat);

// One line, `out.0: largest error 2.5e-07 (f32 [2, 3])`, with how the tensors differ if they do.
std::string comparisonText(const std::string& name, const Comparison& comparison, const runtime::TensorView& actual,
                           const runtime::TensorView& expected);

}  // namespace axle::run
