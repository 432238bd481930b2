// Joins tensors along an axis.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred concatFacts(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  Dims shape = c.inputs[0].shape;
  if (axis >= shape.size()) return axisOutOfRange();
  for (std::size_t k = 1; k < c.inputs.size(); ++k) {
    const Dims& x = c.inputs[k].shape;
    if (x.size() != shape.size() || c.inputs[k].elem != c.inputs[0].elem)
      return doesNotFit("the parts differ in rank or element");
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i != axis && alwaysDiffer(c.dims, x[i], shape[i])) return doesNotFit("the parts differ outside of the axis");
    shape[axis] = c.dims.add(shape[axis], x[axis]);
  }
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap concatAxes(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  const Dim one = c.dims.constant(1), whole = c.declared[0].shape[axis];
  Dim begin = c.dims.constant(0);
  AxisMap map;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const Dims& x = c.inputs[k].shape;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i != axis) map.add(i, {k, i});
    const Dim end = c.dims.add(begin, x[axis]);
    map.add(axis, {k, axis}, AxisWindow{one, one, one, begin, c.dims.sub(whole, end), one});
    begin = end;
  }
  return map;
}

}  // namespace

constinit const Rules concatRules{concatFacts, noFlops, concatAxes};

}  // namespace axle::ir
