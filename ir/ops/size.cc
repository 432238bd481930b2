// A value that becomes a size.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred sizeFacts(const InferContext& c) {
  if (c.inputs[0].elem != Elem::i64 || !c.inputs[0].shape.empty()) return doesNotFit("a size is an i64 scalar");
  return one(Elem::i64, {});
}

}  // namespace

constinit const Rules sizeRules{sizeFacts, noFlops, noAxes};

}  // namespace axle::ir
