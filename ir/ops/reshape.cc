// Returns the same elements, row-major, in the shape that the node declares.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reshapeFacts(const InferContext& c) {
  if (alwaysDiffer(c.dims, elementCount(c.dims, c.inputs[0].shape), elementCount(c.dims, c.declared[0].shape)))
    return doesNotFit("the number of elements changes");
  return one(c.inputs[0].elem, c.declared[0].shape);
}

// Returns for each axis the product of the sizes of all axes before it.
Dims stepsBefore(DimStore& dims, const Dims& shape) {
  Dims products;
  Dim product = dims.constant(1);
  for (Dim size : shape) {
    products.push_back(product);
    product = dims.mul(product, size);
  }
  return products;
}

Dim elementsBehind(DimStore& dims, const Dims& shape, std::size_t axis) {
  return elementCount(dims, {shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()});
}

// Returns a / b if it is the same whole number, at least 1, for all values of the sizes.
std::optional<std::int64_t> quotient(DimStore& dims, Dim a, Dim b) {
  if (dims.asConstant(b) == 0) return std::nullopt;
  const auto times = dims.asConstant(dims.div(a, b));
  return times && *times >= 1 && dims.mul(b, dims.constant(*times)) == a ? times : std::nullopt;
}

// An axis is kept if neither its size nor the product of the sizes before it changes. If only the product is the same,
// each position is split into several or several are joined: [n, 6] as [2*n, 3], or as [n / 2, 12].
AxisMap reshapeAxes(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &y = c.declared[0].shape;
  const Dims beforeX = stepsBefore(c.dims, x), beforeY = stepsBefore(c.dims, y);
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0);
  AxisMap map;
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (beforeY[i] != beforeX[j] || c.dims.asConstant(y[i]) == 1 || c.dims.asConstant(x[j]) == 1) continue;
      if (y[i] == x[j]) {
        map.add(i, {0, j});
        continue;
      }
      const Dim ofX = elementsBehind(c.dims, x, j), ofY = elementsBehind(c.dims, y, i);
      if (const auto divided = quotient(c.dims, ofX, ofY))
        map.add(i, {0, j}, repeatWindow(c.dims, c.dims.constant(*divided)));
      else if (const auto joined = quotient(c.dims, ofY, ofX))
        map.add(i, {0, j}, AxisWindow{c.dims.constant(*joined), c.dims.constant(*joined), one, zero, zero, one});
    }
  return map;
}

}  // namespace

constinit const Rules reshapeRules{reshapeFacts, noFlops, reshapeAxes};

}  // namespace axle::ir
