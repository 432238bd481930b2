// Broadcasts to the shape that the node declares, aligned at the last axis; repeats along sizes of 1.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred broadcastToFacts(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &to = c.declared[0].shape;
  if (x.size() > to.size()) return doesNotFit("the rank shrinks");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (c.dims.asConstant(x[i]) != 1 && alwaysDiffer(c.dims, x[i], to[to.size() - x.size() + i]))
      return doesNotFit("sizes do not broadcast");
  return one(c.inputs[0].elem, to);
}

}  // namespace

constinit const Rules broadcastRules{broadcastToFacts, noFlops, broadcastAxes};

}  // namespace axle::ir
