// The same elements, row-major, in the shape that the node declares.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reshapeFacts(const InferContext& c) {
  if (alwaysDiffer(c.dims, elementCount(c.dims, c.inputs[0].shape), elementCount(c.dims, c.declared[0].shape)))
    return doesNotFit("the number of elements changes");
  return one(c.inputs[0].elem, c.declared[0].shape);
}

// For each axis the number of its steps in the whole tensor: the product of the sizes up to it, without it.
Dims stepsBefore(DimStore& dims, const Dims& shape) {
  Dims products;
  Dim product = dims.constant(1);
  for (Dim size : shape) {
    products.push_back(product);
    product = dims.mul(product, size);
  }
  return products;
}

// An axis stays one if neither it nor the number of elements before it changes.
AxisMap reshapeAxes(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &y = c.declared[0].shape;
  const Dims beforeX = stepsBefore(c.dims, x), beforeY = stepsBefore(c.dims, y);
  AxisMap map;
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j)
      if (y[i] == x[j] && beforeY[i] == beforeX[j] && c.dims.asConstant(y[i]) != 1) map.add(i, {0, j});
  return map;
}

}  // namespace

constinit const Rules reshapeRules{reshapeFacts, noFlops, reshapeAxes};

}  // namespace axle::ir
