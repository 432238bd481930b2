// Pointwise operators of two operands of one element type, whose result is bool.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred comparisonFacts(const InferContext& c) { return broadcastFacts(c, 0, Elem::boolean); }

}  // namespace

constinit const Rules comparisonRules{comparisonFacts, flopsOfOutput, broadcastAxes};

}  // namespace axle::ir
