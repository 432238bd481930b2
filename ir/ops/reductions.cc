// Reductions over one axis by a known operation; the start value is combined once.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred reduction(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis) return doesNotFit("the axis is out of range");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("the start value has another element type");
  std::vector<Dim> shape = c.inputs[0].shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  if (!c.inputs[1].shape.empty() && alwaysDiffer(c.dims, c.inputs[1].shape, shape))
    return doesNotFit("the start value has neither the result's shape nor []");
  return one(c.inputs[0].elem, std::move(shape));
}

}  // namespace

constinit const Rules reductionRules{reduction, flopsOfInput};

}  // namespace axle::ir
