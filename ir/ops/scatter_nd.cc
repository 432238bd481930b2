// Writes new blocks into a tensor at computed positions.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred scatterNdFacts(const InferContext& c) {
  auto shape = blocksShape(c);
  if (!shape) return doesNotFit(shape.error());
  if (auto wrong = updatesMismatch(c, *shape)) return doesNotFit(*wrong);
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

AxisMap scatterNdAxes(const InferContext& c) {
  const std::size_t rank = c.inputs[0].shape.size(), updates = c.inputs[2].shape.size();
  AxisMap map = sameAxes(c);
  for (std::size_t i = c.inputs[1].shape.size() - 1; i < updates; ++i) map.add(rank - updates + i, {2, i});
  return map;
}

}  // namespace

constinit const Rules scatterNdRules{scatterNdFacts, noFlops, scatterNdAxes};

}  // namespace axle::ir
