// Convolutions of NCHW images by OIHW filters, without strides or padding.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred convNchwFacts(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &f = c.inputs[1].shape;
  if (x.size() != 4 || f.size() != 4) return doesNotFit("image or filter is not of rank 4");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  if (alwaysDiffer(c.dims, x[1], f[1])) return doesNotFit("image and filter differ in their channels");
  const Dim unit = c.dims.constant(1), zero = c.dims.constant(0);
  return one(c.inputs[0].elem, {x[0], f[0], windowPositions(c.dims, x[2], zero, f[2], unit),
                                windowPositions(c.dims, x[3], zero, f[3], unit)});
}

Dim convNchwFlops(const InferContext& c) {
  const Dims& f = c.inputs[1].shape;
  return f.size() == 4 ? flopsOfSums(c, c.dims.mul(c.dims.mul(f[1], f[2]), f[3])) : noFlops(c);
}

AxisMap convNchwAxes(const InferContext& c) {
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0);
  AxisMap map;
  map.add(0, {0, 0});
  map.add(1, {1, 0});
  for (std::size_t k : {2, 3}) map.add(k, {0, k}, AxisWindow{c.inputs[1].shape[k], one, one, zero, zero, one});
  return map;
}

}  // namespace

constinit const Rules convNchwRules{convNchwFacts, convNchwFlops, convNchwAxes};

}  // namespace axle::ir
