// What computes the values of an operator that fails: the expressions that a mistake may be in, the nearest first.
#include <algorithm>
#include <deque>
#include <set>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle {
namespace {

constexpr std::size_t deepest = 4;            // names and functions that are followed in a row
constexpr std::size_t far = 2;                // more names and functions than are near
constexpr std::size_t mostExpressions = 512;  // that are found

struct Region {
  Span span;
  std::size_t depth;
};

// The value of the statement that binds a name, alone or as a part, in the function around the name's use.
std::optional<Span> boundValue(const Guesser& g, Span use) {
  const ast::ExprFn* around = g.functionAround(use);
  const std::string name = g.text(use);
  for (const ast::Binding& binding : g.module.bindings) {
    const Span pattern = g.module[binding.pattern].span;
    if (g.functionAround(pattern) != around) continue;
    for (const ast::Pattern& part : g.module.patterns)
      if (const auto* bound = std::get_if<ast::PatternName>(&part.node))
        if (bound->name == name && isWithin(part.span, pattern)) return g.module[binding.value].span;
  }
  return std::nullopt;
}

}  // namespace

const std::vector<const ast::Expr*>& Guesser::computing() {
  if (computing_) return *computing_;
  std::vector<const ast::Expr*>& found = computing_.emplace();
  std::deque<Region> regions;
  for (const Span place : marks()) regions.push_back({place, 0});
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (; !regions.empty() && found.size() < mostExpressions; regions.pop_front()) {
    const auto [region, depth] = regions.front();
    std::vector<const ast::Expr*> inside;
    for (const ast::Expr& e : module.exprs)
      if (isWithin(e.span, region) && seen.emplace(e.span.begin, e.span.end).second) inside.push_back(&e);
    std::ranges::sort(inside, {}, [](const ast::Expr* e) { return std::pair(e->span.begin, ~e->span.end); });
    found.insert(found.end(), inside.begin(), inside.end());
    if (depth < far)
      for (const ast::Expr* e : inside) near_.emplace(e->span.begin, e->span.end);
    if (depth == deepest) continue;
    for (const ast::Expr* e : inside) {
      const auto* name = std::get_if<ast::ExprName>(&e->node);
      if (!name || paramAt(e->span)) continue;
      if (const auto value = boundValue(*this, e->span)) regions.push_back({*value, depth + 1});
      const auto function = functionNamed(checked.modules, checked.modules.modules.size() - 1, name->name);
      if (function && function->module == &module)
        regions.push_back({module[function->function->body].span, depth + 1});
    }
  }
  return found;
}

bool Guesser::isFar(Span expression) {
  computing();
  return !near_.contains({expression.begin, expression.end});
}

const std::vector<Application>& Guesser::callsComputing() {
  if (callsComputing_) return *callsComputing_;
  std::vector<Application>& found = callsComputing_.emplace();
  for (const ast::Expr* e : computing())
    if (const auto* call = std::get_if<ast::ExprCall>(&e->node)) {
      Application application{e->span, {}, &call->named};
      for (const ast::ExprId argument : call->arguments) application.arguments.push_back(module[argument].span);
      found.push_back(std::move(application));
    }
  return found;
}

std::vector<Application> Guesser::callsNearestFirst() {
  std::vector<Application> all = callsComputing();
  for (const Application& call : calls())
    if (std::ranges::find(all, call.span, &Application::span) == all.end()) all.push_back(call);
  return all;
}

}  // namespace axle
