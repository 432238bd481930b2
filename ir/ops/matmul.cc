// Products of matrices, which are the last two axes; both operands have the same other axes.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred matmulFacts(const InferContext& c) {
  const Dims &a = c.inputs[0].shape, &b = c.inputs[1].shape;
  if (a.size() < 2 || b.size() != a.size()) return doesNotFit("operands are no matrices of one rank");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("operands differ in their element type");
  std::size_t last = a.size() - 1;
  if (alwaysDiffer(c.dims, a[last], b[last - 1])) return doesNotFit("inner sizes differ");
  for (std::size_t i = 0; i + 2 < a.size(); ++i)
    if (alwaysDiffer(c.dims, a[i], b[i])) return doesNotFit("batch sizes differ");
  Dims shape(a.begin(), a.end());
  shape[last] = b[last];
  return one(c.inputs[0].elem, std::move(shape));
}

Dim matmulFlops(const InferContext& c) {
  return c.inputs[0].shape.empty() ? noFlops(c) : flopsOfSums(c, c.inputs[0].shape.back());
}

AxisMap matmulAxes(const InferContext& c) {
  AxisMap map;
  const std::size_t last = c.inputs[0].shape.size() - 1;
  for (std::size_t i = 0; i < last; ++i) map.add(i, {0, i});
  for (std::size_t i = 0; i + 1 < last; ++i) map.add(i, {1, i});
  map.add(last, {1, last});
  return map;
}

}  // namespace

constinit const Rules matmulRules{matmulFacts, matmulFlops, matmulAxes};

}  // namespace axle::ir
