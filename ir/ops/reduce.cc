// Folds an axis from the left by a body, which combines two slices.
#include "ir/ops/bodies.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reduceFacts(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  if (axis >= c.inputs[1].shape.size()) return axisOutOfRange();
  Fact slice = withoutAxis(c.inputs[1], axis);
  if (auto wrong = factMismatch(c.dims, c.inputs[0], slice, "the start value")) return doesNotFit(*wrong);
  Facts fed{slice, slice};
  appendFacts(fed, c.inputs, 2, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the function")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, {slice}, "the function")) return doesNotFit(*wrong);
  return Facts{slice};
}

}  // namespace

constinit const Rules reduceRules{reduceFacts, noFlops, noAxes};

}  // namespace axle::ir
