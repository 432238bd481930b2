// Convolutions. H = (h + before + after - (dilation*(r - 1) + 1)) / stride + 1, where h includes the zeros that spreads
// insert.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred convFacts(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &f = c.inputs[1].shape;
  const auto& a = c.as<ConvAttributes>();
  if (x.size() < 3 || f.size() != x.size()) return doesNotFit("image and filter are not of one rank, >= 3");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  const std::size_t rank = x.size() - 2;
  if (alwaysDiffer(c.dims, x.back(), c.dims.mul(a.groups, f[rank])))
    return doesNotFit("image and filter differ in their channels");
  Dims shape{x[0]};
  for (std::size_t k = 0; k < rank; ++k) {
    const Dim size = spreadSize(c.dims, x[k + 1], a.spreads[k]);
    const Dim extent = windowExtent(c.dims, f[k], a.dilations[k]);
    shape.push_back(windowPositions(c.dims, size, c.dims.add(a.before[k], a.after[k]), extent, a.strides[k]));
  }
  shape.push_back(f.back());
  return keepDeclaredSizes(c, std::move(shape));
}

// Each result is a sum over all axes of the filter except the last, the result channels.
Dim convFlops(const InferContext& c) {
  Dim perOutput = c.dims.constant(1);
  for (std::size_t k = 0; k + 1 < c.inputs[1].shape.size(); ++k)
    perOutput = c.dims.mul(perOutput, c.inputs[1].shape[k]);
  return flopsOfSums(c, perOutput);
}

// A result channel reads one channel of the image if each group has only one.
AxisMap convAxes(const InferContext& c) {
  const Dims& f = c.inputs[1].shape;
  const auto& a = c.as<ConvAttributes>();
  const std::size_t rank = f.size() - 2;
  AxisMap map;
  map.add(0, {0, 0});
  for (std::size_t k = 0; k < rank; ++k)
    map.add(k + 1, {0, k + 1}, AxisWindow{f[k], a.strides[k], a.dilations[k], a.before[k], a.after[k], a.spreads[k]});
  map.add(rank + 1, {1, rank + 1});
  if (c.dims.asConstant(f[rank]) != 1) return map;
  if (a.groups == f.back())
    map.add(rank + 1, {0, rank + 1});
  else
    map.add(rank + 1, {0, rank + 1}, repeatWindow(c.dims, c.dims.div(f.back(), a.groups)));
  return map;
}

}  // namespace

constinit const Rules convRules{convFacts, convFlops, convAxes};

}  // namespace axle::ir
