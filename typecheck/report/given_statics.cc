// Static arguments and weights of calls, and where functions hand them on.
#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "typecheck/report/guesses.h"

namespace axle {

const ast::NamedArgument* namedOf(const Application& call, std::string_view name) {
  const auto found = std::ranges::find(*call.named, name, [](const auto& given) { return given.name.text; });
  return found == call.named->end() ? nullptr : &*found;
}

Span withComma(const Application& call, const ast::NamedArgument& named) {
  Span span = named.span;
  span.begin = call.arguments.empty() ? span.begin : call.arguments.back().end;
  for (const ast::NamedArgument& other : *call.named)
    if (other.span.end <= named.span.begin) span.begin = std::max(span.begin, other.span.end);
  return span;
}

namespace {

// The name that a definition gives a function; empty for others.
std::string nameOf(const Guesser& g, const ast::ExprFn& function) {
  for (const ast::Binding& binding : g.module.bindings)
    if (std::get_if<ast::ExprFn>(&g.module[binding.value].node) == &function)
      return g.text(g.module[binding.pattern].span);
  return {};
}

// Where a function gets a name from: a parameter, or a part of one, as `w2` of `w1, w2 = layers`.
struct PartOfParameter {
  std::string parameter;
  std::optional<std::size_t> part;  // none: the whole
};

PartOfParameter partNamed(const Guesser& g, const ast::ExprFn& function, const std::string& name) {
  for (const ast::Binding& binding : g.module.bindings) {
    const ast::Pattern& pattern = g.module[binding.pattern];
    const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node);
    for (std::size_t i = 0; tuple && i < tuple->parts.size() && g.functionAround(pattern.span) == &function; ++i)
      if (g.text(g.module[tuple->parts[i]].span) == name) return {g.text(g.module[binding.value].span), i};
  }
  return {name, std::nullopt};
}

// What calls of a function give a name in it: a parameter, or a part of one.
std::vector<Span> givenTo(const Guesser& g, const std::vector<Application>& calls, const ast::ExprFn& function,
                          const std::string& name) {
  const auto [parameter, part] = partNamed(g, function, name);
  const auto at = std::ranges::find(function.parameters, parameter, [](const auto& each) { return each.name.text; });
  const auto position = static_cast<std::size_t>(at - function.parameters.begin());
  const std::string called = at == function.parameters.end() ? std::string() : nameOf(g, function);
  std::vector<Span> given;
  for (const Application& call : called.empty() ? std::vector<Application>() : calls) {
    if (calleeOf(g, call) != called || position >= call.arguments.size()) continue;
    const Span argument = call.arguments[position];
    const auto* tuple = part ? g.nodeAt<ast::ExprTuple>(argument) : nullptr;
    if (tuple && *part < tuple->parts.size()) given.push_back(g.module[tuple->parts[*part]].span);
    if (!part) given.push_back(argument);
  }
  return given;
}

// Follows an expression through so many functions, and at most `left` expressions in all.
void addWeights(const Guesser& g, const std::vector<Application>& calls, Span expression, std::size_t functions,
                std::size_t& left, std::vector<const ast::Param*>& weights) {
  if (left == 0) return;
  --left;
  if (const ast::Param* weight = g.paramAt(expression)) {
    weights.push_back(weight);
    return;
  }
  if (const ast::ExprFn* around = functions > 0 ? g.functionAround(expression) : nullptr)
    for (const Span given : givenTo(g, calls, *around, g.text(expression)))
      addWeights(g, calls, given, functions - 1, left, weights);
}

}  // namespace

std::vector<const ast::Param*> weightsAt(const Guesser& g, Span expression) {
  constexpr std::size_t mostFunctions = 4;
  std::size_t left = 300;
  std::vector<const ast::Param*> weights;
  addWeights(g, g.calls(), expression, mostFunctions, left, weights);
  return weights;
}

std::vector<GivenStatic> givenToParameter(const Guesser& g, const ast::ExprFn& of,
                                          const ast::StaticParameter& parameter) {
  std::vector<GivenStatic> given;
  const std::string function = nameOf(g, of);
  for (const Application& caller : g.calls())
    if (calleeOf(g, caller) == function)
      for (const ast::NamedArgument& other : *caller.named)
        if (other.name.text == parameter.name.text) {
          const std::vector<GivenStatic> further = givenStatic(g, caller, other);
          given.insert(given.end(), further.begin(), further.end());
        }
  if (given.empty() && parameter.defaultValue)
    given.push_back({g.module[parameter.defaultValue].span, {parameter.span, {}, nullptr}});
  return given;
}

std::vector<GivenStatic> givenStatic(const Guesser& g, const Application& call, const ast::NamedArgument& named) {
  const Span value = g.module[named.value].span;
  const ast::ExprFn* around = g.functionAround(call.span);
  const auto* name = g.nodeAt<ast::ExprName>(value);
  if (!around || !name) return {{value, call}};
  const auto handedOn = std::ranges::find(around->statics, name->name, [](const auto& s) { return s.name.text; });
  if (handedOn == around->statics.end()) return {{value, call}};
  return givenToParameter(g, *around, *handedOn);
}

std::vector<std::int64_t> numbersGiven(const Guesser& g, const std::string& name) {
  std::map<std::int64_t, std::size_t> counts;
  auto add = [&](ast::ExprId value) {
    if (const auto number = value ? numberOf(g.text(g.module[value].span)) : std::nullopt) ++counts[*number];
  };
  for (const Application& call : g.calls())
    if (const ast::NamedArgument* named = namedOf(call, name)) add(named->value);
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
      for (const ast::StaticParameter& parameter : function->statics)
        if (parameter.name.text == name) add(parameter.defaultValue);
  std::vector<std::int64_t> numbers;
  for (const auto& [number, count] : counts) numbers.push_back(number);
  std::ranges::stable_sort(numbers, std::greater(), [&](std::int64_t number) { return counts[number]; });
  return numbers;
}

}  // namespace axle
