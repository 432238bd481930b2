// Gathers blocks of a tensor at computed positions.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred gatherNdFacts(const InferContext& c) {
  auto shape = blocksShape(c);
  if (!shape) return doesNotFit(shape.error());
  return one(c.inputs[0].elem, std::move(*shape));
}

AxisMap gatherNdAxes(const InferContext& c) {
  const std::size_t indexed = c.inputs[1].shape.size() - 1, blocks = c.declared[0].shape.size() - indexed;
  AxisMap map;
  for (std::size_t i = 0; i < indexed; ++i) map.add(i, {1, i});
  for (std::size_t i = 0; i < blocks; ++i) map.add(indexed + i, {0, c.inputs[0].shape.size() - blocks + i});
  return map;
}

}  // namespace

constinit const Rules gatherNdRules{gatherNdFacts, noFlops, gatherNdAxes};

}  // namespace axle::ir
