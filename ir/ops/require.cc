// Returns the third input, with the type that the node declares, if the first two agree.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred requireFacts(const InferContext& c) {
  if (c.inputs[0].elem != Elem::i64 || c.inputs[1].elem != Elem::i64) return doesNotFit("what is compared are no i64");
  if (alwaysDiffer(c.dims, c.inputs[0].shape, c.inputs[1].shape)) return doesNotFit("what is compared has two shapes");
  return declaredFact(c, c.inputs[2]);
}

AxisMap requireAxes(const InferContext& c) {
  AxisMap map;
  for (std::size_t i = 0; i < c.inputs[2].shape.size(); ++i) map.add(i, {2, i});
  return map;
}

}  // namespace

constinit const Rules requireRules{requireFacts, noFlops, requireAxes};

}  // namespace axle::ir
