// Cuts an axis into overlapping frames. It becomes two axes: frames and positions in a frame. The node declares both
// sizes.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred frameFacts(const InferContext& c) {
  const std::size_t axis = c.as<FrameAttributes>().axis;
  Dims shape = c.inputs[0].shape;
  const Dims& y = c.declared[0].shape;
  if (axis >= shape.size() || y.size() != shape.size() + 1) return axisOutOfRange();
  shape[axis] = y[axis];
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, y[axis + 1]);
  return one(c.inputs[0].elem, std::move(shape));
}

// Element l of frame f is element f*step + l.
AxisMap frameAxes(const InferContext& c) {
  const auto& a = c.as<FrameAttributes>();
  const Dims& y = c.declared[0].shape;
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0);
  AxisMap map;
  for (std::size_t i = 0; i < c.inputs[0].shape.size(); ++i)
    if (i != a.axis) map.add(i < a.axis ? i : i + 1, {0, i});
  map.add(a.axis, {0, a.axis}, AxisWindow{y[a.axis + 1], a.step, one, zero, zero, one});
  map.add(a.axis + 1, {0, a.axis}, AxisWindow{y[a.axis], one, a.step, zero, zero, one});
  return map;
}

}  // namespace

constinit const Rules frameRules{frameFacts, noFlops, frameAxes};

}  // namespace axle::ir
