// The elements of an axis in reverse order.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reverseFacts(const InferContext& c) {
  if (c.as<AxisAttributes>().axis >= c.inputs[0].shape.size()) return axisOutOfRange();
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

AxisMap reverseAxes(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0), back = c.dims.constant(-1);
  AxisMap map = sameAxesBut(c, axis);
  map.add(axis, {0, axis}, AxisWindow{one, back, one, c.dims.sub(one, c.inputs[0].shape[axis]), zero, one});
  return map;
}

}  // namespace

constinit const Rules reverseRules{reverseFacts, noFlops, reverseAxes};

}  // namespace axle::ir
