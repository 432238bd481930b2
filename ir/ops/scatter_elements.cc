// Writes new elements into a tensor at computed positions of an axis.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred scatterElementsFacts(const InferContext& c) {
  if (auto wrong = indicesMismatch(c, c.as<ScatterAttributes>().axis)) return doesNotFit(*wrong);
  if (auto wrong = updatesMismatch(c, c.inputs[1].shape)) return doesNotFit(*wrong);
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

AxisMap scatterElementsAxes(const InferContext& c) {
  const std::size_t axis = c.as<ScatterAttributes>().axis;
  AxisMap map = sameAxes(c);
  for (std::size_t input : {1, 2})
    for (std::size_t i = 0; i < c.inputs[0].shape.size(); ++i)
      if (i != axis) map.add(i, {input, i});
  return map;
}

}  // namespace

constinit const Rules scatterElementsRules{scatterElementsFacts, noFlops, scatterElementsAxes};

}  // namespace axle::ir
