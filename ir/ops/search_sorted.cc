// The position of each value in a sorted vector.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred searchSortedFacts(const InferContext& c) {
  if (c.inputs[0].shape.size() != 1) return doesNotFit("the tensor to search is not a vector");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("the operands differ in their element type");
  return one(Elem::i64, c.inputs[1].shape);
}

AxisMap searchSortedAxes(const InferContext& c) {
  AxisMap map;
  for (std::size_t i = 0; i < c.inputs[1].shape.size(); ++i) map.add(i, {1, i});
  return map;
}

}  // namespace

constinit const Rules searchSortedRules{searchSortedFacts, flopsOfOutput, searchSortedAxes};

}  // namespace axle::ir
