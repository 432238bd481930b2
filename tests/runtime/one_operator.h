// Runs one operator in a separate bundle.
#pragma once

#include <vector>

#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/tensor.h"

namespace axle::runtime::test {

// The pointwise operators on the operator's results, and how many of the last inputs are operands of them.
struct Epilogue {
  std::vector<manifest::Pointwise> links;
  std::uint32_t inputs = 0;
};

// Returns the result, of the given element type and shape, or the error of loading, binding or running. Different bits
// with 2, 3 or 7 threads, or for inputs at other addresses, are an error.
Result<Tensor> runOperator(std::uint32_t op, const std::vector<TensorView>& inputs,
                           const std::vector<std::int64_t>& ints, Elem elem, const Shape& shape,
                           const Epilogue& epilogue = {});

}  // namespace axle::runtime::test
