// Matrix products, convolutions and pools computed with Eigen in f64, to compare kernels with. They share no code with
// the kernels: padding, dilation and the zeros between elements become tables of indices, and sums are Eigen's
// products.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "runtime/tensor.h"

namespace axle::runtime::test {

// Dense, row-major.
struct Array {
  Shape shape;
  Eigen::ArrayXd elements;
};

// Returns the elements of an f32 or f64 tensor.
Array arrayOf(const TensorView& view);

// A result, and the bounds of its rounding errors in any order of computation: each element is a sum of at most `terms`
// products, whose absolute values add up to `magnitudes`. If `terms` is 0, the result is exact.
struct Expected {
  Shape shape;
  Eigen::ArrayXd values, magnitudes;
  Eigen::Index terms = 0;
};

// One spatial axis of a window, as in the attributes of CONV; negative padding cuts elements off.
struct WindowAxis {
  std::int64_t size = 1, stride = 1, before = 0, after = 0, dilation = 1, spread = 1;
};

// (s@[m, k], s@[k, n]) -> s@[m, n]
Expected matrixProduct(const Array& a, const Array& b);

// [n, ..sizes, c] by [..window, c / groups, k]; the sizes of the window are those of the axes.
Expected convolution(const Array& image, const Array& filter, const std::vector<WindowAxis>& axes, std::int64_t groups);

// [n, ..sizes, c]. Padding does not count; windows without an element give -infinity or 0.
Expected maxPool(const Array& image, const std::vector<WindowAxis>& axes);
Expected averagePool(const Array& image, const std::vector<WindowAxis>& axes);

}  // namespace axle::runtime::test
