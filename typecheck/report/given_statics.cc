// Static arguments and weights of calls, and where functions hand them on.
#include <algorithm>

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

// Follows an expression through so many functions, and at most `left` expressions in all.
void addWeights(const Guesser& g, const std::vector<Application>& calls, Span expression, std::size_t functions,
                std::size_t& left, std::vector<const ast::Param*>& weights) {
  if (left == 0) return;
  --left;
  if (const ast::Param* weight = g.paramAt(expression)) {
    weights.push_back(weight);
    return;
  }
  const ast::ExprFn* around = functions > 0 ? g.functionAround(expression) : nullptr;
  const std::string name = g.text(expression), function = around ? nameOf(g, *around) : std::string();
  for (std::size_t i = 0; !function.empty() && i < around->parameters.size(); ++i)
    for (const Application& call : around->parameters[i].name.text == name ? calls : std::vector<Application>())
      if (i < call.arguments.size() && calleeOf(g, call) == function)
        addWeights(g, calls, call.arguments[i], functions - 1, left, weights);
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

}  // namespace axle
