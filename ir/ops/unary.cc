// Pointwise operators of one operand.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred unaryFacts(const InferContext& c) { return one(c.inputs[0].elem, c.inputs[0].shape); }

}  // namespace

constinit const Rules unaryRules{unaryFacts, flopsOfOutput, sameAxes};

}  // namespace axle::ir
