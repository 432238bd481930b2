// Sums overlapping frames, as `frame` cuts them.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred overlapAddFacts(const InferContext& c) {
  const auto& a = c.as<FrameAttributes>();
  Dims shape = c.inputs[0].shape;
  if (a.axis >= shape.size() || a.axis + 1 >= shape.size()) return axisOutOfRange();
  shape[a.axis] = windowSpan(c.dims, shape[a.axis], a.step, shape[a.axis + 1]);
  return one(c.inputs[0].elem, without(std::move(shape), a.axis + 1));
}

// Element p is the sum over all frames f of their elements p - f*step.
AxisMap overlapAddAxes(const InferContext& c) {
  const auto& a = c.as<FrameAttributes>();
  const Dims& x = c.inputs[0].shape;
  const Dim one = c.dims.constant(1), frames = x[a.axis], length = x[a.axis + 1], last = c.dims.sub(length, one);
  const Dim reach = c.dims.mul(c.dims.sub(frames, one), a.step);
  AxisMap map;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != a.axis && i != a.axis + 1) map.add(i < a.axis ? i : i - 1, {0, i});
  map.add(a.axis, {0, a.axis}, AxisWindow{length, one, one, last, last, a.step});
  map.add(a.axis, {0, a.axis + 1}, AxisWindow{frames, one, a.step, reach, reach, one});
  return map;
}

}  // namespace

constinit const Rules overlapAddRules{overlapAddFacts, flopsOfInput, overlapAddAxes};

}  // namespace axle::ir
