#include "ir/lower/reductions.h"

#include "ir/lower/bodies.h"
#include "ir/lower/expressions.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

std::optional<Op> reductionOf(Context& c, const Closure& closure) {
  static constexpr std::pair<std::string_view, Op> known[] = {{"+", Op::reduceSum},   {"*", Op::reduceProd},
                                                              {"max", Op::reduceMax}, {"maximum", Op::reduceMax},
                                                              {"min", Op::reduceMin}, {"minimum", Op::reduceMin}};
  const TypedLambda& lambda = std::get<TypedLambda>(c.program[closure.lambda].node);
  TypedId body = lambda.body;
  while (auto* block = std::get_if<TypedBlock>(&c.program[body].node)) {
    if (!block->lets.empty()) return std::nullopt;
    body = block->result;
  }
  auto* apply = std::get_if<TypedApply>(&c.program[body].node);
  if (!apply || apply->arguments.size() != 2 || lambda.parameters.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    auto* ref = std::get_if<TypedRef>(&c.program[apply->arguments[i]].node);
    if (!ref || ref->binding != lambda.parameters[i]) return std::nullopt;
  }
  for (const auto& [name, op] : known)
    if (c.operators[apply->op].name == name) return op;
  return std::nullopt;
}

namespace {

// Emits a left fold by the function.
std::optional<Tensor> foldAlong(Context& c, const Closure& combine, const Tensor& init, const Tensor& x,
                                std::size_t axis, const Fact& slice, Span span) {
  auto body = buildBody(c, {slice, slice}, span, "what a `reduce` combines", [&](const std::vector<Tensor>& fed) {
    return inlineCall(c, combine, {{fed[0]}, {fed[1]}}, span);
  });
  if (!body) return std::nullopt;
  auto outputs = emitWithBodies(c, Op::reduce, AxisAttributes{axis}, {init, x}, {&*body}, {slice});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

}  // namespace

std::optional<Value> reduceAlong(Context& c, const Application& a, std::optional<std::size_t> axis) {
  std::optional<Closure> combine = functionArgument(c, a, 0);
  if (!combine) return std::nullopt;
  std::optional<Value> startValue = eval(c, a.apply->arguments[1], a.environment);
  std::optional<std::vector<Tensor>> sequence = sequenceArguments(c, a, 2);
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!startValue || !sequence || !result) return std::nullopt;
  Tensor x = sequence->front();
  if (!axis) axis = axisAttribute(c, a, fact(c, x).shape.size());
  if (!axis) return std::nullopt;
  const Tensor* start = std::get_if<Tensor>(&startValue->node);
  if (!start) return reportBug(c, "its start value is not a tensor", a.span());
  Tensor init = *start;
  init.splat.reset();  // the operator takes a scalar start value
  Fact slice = withoutAxis(fact(c, x), *axis);
  std::optional<Op> direct = reductionOf(c, *combine);
  if (slice.elem == Elem::boolean) direct.reset();
  bool startFits = fact(c, init).shape.size() == slice.shape.size() || (direct && fact(c, init).shape.empty());
  if (!startFits) {
    init.splat = slice.shape;
    std::optional<Tensor> all = materialize(c, init);
    if (!all) return std::nullopt;
    init = *all;
  }
  auto reduced = direct ? emit(c, *direct, {x, init}, AxisAttributes{*axis}, slice)
                        : foldAlong(c, *combine, init, x, *axis, slice, a.span());
  if (!reduced || !boolAttribute(c, a, "keep")) return toValue(std::move(reduced));
  return toValue(emit(c, Op::reshape, {*reduced}, {}, std::move(*result)));
}

namespace {

std::optional<Value> lowerReduce(Context& c, const Application& a, const CoreOperator&) {
  return reduceAlong(c, a, std::nullopt);
}

}  // namespace

std::span<const CoreOperator> reductionOperators() {
  static constexpr CoreOperator rows[] = {{"reduce", Op::reduce, lowerReduce, lowerRaggedReduce}};
  return rows;
}

}  // namespace axle::ir::lowering
