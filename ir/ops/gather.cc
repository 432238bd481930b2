// Gathers slices of an axis at computed positions; the axes of the indices replace it.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred gatherFacts(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis;
  const Dims &x = c.inputs[0].shape, &ids = c.inputs[1].shape;
  if (axis >= x.size()) return axisOutOfRange();
  if (!info(c.inputs[1].elem).isInt) return doesNotFit("the indices are no integers");
  Dims shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), ids.begin(), ids.end());
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap gatherAxes(const InferContext& c) {
  const std::size_t axis = c.as<AxisAttributes>().axis, ids = c.inputs[1].shape.size();
  AxisMap map;
  for (std::size_t i = 0; i < axis; ++i) map.add(i, {0, i});
  for (std::size_t i = 0; i < ids; ++i) map.add(axis + i, {1, i});
  for (std::size_t i = axis + 1; i < c.inputs[0].shape.size(); ++i) map.add(i - 1 + ids, {0, i});
  return map;
}

}  // namespace

constinit const Rules gatherRules{gatherFacts, noFlops, gatherAxes};

}  // namespace axle::ir
