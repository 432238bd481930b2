// Operators that compute positions of elements, and those that read and write elements at computed positions.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred scan(const InferContext& c) {
  if (!axisOf(c)) return doesNotFit("the axis is out of range");
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

Inferred argsort(const InferContext& c) {
  if (!axisOf(c)) return doesNotFit("the axis is out of range");
  return one(Elem::i64, c.inputs[0].shape);
}

Inferred topPlaces(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis || c.declared[0].shape.size() != c.inputs[0].shape.size()) return doesNotFit("the axis is out of range");
  std::vector<Dim> shape = c.inputs[0].shape;
  shape[*axis] = c.declared[0].shape[*axis];
  return one(Elem::i64, std::move(shape));
}

Inferred argExtreme(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  if (!axis) return doesNotFit("the axis is out of range");
  std::vector<Dim> shape = c.inputs[0].shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  return one(Elem::i64, std::move(shape));
}

Inferred searchSorted(const InferContext& c) {
  if (c.inputs[0].shape.size() != 1) return doesNotFit("the tensor to search is not a vector");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("the operands differ in their element type");
  return one(Elem::i64, c.inputs[1].shape);
}

Inferred alongAxis(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  const std::vector<Dim>&x = c.inputs[0].shape, &ids = c.inputs[1].shape;
  if (!axis || ids.size() != x.size()) return doesNotFit("the axis is out of range");
  if (!info(c.inputs[1].elem).isInt) return doesNotFit("the indices are no integers");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != *axis && alwaysDiffer(c.dims, x[i], ids[i])) return doesNotFit("the shapes differ outside of the axis");
  return one(c.inputs[0].elem, ids);
}

// Indices of shape q@[r] select blocks of a tensor p@s with r = rank of p: the result is q@s.
Inferred blocks(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &ids = c.inputs[1].shape;
  std::optional<std::int64_t> parts = ids.empty() ? std::nullopt : c.dims.asConstant(ids.back());
  if (!parts || *parts < 0 || *parts > static_cast<std::int64_t>(x.size()))
    return doesNotFit("the length of an index differs from the number of axes");
  if (!info(c.inputs[1].elem).isInt) return doesNotFit("the indices are no integers");
  std::vector<Dim> shape(ids.begin(), ids.end() - 1);
  shape.insert(shape.end(), x.begin() + *parts, x.end());
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred updated(const InferContext& c, const Inferred& blocks) {
  if (!blocks) return blocks;
  if (c.inputs[2].elem != c.inputs[0].elem) return doesNotFit("the updates have another element type");
  if (alwaysDiffer(c.dims, blocks->front().shape, c.inputs[2].shape))
    return doesNotFit("the updates have another shape");
  return one(c.inputs[0].elem, c.inputs[0].shape);
}

Inferred scatterElements(const InferContext& c) { return updated(c, alongAxis(c)); }
Inferred scatterNd(const InferContext& c) { return updated(c, blocks(c)); }

Inferred iota(const InferContext& c) {
  std::optional<std::int64_t> axis = c.dims.asConstant(c.ints[0]);
  if (!axis || *axis < 0 || *axis >= static_cast<std::int64_t>(c.declared[0].shape.size()))
    return doesNotFit("the axis is out of range");
  return one(Elem::i64, c.declared[0].shape);
}

Inferred randomBits(const InferContext& c) {
  if (c.inputs[0].elem != Elem::u64 || !c.inputs[0].shape.empty()) return doesNotFit("the seed is not a scalar u64");
  return one(Elem::u64, c.declared[0].shape);
}

}  // namespace

constinit const Rules scanRules{scan, flopsOfOutput};
constinit const Rules argsortRules{argsort, flopsOfOutput};
constinit const Rules topPlacesRules{topPlaces, flopsOfInput};
constinit const Rules argExtremeRules{argExtreme, flopsOfInput};
constinit const Rules searchSortedRules{searchSorted, flopsOfOutput};
constinit const Rules gatherElementsRules{alongAxis, noFlops};
constinit const Rules gatherNdRules{blocks, noFlops};
constinit const Rules scatterElementsRules{scatterElements, noFlops};
constinit const Rules scatterNdRules{scatterNd, noFlops};
constinit const Rules iotaRules{iota, noFlops};
constinit const Rules randomBitsRules{randomBits, flopsOfOutput};

}  // namespace axle::ir
