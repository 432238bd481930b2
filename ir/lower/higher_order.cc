// Core operators that take functions: the function becomes a body.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

namespace {

Fact without(Fact fact, std::size_t axis) {
  fact.shape.erase(fact.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  fact.value = {};
  return fact;
}

std::vector<Value> valuesOf(const std::vector<Tensor>& tensors, std::size_t from, std::size_t to) {
  std::vector<Value> values;
  for (std::size_t i = from; i < to; ++i) values.push_back({tensors[i]});
  return values;
}

}  // namespace

std::optional<Closure> Lowerer::function(const Application& a, std::size_t argument) {
  std::optional<Value> value = eval(a.apply->arguments[argument], a.frame, a.with);
  if (!value) return std::nullopt;
  if (const Closure* closure = std::get_if<Closure>(&value->node)) return *closure;
  return unexpected("an argument is no function", a.expr->span);
}

// A function that is nothing but an operator applied to its two parameters is free to re-associate.
std::optional<Op> Lowerer::reductionOf(const Closure& closure) const {
  static constexpr std::pair<std::string_view, Op> known[] = {{"+", Op::reduceSum},   {"*", Op::reduceProd},
                                                              {"max", Op::reduceMax}, {"maximum", Op::reduceMax},
                                                              {"min", Op::reduceMin}, {"minimum", Op::reduceMin}};
  const TypedLambda& lambda = std::get<TypedLambda>(program_[closure.lambda].node);
  TypedId body = lambda.body;
  while (auto* block = std::get_if<TypedBlock>(&program_[body].node)) {
    if (!block->lets.empty()) return std::nullopt;
    body = block->result;
  }
  auto* apply = std::get_if<TypedApply>(&program_[body].node);
  if (!apply || apply->arguments.size() != 2 || lambda.parameters.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    auto* ref = std::get_if<TypedRef>(&program_[apply->arguments[i]].node);
    if (!ref || ref->binding != lambda.parameters[i]) return std::nullopt;
  }
  for (const auto& [name, op] : known)
    if (operators_[apply->op].name == name) return op;
  return std::nullopt;
}

std::optional<Value> Lowerer::lowerReduce(const Application& a, const CoreOperator& core) {
  return reduceAlong(a, core, std::nullopt);
}

std::optional<Value> Lowerer::reduceAlong(const Application& a, const CoreOperator&, std::optional<std::size_t> axis) {
  std::optional<Closure> combine = function(a, 0);
  if (!combine) return std::nullopt;
  std::optional<Value> startValue = eval(a.apply->arguments[1], a.frame, a.with);
  std::optional<std::vector<Tensor>> sequence = evalSequences(a, 2);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!startValue || !sequence || !result) return std::nullopt;
  Tensor x = sequence->front();
  if (!axis) axis = axisAttribute(a, fact(x).shape.size());
  if (!axis) return std::nullopt;
  const Tensor* start = std::get_if<Tensor>(&startValue->node);
  if (!start) return unexpected("its start value is no tensor", a.expr->span);
  Tensor init = *start;
  init.splat.reset();  // a scalar stands for every element
  Fact slice = without(fact(x), *axis);
  std::optional<Op> direct = reductionOf(*combine);
  if (slice.elem == Elem::boolean) direct.reset();
  bool asItIs = fact(init).shape.size() == slice.shape.size() || (direct && fact(init).shape.empty());
  if (!asItIs) {
    init.splat = slice.shape;
    std::optional<Tensor> all = whole(init);
    if (!all) return std::nullopt;
    init = *all;
  }
  Dim axisDim = model_.dims->constant(static_cast<std::int64_t>(*axis));
  std::optional<Tensor> reduced;
  if (direct) {
    reduced = emit(*direct, {x, init}, {axisDim}, slice);
  } else {
    reduced = foldAlong(*combine, init, x, *axis, slice, a.expr->span);
  }
  if (!reduced || !boolAttribute(a, "keep")) return tensor(std::move(reduced));
  return tensor(emit(Op::reshape, {*reduced}, {}, std::move(*result)));
}

// A left fold by a function of the program.
std::optional<Tensor> Lowerer::foldAlong(const Closure& combine, const Tensor& init, const Tensor& x, std::size_t axis,
                                         const Fact& slice, Span span) {
  auto body = buildBody({slice, slice}, span, "what a `reduce` combines",
                        [&](const std::vector<Tensor>& fed) { return apply(combine, valuesOf(fed, 0, 2), span); });
  if (!body) return std::nullopt;
  std::vector<Tensor> inputs{init, x}, captures = closeBodies({&*body});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  Node node;
  node.op = Op::reduce;
  node.ints = {model_.dims->constant(static_cast<std::int64_t>(axis))};
  node.bodies = {scopes_[body->scope].graph};
  auto outputs = emitNode(std::move(node), inputs, {slice});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

std::optional<std::vector<Tensor>> Lowerer::evalSequences(const Application& a, std::size_t from) {
  std::vector<Tensor> sequences;
  for (std::size_t i = from; i < a.apply->arguments.size(); ++i) {
    std::optional<Value> value = eval(a.apply->arguments[i], a.frame, a.with);
    if (!value) return std::nullopt;
    const Tensor* t = std::get_if<Tensor>(&value->node);
    if (!t) return unexpected("a sequence is no tensor", a.expr->span);
    std::optional<Tensor> all = whole(*t);
    if (!all) return std::nullopt;
    if (fact(*all).shape.empty()) return unexpected("a sequence is a scalar", a.expr->span);
    sequences.push_back(*all);
  }
  if (sequences.empty()) return unexpected("it has no sequence", a.expr->span);
  return sequences;
}

std::optional<Value> Lowerer::lowerWhile(const Application& a, const CoreOperator& core) {
  std::optional<Closure> condition = function(a, 0);
  std::optional<Closure> step = condition ? function(a, 1) : std::nullopt;
  std::optional<Value> startValue = step ? eval(a.apply->arguments[2], a.frame, a.with) : std::nullopt;
  std::vector<Tensor> inputs;
  std::vector<Fact> facts;
  const char* where = "a loop's state or result";
  if (!startValue || !flatten(*startValue, inputs, a.expr->span, where) || !factsOf(a.type, facts, a.expr->span, where))
    return std::nullopt;
  auto bodyOf = [&](const Closure& f) {
    return buildBody(facts, a.expr->span, where, [&](const std::vector<Tensor>& in) {
      std::size_t next = 0;
      return apply(f, {rebuild(a.type, in, next)}, a.expr->span);
    });
  };
  std::optional<Body> test = bodyOf(*condition);
  std::optional<Body> body = test ? bodyOf(*step) : std::nullopt;
  if (!body) return std::nullopt;
  Node node;
  node.op = core.op;
  node.ints = {model_.dims->constant(static_cast<std::int64_t>(inputs.size()))};
  node.bodies = {scopes_[test->scope].graph, scopes_[body->scope].graph};
  std::vector<Tensor> captures = closeBodies({&*test, &*body});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  auto outputs = emitNode(std::move(node), inputs, std::move(facts));
  if (!outputs) return std::nullopt;
  std::size_t next = 0;
  return rebuild(a.type, *outputs, next);
}

}  // namespace axle::ir
