#include "typecheck/report/given_arguments.h"

#include <algorithm>
#include <set>
#include <string>

#include "frontend/spans.h"

namespace axle {
namespace {

using Names = std::set<std::string, std::less<>>;

struct CallIn {
  const ast::Module* module;
  const ast::ExprCall* call;
};

// The call at a place, which is the whole call or its callee.
std::optional<CallIn> callAt(const Modules& modules, Span place) {
  for (const ast::Module& module : modules.modules)
    if (module.source == place.source)
      for (const ast::Expr& e : module.exprs)
        if (const auto* call = std::get_if<ast::ExprCall>(&e.node))
          if (e.span == place || module[call->callee].span == place) return CallIn{&module, call};
  return std::nullopt;
}

// Adds the name if the expression is one.
void addName(const ast::Module& module, ast::ExprId id, Names& names) {
  if (const auto* name = std::get_if<ast::ExprName>(&module[id].node)) names.insert(name->name);
}

// The attribute that the conflict is about: it begins with its name.
std::string attributeOf(const Conflict& conflict) {
  const std::size_t end = conflict.text.find('`', 1);
  return conflict.text.starts_with('`') && end != conflict.text.npos ? conflict.text.substr(1, end - 1) : std::string();
}

// The names that the operator is given in the place of the attribute, or of any if it is not known which.
Names namesGiven(const CallIn& at, const std::string& attribute) {
  Names names;
  for (const ast::NamedArgument& named : at.call->named)
    if (named.name.text == attribute) addName(*at.module, named.value, names);
  if (!names.empty()) return names;
  for (const ast::NamedArgument& named : at.call->named) addName(*at.module, named.value, names);
  for (const ast::ExprId argument : at.call->arguments) addName(*at.module, argument, names);
  return names;
}

}  // namespace

std::optional<Span> givenArgument(const Checked& checked, const Conflict& conflict, const Reason& reason) {
  const std::string attribute = attributeOf(conflict);
  const auto failing = callAt(checked.modules, reason.span);
  Names names = failing ? namesGiven(*failing, attribute) : Names{attribute};
  std::optional<Span> place;
  for (ReasonId use = reason.within; use.index != 0; use = checked.provenance[use].within) {
    const auto at = callAt(checked.modules, checked.provenance[use].span);
    if (!at) return std::nullopt;
    const ast::NamedArgument* given = nullptr;
    for (const ast::NamedArgument& named : at->call->named) {
      if (!names.contains(named.name.text)) continue;
      if (given) return std::nullopt;
      given = &named;
    }
    if (!given) return std::nullopt;
    place = given->span;
    names.clear();
    addName(*at->module, given->value, names);
  }
  return place;
}

bool areInARow(const ast::Module& module, Span one, Span other) {
  auto uses = [&](const ast::Pattern& pattern, Span call) {
    const auto* name = std::get_if<ast::PatternName>(&pattern.node);
    return name && std::ranges::any_of(module.exprs, [&](const ast::Expr& e) {
             const auto* used = std::get_if<ast::ExprName>(&e.node);
             return used && used->name == name->name && isWithin(e.span, call);
           });
  };
  return std::ranges::any_of(module.bindings, [&](const ast::Binding& binding) {
    const Span value = module[binding.value].span;
    const ast::Pattern& pattern = module[binding.pattern];
    return (value == one && uses(pattern, other)) || (value == other && uses(pattern, one));
  });
}

}  // namespace axle
