// Reductions over one axis by a known operation; the start value is combined once.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reductionFacts(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  if (axis >= c.inputs[0].shape.size()) return axisOutOfRange();
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("the start value has another element type");
  Dims shape = without(c.inputs[0].shape, axis);
  if (!c.inputs[1].shape.empty() && alwaysDiffer(c.dims, c.inputs[1].shape, shape))
    return doesNotFit("the start value has neither the result's shape nor []");
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap reductionAxes(const InferContext& c) {
  AxisMap map = axesWithout(c, c.as<AxisAttributes>().axis);
  for (std::size_t i = 0; i < c.inputs[1].shape.size(); ++i) map.add(i, {1, i});
  return map;
}

}  // namespace

constinit const Rules reductionRules{reductionFacts, flopsOfInput, reductionAxes};

}  // namespace axle::ir
