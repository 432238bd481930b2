// The positions along an axis.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred iotaFacts(const InferContext& c) {
  if (c.as<AxisAttributes>().axis >= c.declared[0].shape.size()) return axisOutOfRange();
  return one(Elem::i64, c.declared[0].shape);
}

}  // namespace

constinit const Rules iotaRules{iotaFacts, noFlops, noAxes};

}  // namespace axle::ir
