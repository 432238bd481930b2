#include "typecheck/infer/hidden_values.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/conflict_messages.h"

namespace axle {

void rememberHiddenValue(Inference& in, const std::string& name, Span use) {
  for (const Scope* scope : in.scopes)
    if (const auto value = scope->values.find(name); value != scope->values.end())
      return in.hidden.push_back({name, use, value->second});
}

namespace {

// Returns the innermost function around a place that names a size so in its signature.
const ast::ExprFn* functionNamingSize(const ast::Module& module, const std::string& name, Span place) {
  auto namesIt = [&](const ast::ExprFn& function) {
    return std::ranges::any_of(module.dims, [&](const ast::Dim& dim) {
      const auto* size = std::get_if<ast::DimName>(&dim.node);
      return size && size->name == name && isWithin(dim.span, function.signature);
    });
  };
  const ast::Expr* found = nullptr;
  for (const ast::Expr& e : module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node); function && isWithin(place, e.span))
      if ((!found || isWithin(e.span, found->span)) && namesIt(*function)) found = &e;
  return found ? &std::get<ast::ExprFn>(found->node) : nullptr;
}

// Returns a letter that names nothing in the module; the name with a number if there is none.
std::string unusedName(const ast::Module& module, const std::string& name) {
  std::set<std::string_view> used;
  for (const ast::Dim& dim : module.dims)
    if (const auto* size = std::get_if<ast::DimName>(&dim.node)) used.insert(size->name);
  for (const ast::Expr& e : module.exprs)
    if (const auto* value = std::get_if<ast::ExprName>(&e.node)) used.insert(value->name);
  for (const ast::Item& item : module.items)
    if (const auto* param = std::get_if<ast::Param>(&item)) used.insert(param->name.text);
  for (const ast::Pattern& pattern : module.patterns)
    if (const auto* bound = std::get_if<ast::PatternName>(&pattern.node)) used.insert(bound->name);
  for (const char letter : std::string_view("nmklhwcdpqrstuvxyzabefgij"))
    if (const std::string other(1, letter); !used.contains(other)) return other;
  return name + "1";
}

Phrase kindOf(const Inference& in, const HiddenValue& hidden) {
  return in.program[hidden.value].kind == BindingKind::weight ? "param" : "value";
}

// Gives the size another name where the function has it as a size.
void suggestOtherName(const Inference& in, const HiddenValue& hidden, Diagnostic& d) {
  const ast::Module& module = in.module();
  const ast::ExprFn* function = functionNamingSize(module, hidden.name, hidden.use);
  if (!function) return;
  const Span whole = join(function->signature, module[function->body].span);
  const std::string other = unusedName(module, hidden.name);
  Fix fix{fmt::format("give the size another name, such as `{}`: then `{}` is the {}", other, hidden.name,
                      kindOf(in, hidden).text),
          {}};
  for (const ast::Dim& dim : module.dims)
    if (const auto* size = std::get_if<ast::DimName>(&dim.node); size && size->name == hidden.name)
      if (isWithin(dim.span, whole)) fix.edits.push_back({dim.span, other});
  for (const Span use : staticUses(module, hidden.name, whole)) fix.edits.push_back({use, other});
  std::ranges::sort(fix.edits, {}, [](const Edit& edit) { return edit.span.begin; });
  d.fixes.push_back(std::move(fix));
}

bool marks(const Diagnostic& d, Span place) {
  auto isAt = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    return span && isWithin(place, *span);
  };
  return isAt(d.primary) || std::ranges::any_of(d.secondary, isAt);
}

}  // namespace

void tellHiddenValues(const Inference& in, Diagnostic& d) {
  std::set<std::string_view> told;
  for (const HiddenValue& hidden : in.hidden) {
    if (!marks(d, hidden.use) || !told.insert(hidden.name).second) continue;
    const arg::Name name{hidden.name};
    d.addNote("{} is a size of the signature here, and hides the {} {}", name, kindOf(in, hidden), name);
    if (d.code == &codes::elemMismatch) d.help.clear();  // a conversion would keep the size
    suggestOtherName(in, hidden, d);
  }
}

}  // namespace axle
