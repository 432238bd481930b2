// Lowers operators that rearrange, join and slice tensors, or return their sizes.
#include "ir/lower/structure.h"

#include <numeric>

#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

std::optional<Value> lowerDirect(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  return toValue(emit(c, core.op, given->inputs, {}, std::move(given->result)));
}

std::optional<Value> lowerReshape(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = splatArguments(c, a);
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!inputs || !result) return std::nullopt;
  Tensor& input = inputs->front();
  if (input.splat) {  // all elements are equal: only the shape of the splat changes
    input.splat = std::move(result->shape);
    return Value{input};
  }
  return toValue(emit(c, core.op, {input}, {}, std::move(*result)));
}

namespace {

std::optional<Value> lowerTranspose(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  std::optional<std::size_t> index = requireAttribute(c, a, "perm");
  if (!given || !index) return std::nullopt;
  std::size_t rank = given->result.shape.size();
  if (c.solution.types[attributeAt(c, a, *index)].kind != StaticKind::reversed) {
    auto perm = dimListAttribute(c, a, "perm", rank);
    if (!perm) return std::nullopt;
    auto axes = attributesOf(c.dims(), AttributesKind::Perm, *perm);
    if (!axes) return reportBug(c, "its axes are no numbers", a.span());
    return toValue(emit(c, core.op, given->inputs, std::move(*axes), std::move(given->result)));
  }
  Axes perm(rank);
  std::iota(perm.rbegin(), perm.rend(), 0U);
  return toValue(emit(c, core.op, given->inputs, PermAttributes{std::move(perm)}, std::move(given->result)));
}

std::optional<Value> lowerConcat(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto axis = axisAttribute(c, a, given->result.shape.size());
  if (!axis) return std::nullopt;
  return toValue(emit(c, core.op, given->inputs, AxisAttributes{*axis}, std::move(given->result)));
}

std::optional<Value> lowerSplit(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  auto axis = flatAxis(c, a, inputs->front());
  if (!axis) return std::nullopt;
  std::vector<TypeId> types{a.type};
  if (c.type(a.type).kind == TypeKind::tuple) types = c.type(a.type).parts;
  DimStore& dims = c.dims();
  std::vector<Value> parts;
  Dim start = dims.constant(0);
  for (TypeId type : types) {
    std::optional<Fact> part = factOfType(c, type, a.span());
    if (!part) return std::nullopt;
    Dim next = dims.add(start, part->shape[*axis]);
    auto slice = emit(c, core.op, *inputs, SliceAttributes{*axis, start, dims.constant(1)}, std::move(*part));
    if (!slice) return std::nullopt;
    parts.push_back({*slice});
    start = next;
  }
  if (c.type(a.type).kind != TypeKind::tuple) return parts.front();
  return tupleOf(std::move(parts));
}

std::optional<Value> lowerAlongAxis(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto axis = flatAxis(c, a, given->inputs.front());
  if (!axis) return std::nullopt;
  return toValue(emit(c, core.op, given->inputs, AxisAttributes{*axis}, std::move(given->result)));
}

std::optional<Value> lowerEmbedding(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  return toValue(emit(c, core.op, given->inputs, AxisAttributes{0}, std::move(given->result)));
}

std::optional<Value> lowerSlice(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto axis = flatAxis(c, a, given->inputs.front());
  std::optional<Dim> start = dimAttribute(c, a, "start"), step = dimAttribute(c, a, "step");
  if (!axis || !start || !step) return std::nullopt;
  return toValue(emit(c, core.op, given->inputs, SliceAttributes{*axis, *start, *step}, std::move(given->result)));
}

std::optional<Value> lowerUpsample(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto scale = dimListAttribute(c, a, "scale", 2);
  if (!scale) return std::nullopt;
  return toValue(
      emit(c, core.op, given->inputs, UpsampleAttributes{(*scale)[0], (*scale)[1]}, std::move(given->result)));
}

// Sizes come from the type, so a literal is not materialized.
std::optional<Value> lowerShape(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = splatArguments(c, a);
  if (!inputs) return std::nullopt;
  const Tensor& input = inputs->front();
  std::vector<Dim> sizes = input.splat ? *input.splat : fact(c, input).shape;
  Dim rank = constantDim(c, sizes.size());
  return toValue(emit(c, core.op, {}, DimsAttributes{sizes}, Fact{Elem::i64, {rank}, sizes}));
}

std::optional<Value> lowerSize(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = splatArguments(c, a);
  if (!inputs) return std::nullopt;
  const Tensor& input = inputs->front();
  Dim count = elementCount(c.dims(), input.splat ? *input.splat : fact(c, input).shape);
  return toValue(emit(c, core.op, {}, DimsAttributes{{count}}, Fact{Elem::i64, {}, std::vector<Dim>{count}}));
}

}  // namespace

std::span<const CoreOperator> structureOperators() {
  static constexpr CoreOperator rows[] = {
      // name, operator, rule, rule for ragged tensors
      {"matmul", Op::matmul, lowerDirect, lowerRaggedMatmul},
      {"conv", Op::convNchw, lowerDirect},
      {"transpose", Op::transpose, lowerTranspose},
      {"concat", Op::concat, lowerConcat, lowerRaggedConcat},
      {"split", Op::slice, lowerSplit, lowerSplit},
      {"reshape", Op::reshape, lowerReshape, lowerRaggedReshape},
      {"expand", Op::reshape, lowerReshape, lowerRaggedReshape},
      {"squeeze", Op::reshape, lowerReshape, lowerRaggedReshape},
      {"reverse", Op::reverse, lowerAlongAxis, lowerAlongAxis},
      {"slice", Op::slice, lowerSlice, lowerSlice},
      {"upsample", Op::upsample, lowerUpsample},
      {"gather", Op::gather, lowerAlongAxis, lowerAlongAxis},
      {"embedding", Op::gather, lowerEmbedding, lowerEmbedding},
      {"shape", Op::dims, lowerShape},
      {"size", Op::dims, lowerSize, lowerSize},
  };
  return rows;
}

}  // namespace axle::ir::lowering
