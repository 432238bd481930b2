// Repeats each pixel of an image of rank 4 along height and width.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred upsampleFacts(const InferContext& c) {
  const auto& a = c.as<UpsampleAttributes>();
  Dims shape = c.inputs[0].shape;
  if (shape.size() != 4) return doesNotFit("the image is not of rank 4");
  shape[1] = c.dims.mul(shape[1], a.height);
  shape[2] = c.dims.mul(shape[2], a.width);
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap upsampleAxes(const InferContext& c) {
  const auto& a = c.as<UpsampleAttributes>();
  AxisMap map;
  map.add(0, {0, 0});
  map.add(1, {0, 1}, repeatWindow(c.dims, a.height));
  map.add(2, {0, 2}, repeatWindow(c.dims, a.width));
  map.add(3, {0, 3});
  return map;
}

}  // namespace

constinit const Rules upsampleRules{upsampleFacts, noFlops, upsampleAxes};

}  // namespace axle::ir
