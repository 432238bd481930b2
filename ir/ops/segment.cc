// Slices consecutive rows between two computed positions.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred segmentFacts(const InferContext& c) {
  if (c.inputs[0].shape.empty() || c.declared[0].shape.empty()) return doesNotFit("the rows are a scalar");
  if (c.inputs[1].elem != Elem::i64) return doesNotFit("the ends are no i64");
  Dims shape = c.inputs[0].shape;
  shape[0] = c.declared[0].shape[0];
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap segmentAxes(const InferContext& c) { return sameAxesBut(c, 0); }

}  // namespace

constinit const Rules segmentRules{segmentFacts, noFlops, segmentAxes};

}  // namespace axle::ir
