// Runs one operator in a separate bundle.
#pragma once

#include <vector>

#include "runtime/error.h"
#include "runtime/tensor.h"

namespace axle::runtime::test {

// Returns the result, of the given element type and shape, or the error of loading, binding or running. Different bits
// with 2, 3 or 7 threads, or for inputs at other addresses, are an error.
Result<Tensor> runOperator(std::uint32_t op, const std::vector<TensorView>& inputs,
                           const std::vector<std::int64_t>& ints, Elem elem, const Shape& shape);

}  // namespace axle::runtime::test
