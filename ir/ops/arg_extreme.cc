// The position of the largest or smallest element of an axis.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred argExtremeFacts(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  if (axis >= c.inputs[0].shape.size()) return axisOutOfRange();
  return one(Elem::i64, without(c.inputs[0].shape, axis));
}

AxisMap argExtremeAxes(const InferContext& c) { return axesWithout(c, c.as<AxisAttributes>().axis); }

}  // namespace

constinit const Rules argExtremeRules{argExtremeFacts, flopsOfInput, argExtremeAxes};

}  // namespace axle::ir
