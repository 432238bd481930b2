// Pointwise operators: shapes broadcast from the trailing axis, and only sizes of 1 are repeated.
#include <algorithm>

#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

tl::expected<std::vector<Dim>, std::string> broadcastShape(const InferContext& c) {
  std::size_t rank = 0;
  for (const Fact& fact : c.inputs) rank = std::max(rank, fact.shape.size());
  std::vector<Dim> shape(rank, c.dims.constant(1));
  for (const Fact& fact : c.inputs)
    for (std::size_t i = 0; i < fact.shape.size(); ++i) {
      Dim& out = shape[rank - fact.shape.size() + i];
      Dim in = fact.shape[i];
      if (c.dims.asConstant(in) == 1) continue;
      if (c.dims.asConstant(out) == 1) {
        out = in;
      } else if (alwaysDiffer(c.dims, out, in)) {
        return doesNotFit("sizes " + c.dims.print(out) + " and " + c.dims.print(in) + " do not broadcast");
      } else if (c.dims.asConstant(in)) {
        out = in;  // a guard makes them equal, and the number is more precise
      }
    }
  return shape;
}

Inferred unary(const InferContext& c) { return one(c.inputs[0].elem, c.inputs[0].shape); }
Inferred castTo(const InferContext& c) { return one(c.declared[0].elem, c.inputs[0].shape); }

bool sameElements(const InferContext& c, std::size_t from) {
  for (const Fact& fact : c.inputs)
    if (&fact - c.inputs.data() >= static_cast<std::ptrdiff_t>(from) && fact.elem != c.inputs[from].elem) return false;
  return true;
}

Inferred broadcasting(const InferContext& c, std::size_t from, std::optional<Elem> elem) {
  if (!sameElements(c, from)) return doesNotFit("operands differ in their element type");
  auto shape = broadcastShape(c);
  if (!shape) return doesNotFit(shape.error());
  return one(elem.value_or(c.inputs[from].elem), std::move(*shape));
}

Inferred binary(const InferContext& c) { return broadcasting(c, 0, std::nullopt); }
Inferred comparison(const InferContext& c) { return broadcasting(c, 0, Elem::boolean); }
Inferred choice(const InferContext& c) {
  if (c.inputs[0].elem != Elem::boolean) return doesNotFit("the condition is not bool");
  return broadcasting(c, 1, std::nullopt);
}

}  // namespace

constinit const Rules unaryRules{unary, flopsOfOutput};
constinit const Rules castRules{castTo, noFlops};
constinit const Rules binaryRules{binary, flopsOfOutput};
constinit const Rules comparisonRules{comparison, flopsOfOutput};
constinit const Rules selectRules{choice, flopsOfOutput};

}  // namespace axle::ir
