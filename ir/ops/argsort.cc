// The positions of the elements of an axis in sorted order.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred argsortFacts(const InferContext& c) {
  if (c.as<OrderAttributes>().axis >= c.inputs[0].shape.size()) return axisOutOfRange();
  return one(Elem::i64, c.inputs[0].shape);
}

AxisMap argsortAxes(const InferContext& c) { return sameAxesBut(c, c.as<OrderAttributes>().axis); }

}  // namespace

constinit const Rules argsortRules{argsortFacts, flopsOfOutput, argsortAxes};

}  // namespace axle::ir
