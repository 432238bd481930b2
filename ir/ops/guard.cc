// Returns the first input, with the type that the node declares, if guards hold.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred guardFacts(const InferContext& c) { return declaredFact(c, c.inputs[0]); }

}  // namespace

constinit const Rules guardRules{guardFacts, noFlops, sameAxes};

}  // namespace axle::ir
