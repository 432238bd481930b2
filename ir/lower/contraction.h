// Sums of products of tensors whose axes are labelled: transposes, matrix products and sums.
#pragma once

#include <algorithm>

#include "ir/lower/context.h"

namespace axle::ir::lowering {

struct Labelled {
  Tensor tensor;
  std::vector<int> labels;  // one for each axis

  bool has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
};

// Multiplies the operands, from the first to the last, and sums over the labels that are not in the result.
std::optional<Tensor> contract(Context& c, std::vector<Labelled> operands, const std::vector<int>& result);

}  // namespace axle::ir::lowering
