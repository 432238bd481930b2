// Pointwise choice between two operands by a condition.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred selectFacts(const InferContext& c) {
  if (c.inputs[0].elem != Elem::boolean) return doesNotFit("the condition is not bool");
  return broadcastFacts(c, 1, c.inputs[1].elem);
}

}  // namespace

constinit const Rules selectRules{selectFacts, flopsOfOutput, broadcastAxes};

}  // namespace axle::ir
