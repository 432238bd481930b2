// `map`, `loop` and `while`: the function becomes the body of an operator.
#include "ir/lower/expressions.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/iteration.h"
#include "ir/lower/operators.h"

namespace axle::ir::lowering {

namespace {

constexpr const char* loopValue = "a loop's state or result";

std::optional<Value> lowerWhile(Context& c, const Application& a, const CoreOperator& core) {
  std::optional<Closure> condition = functionArgument(c, a, 0);
  std::optional<Closure> step = condition ? functionArgument(c, a, 1) : std::nullopt;
  std::optional<Value> start = step ? eval(c, a.apply->arguments[2], a.environment) : std::nullopt;
  std::vector<Tensor> inputs;
  std::vector<Fact> facts;
  if (!start || !flattenValue(c, *start, inputs, a.span(), loopValue) ||
      !factsOf(c, a.type, facts, a.span(), loopValue))
    return std::nullopt;
  auto bodyOf = [&](const Closure& f) {
    return buildBody(c, facts, a.span(), loopValue, [&](const std::vector<Tensor>& fed) {
      std::size_t next = 0;
      return inlineCall(c, f, {rebuildValue(c, a.type, fed, next)}, a.span());
    });
  };
  std::optional<Body> test = bodyOf(*condition);
  std::optional<Body> body = test ? bodyOf(*step) : std::nullopt;
  if (!body) return std::nullopt;
  const WhileAttributes states{inputs.size()};
  auto outputs = emitWithBodies(c, core.op, states, std::move(inputs), {&*test, &*body}, std::move(facts));
  if (!outputs) return std::nullopt;
  std::size_t next = 0;
  return rebuildValue(c, a.type, *outputs, next);
}

// The result type of a function.
TypeId resultTypeOf(Context& c, const Closure& f) {
  TypedId body = std::get<TypedLambda>(c.program[f.lambda].node).body;
  return c.solution.resolve(c.program[body].type, f.environment.substitution);
}

std::optional<Value> lowerMap(Context& c, const Application& a, const CoreOperator& core) {
  std::optional<Closure> f = functionArgument(c, a, 0);
  std::optional<Iteration> iteration = f ? iterationOver(c, a, 1) : std::nullopt;
  if (!iteration) return std::nullopt;
  Span span = a.span();
  TypeId element = resultTypeOf(c, *f);
  std::vector<ResultLengths> added;
  auto oneResult = [&](const std::vector<Tensor>& fed) -> std::optional<Value> {
    auto arguments = iterationElements(c, *iteration, fed, *f, 0, span);
    auto result = arguments ? inlineCall(c, *f, std::move(*arguments), span) : std::nullopt;
    return result ? appendLengths(c, std::move(*result), element, a.type, added) : std::nullopt;
  };
  auto body = buildBody(c, iteration->elements, span, "what `map` collects", oneResult);
  auto collected = body ? collectedOutputs(c, *body, 0, iteration->count, a.type, added, span) : std::nullopt;
  if (!collected) return std::nullopt;
  auto outputs = emitWithBodies(c, core.op, MapAttributes{iteration->fed.size()}, iteration->fed, {&*body},
                                std::move(collected->facts), std::move(collected->runSizes));
  if (!outputs || !registerLengths(c, *outputs, added, iteration->count)) return std::nullopt;
  std::size_t next = 0;
  return rebuildValue(c, a.type, *outputs, next);
}

bool isPair(const TypeTerm& type) { return type.kind == TypeKind::tuple && type.parts.size() == 2; }

// The function returns the next state and a result; the operator the last state and all results.
std::optional<Value> lowerLoop(Context& c, const Application& a, const CoreOperator& core) {
  std::optional<Value> start = eval(c, a.apply->arguments[0], a.environment);
  std::optional<Closure> step = start ? functionArgument(c, a, 1) : std::nullopt;
  std::optional<Iteration> iteration = step ? iterationOver(c, a, 2) : std::nullopt;
  Span span = a.span();
  std::vector<Tensor> inputs;
  if (!iteration || !flattenValue(c, *start, inputs, span, loopValue)) return std::nullopt;
  const std::size_t states = inputs.size();
  const TypeTerm type = c.type(a.type);
  if (!isPair(type)) return reportBug(c, "its type differs from its state", span);
  std::vector<Fact> facts;
  if (!factsOf(c, type.parts[0], facts, span, loopValue)) return std::nullopt;
  if (facts.size() != states) return reportBug(c, "its type differs from its state", span);
  const TypeTerm& stepType = c.type(resultTypeOf(c, *step));
  if (!isPair(stepType)) return reportBug(c, "its function gives no pair", span);
  const TypeId stateType = type.parts[0], wholeType = type.parts[1], elementType = stepType.parts[1];

  std::vector<Fact> fed = facts;
  fed.insert(fed.end(), iteration->elements.begin(), iteration->elements.end());
  std::vector<ResultLengths> added;
  auto oneStep = [&](const std::vector<Tensor>& in) -> std::optional<Value> {
    std::size_t next = 0;
    std::vector<Value> arguments{rebuildValue(c, stateType, in, next)};
    const std::vector<Tensor> elementInputs(in.begin() + offset(states), in.end());
    auto elements = iterationElements(c, *iteration, elementInputs, *step, 1, span);
    if (!elements) return std::nullopt;
    arguments.insert(arguments.end(), elements->begin(), elements->end());
    auto result = inlineCall(c, *step, std::move(arguments), span);
    const Tuple* pair = result ? std::get_if<Tuple>(&result->node) : nullptr;
    if (!pair || (*pair)->size() != 2) return std::nullopt;
    auto collected = appendLengths(c, (**pair)[1], elementType, wholeType, added);
    if (!collected) return std::nullopt;
    return tupleOf({(**pair)[0], std::move(*collected)});
  };
  auto body = buildBody(c, fed, span, loopValue, oneStep);
  auto collected = body ? collectedOutputs(c, *body, states, iteration->count, wholeType, added, span) : std::nullopt;
  if (!collected) return std::nullopt;
  facts.insert(facts.end(), collected->facts.begin(), collected->facts.end());
  inputs.insert(inputs.end(), iteration->fed.begin(), iteration->fed.end());
  auto outputs = emitWithBodies(c, core.op, LoopAttributes{states, iteration->fed.size()}, std::move(inputs), {&*body},
                                std::move(facts), std::move(collected->runSizes));
  if (!outputs || !registerLengths(c, *outputs, added, iteration->count)) return std::nullopt;
  std::size_t next = 0;
  return rebuildValue(c, a.type, *outputs, next);
}

}  // namespace

std::span<const CoreOperator> loopOperators() {
  static constexpr CoreOperator rows[] = {
      {"map", Op::map, lowerMap, lowerMap},
      {"loop", Op::loop, lowerLoop, lowerLoop},
      {"while", Op::whileLoop, lowerWhile, lowerWhile},
  };
  return rows;
}

}  // namespace axle::ir::lowering
