// The elements of the input as another element type, which the node declares.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred castFacts(const InferContext& c) { return one(c.declared[0].elem, c.inputs[0].shape); }

}  // namespace

constinit const Rules castRules{castFacts, noFlops, sameAxes};

}  // namespace axle::ir
