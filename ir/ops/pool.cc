// Pools over the spatial axes. H = (h + before + after - size) / stride + 1.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred poolFacts(const InferContext& c) {
  const Dims& x = c.inputs[0].shape;
  const auto& a = c.as<PoolAttributes>();
  if (x.size() < 3) return doesNotFit("the image is not of rank 3 or more");
  Dims shape{x[0]};
  for (std::size_t k = 0; k + 2 < x.size(); ++k) {
    const Dim around = c.dims.add(a.before[k], a.after[k]);
    shape.push_back(windowPositions(c.dims, x[k + 1], around, a.sizes[k], a.strides[k]));
  }
  shape.push_back(x.back());
  return keepDeclaredSizes(c, std::move(shape));
}

Dim poolFlops(const InferContext& c) {
  Dim flops = flopsOfOutput(c);
  for (Dim size : c.as<PoolAttributes>().sizes) flops = c.dims.mul(flops, size);
  return flops;
}

AxisMap poolAxes(const InferContext& c) {
  const auto& a = c.as<PoolAttributes>();
  const Dim one = c.dims.constant(1);
  AxisMap map;
  map.add(0, {0, 0});
  for (std::size_t k = 0; k < a.sizes.size(); ++k)
    map.add(k + 1, {0, k + 1}, AxisWindow{a.sizes[k], a.strides[k], one, a.before[k], a.after[k], one});
  map.add(a.sizes.size() + 1, {0, a.sizes.size() + 1});
  return map;
}

}  // namespace

constinit const Rules poolRules{poolFacts, poolFlops, poolAxes};

}  // namespace axle::ir
