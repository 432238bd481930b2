// Resizes images to the size that the node declares.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred resizeFacts(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &y = c.declared[0].shape;
  if (x.size() != 4 || y.size() != 4) return doesNotFit("the image is not of rank 4");
  return one(c.inputs[0].elem, {x[0], y[1], y[2], x[3]});
}

// Counts 8 for each element, which is interpolated from up to 16.
Dim resizeFlops(const InferContext& c) { return c.dims.mul(flopsOfOutput(c), c.dims.constant(8)); }

AxisMap resizeAxes(const InferContext&) {
  AxisMap map;
  map.add(0, {0, 0});
  map.add(3, {0, 3});
  return map;
}

}  // namespace

constinit const Rules resizeRules{resizeFacts, resizeFlops, resizeAxes};

}  // namespace axle::ir
