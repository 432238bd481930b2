// Pointwise operators of two operands of one element type.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred binaryFacts(const InferContext& c) { return broadcastFacts(c, 0, c.inputs[0].elem); }

}  // namespace

constinit const Rules binaryRules{binaryFacts, flopsOfOutput, broadcastAxes};

}  // namespace axle::ir
