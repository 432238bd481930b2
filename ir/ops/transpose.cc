// Reorders axes.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred transposeFacts(const InferContext& c) {
  const Dims& x = c.inputs[0].shape;
  std::vector<bool> seen(x.size());
  Dims shape;
  for (std::size_t axis : c.as<PermAttributes>().perm) {
    if (axis >= x.size() || seen[axis]) return doesNotFit("the axes are no permutation");
    seen[axis] = true;
    shape.push_back(x[axis]);
  }
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap transposeAxes(const InferContext& c) {
  const Axes& perm = c.as<PermAttributes>().perm;
  AxisMap map;
  for (std::size_t i = 0; i < perm.size(); ++i) map.add(i, {0, perm[i]});
  return map;
}

}  // namespace

constinit const Rules transposeRules{transposeFacts, noFlops, transposeAxes};

}  // namespace axle::ir
