// Sources: nodes without inputs that are not operators of the runtime.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred sourceFacts(const InferContext& c) { return c.declared; }

}  // namespace

constinit const Rules sourceRules{sourceFacts, noFlops, noAxes};

}  // namespace axle::ir
