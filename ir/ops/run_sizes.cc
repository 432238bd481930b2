// Operators that compute sizes during the run, and operators that check them. They may fail, so none is folded.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred nonzero(const InferContext& c) {
  if (c.declared[0].shape.size() != 2) return doesNotFit("the positions are no matrix");
  return one(Elem::i64, {c.declared[0].shape[0], c.dims.constant(static_cast<std::int64_t>(c.inputs[0].shape.size()))});
}

Inferred segment(const InferContext& c) {
  if (c.inputs[0].shape.empty() || c.declared[0].shape.empty()) return doesNotFit("the rows are a scalar");
  if (c.inputs[1].elem != Elem::i64) return doesNotFit("the ends are no i64");
  std::vector<Dim> shape = c.inputs[0].shape;
  shape[0] = c.declared[0].shape[0];
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred size(const InferContext& c) {
  if (c.inputs[0].elem != Elem::i64 || !c.inputs[0].shape.empty()) return doesNotFit("a size is an i64 scalar");
  return one(Elem::i64, {});
}

Inferred asDeclared(const InferContext& c, const Fact& from) {
  if (c.declared[0].elem != from.elem) return doesNotFit("the element type changes");
  if (c.declared[0].shape.size() != from.shape.size()) return doesNotFit("the rank changes");
  return one(from.elem, c.declared[0].shape);
}

Inferred guard(const InferContext& c) { return asDeclared(c, c.inputs[0]); }

Inferred require(const InferContext& c) {
  if (c.inputs[0].elem != Elem::i64 || c.inputs[1].elem != Elem::i64) return doesNotFit("what is compared are no i64");
  if (alwaysDiffer(c.dims, c.inputs[0].shape, c.inputs[1].shape)) return doesNotFit("what is compared has two shapes");
  return asDeclared(c, c.inputs[2]);
}

}  // namespace

constinit const Rules nonzeroRules{nonzero, flopsOfInput};
constinit const Rules segmentRules{segment, noFlops};
constinit const Rules sizeRules{size, noFlops};
constinit const Rules guardRules{guard, noFlops};
constinit const Rules requireRules{require, noFlops};

}  // namespace axle::ir
