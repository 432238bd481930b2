// Slices an axis; the node declares the length.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred sliceFacts(const InferContext& c) {
  const std::size_t axis = c.as<SliceAttributes>().axis;
  Dims shape = c.inputs[0].shape;
  if (axis >= shape.size() || c.declared[0].shape.size() != shape.size()) return axisOutOfRange();
  shape[axis] = c.declared[0].shape[axis];
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap sliceAxes(const InferContext& c) {
  const auto& a = c.as<SliceAttributes>();
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0);
  AxisMap map = sameAxesBut(c, a.axis);
  map.add(a.axis, {0, a.axis}, AxisWindow{one, a.step, one, c.dims.sub(zero, a.start), zero, one});
  return map;
}

}  // namespace

constinit const Rules sliceRules{sliceFacts, noFlops, sliceAxes};

}  // namespace axle::ir
