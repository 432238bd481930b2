// Static arguments of calls, and where functions hand them on.
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

std::vector<GivenStatic> givenToParameter(const Guesser& g, const ast::ExprFn& of,
                                          const ast::StaticParameter& parameter) {
  std::vector<GivenStatic> given;
  std::string function;
  for (const ast::Binding& binding : g.module.bindings)
    if (std::get_if<ast::ExprFn>(&g.module[binding.value].node) == &of)
      function = g.text(g.module[binding.pattern].span);
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
