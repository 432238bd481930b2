// The positions of the largest or smallest elements of an axis; the node declares their number.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred topPlacesFacts(const InferContext& c) {
  const std::size_t axis = c.as<TopAttributes>().axis;
  Dims shape = c.inputs[0].shape;
  if (axis >= shape.size() || c.declared[0].shape.size() != shape.size()) return axisOutOfRange();
  shape[axis] = c.declared[0].shape[axis];
  return one(Elem::i64, std::move(shape));
}

AxisMap topPlacesAxes(const InferContext& c) { return sameAxesBut(c, c.as<TopAttributes>().axis); }

}  // namespace

constinit const Rules topPlacesRules{topPlacesFacts, flopsOfInput, topPlacesAxes};

}  // namespace axle::ir
