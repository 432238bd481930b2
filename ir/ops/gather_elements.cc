// Gathers elements of an axis at computed positions, one for each index.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred gatherElementsFacts(const InferContext& c) {
  if (auto wrong = indicesMismatch(c, c.as<AxisAttributes>().axis)) return doesNotFit(*wrong);
  return one(c.inputs[0].elem, c.inputs[1].shape);
}

AxisMap gatherElementsAxes(const InferContext& c) {
  AxisMap map = sameAxesBut(c, c.as<AxisAttributes>().axis);
  for (std::size_t i = 0; i < c.inputs[1].shape.size(); ++i) map.add(i, {1, i});
  return map;
}

}  // namespace

constinit const Rules gatherElementsRules{gatherElementsFacts, noFlops, gatherElementsAxes};

}  // namespace axle::ir
