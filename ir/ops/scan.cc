// Cumulative operations along an axis.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred scanFacts(const InferContext& c) {
  if (c.as<ScanAttributes>().axis >= c.inputs[0].shape.size()) return axisOutOfRange();
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

AxisMap scanAxes(const InferContext& c) {
  const auto& a = c.as<ScanAttributes>();
  AxisMap map = sameAxesBut(c, a.axis);
  map.add(a.axis, {0, a.axis},
          a.reverse ? followingWindow(c.dims, c.inputs[0].shape[a.axis])
                    : precedingWindow(c.dims, c.inputs[0].shape[a.axis]));
  return map;
}

}  // namespace

constinit const Rules scanRules{scanFacts, flopsOfOutput, scanAxes};

}  // namespace axle::ir
