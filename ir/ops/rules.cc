#include "ir/ops/rules.h"

#include <algorithm>

namespace axle::ir {

Dims without(Dims shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

namespace {

// Returns the shape that all inputs broadcast to: aligned at the last axis, repeated only along sizes of 1.
tl::expected<Dims, std::string> broadcastShape(const InferContext& c) {
  std::size_t rank = 0;
  for (const Fact& fact : c.inputs) rank = std::max(rank, fact.shape.size());
  Dims shape(rank, c.dims.constant(1));
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

}  // namespace

Inferred broadcastFacts(const InferContext& c, std::size_t from, Elem elem) {
  for (std::size_t i = from; i < c.inputs.size(); ++i)
    if (c.inputs[i].elem != c.inputs[from].elem) return doesNotFit("operands differ in their element type");
  auto shape = broadcastShape(c);
  if (!shape) return doesNotFit(shape.error());
  return one(elem, std::move(*shape));
}

Inferred keepDeclaredSizes(const InferContext& c, Dims shape) {
  const Dims& declared = c.declared[0].shape;
  if (declared.size() == shape.size())
    for (std::size_t i = 1; i + 1 < shape.size(); ++i)
      if (!alwaysDiffer(c.dims, shape[i], declared[i])) shape[i] = declared[i];
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred declaredFact(const InferContext& c, const Fact& from) {
  if (c.declared[0].elem != from.elem) return doesNotFit("the element type changes");
  if (c.declared[0].shape.size() != from.shape.size()) return doesNotFit("the rank changes");
  return one(from.elem, c.declared[0].shape);
}

std::optional<std::string> indicesMismatch(const InferContext& c, std::size_t axis) {
  const Dims &x = c.inputs[0].shape, &ids = c.inputs[1].shape;
  if (axis >= x.size() || ids.size() != x.size()) return "the axis is out of range";
  if (!info(c.inputs[1].elem).isInt) return "the indices are no integers";
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != axis && alwaysDiffer(c.dims, x[i], ids[i])) return "the shapes differ outside of the axis";
  return std::nullopt;
}

tl::expected<Dims, std::string> blocksShape(const InferContext& c) {
  const Dims &x = c.inputs[0].shape, &ids = c.inputs[1].shape;
  std::optional<std::int64_t> parts = ids.empty() ? std::nullopt : c.dims.asConstant(ids.back());
  if (!parts || *parts < 0 || *parts > static_cast<std::int64_t>(x.size()))
    return doesNotFit("the length of an index differs from the number of axes");
  if (!info(c.inputs[1].elem).isInt) return doesNotFit("the indices are no integers");
  Dims shape(ids.begin(), ids.end() - 1);
  shape.insert(shape.end(), x.begin() + *parts, x.end());
  return shape;
}

std::optional<std::string> updatesMismatch(const InferContext& c, const Dims& shape) {
  if (c.inputs[2].elem != c.inputs[0].elem) return "the updates have another element type";
  if (alwaysDiffer(c.dims, shape, c.inputs[2].shape)) return "the updates have another shape";
  return std::nullopt;
}

Dim noFlops(const InferContext& c) { return c.dims.constant(0); }
Dim flopsOfInput(const InferContext& c) { return elementCount(c.dims, c.inputs[0].shape); }
Dim flopsOfOutput(const InferContext& c) {
  return c.declared.empty() ? noFlops(c) : elementCount(c.dims, c.declared[0].shape);
}
Dim flopsOfSums(const InferContext& c, Dim perElement) {
  return c.dims.mul(c.dims.constant(2), c.dims.mul(flopsOfOutput(c), perElement));
}

AxisMap noAxes(const InferContext&) { return {}; }

AxisMap sameAxesBut(const InferContext& c, std::size_t axis) {
  AxisMap map;
  for (std::size_t i = 0; i < c.inputs[0].shape.size(); ++i)
    if (i != axis) map.add(i, {0, i});
  return map;
}

AxisMap sameAxes(const InferContext& c) { return sameAxesBut(c, c.inputs[0].shape.size()); }

AxisMap axesWithout(const InferContext& c, std::size_t axis) {
  AxisMap map;
  for (std::size_t i = 0; i < c.inputs[0].shape.size(); ++i)
    if (i != axis) map.add(i < axis ? i : i - 1, {0, i});
  return map;
}

// Links no axis of size 1 that is repeated.
AxisMap broadcastAxes(const InferContext& c) {
  const Dims& out = c.declared[0].shape;
  AxisMap map;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const Dims& in = c.inputs[k].shape;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t at = out.size() - in.size() + i;
      if (in[i] == out[at] || c.dims.asConstant(in[i]) != 1) map.add(at, {k, i});
    }
  }
  return map;
}

}  // namespace axle::ir
