// Pads each axis with a constant before and after.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred padFacts(const InferContext& c) {
  const auto& a = c.as<PadAttributes>();
  Dims shape = c.inputs[0].shape;
  if (c.inputs.size() > 1 && (!c.inputs[1].shape.empty() || c.inputs[1].elem != c.inputs[0].elem))
    return doesNotFit("the value is not a scalar of the tensor's element type");
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = c.dims.add(shape[i], c.dims.add(a.before[i], a.after[i]));
  return one(c.inputs[0].elem, std::move(shape));
}

AxisMap padAxes(const InferContext& c) {
  const auto& a = c.as<PadAttributes>();
  const Dim one = c.dims.constant(1), zero = c.dims.constant(0);
  AxisMap map;
  for (std::size_t i = 0; i < a.before.size(); ++i)
    if (a.before[i] == zero && a.after[i] == zero)
      map.add(i, {0, i});
    else
      map.add(i, {0, i}, AxisWindow{one, one, one, a.before[i], a.after[i], one});
  return map;
}

}  // namespace

constinit const Rules padRules{padFacts, noFlops, padAxes};

}  // namespace axle::ir
