// What the text holds: its symbols, and types beside names that have none written.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

namespace {

// Of the protocol.
constexpr int moduleSymbol = 2, functionSymbol = 12, variableSymbol = 13, constantSymbol = 14;
constexpr int typeHint = 1;

bool isFunction(const ast::Module& module, ast::ExprId id) {
  while (const auto* group = std::get_if<ast::ExprGroup>(&module[id].node)) id = group->inner;
  return std::holds_alternative<ast::ExprFn>(module[id].node);
}

}  // namespace

Json documentSymbol(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Json symbols = Json::array();
  const auto textEnd = static_cast<std::uint32_t>(document.text.bytes().size());
  for (const CurrentStatement& current : document.check().statements()) {
    const Statement& statement = *current.statement;
    const ast::Module& module = statement.piece->module;
    auto symbol = [&](const std::string& name, int kind, Span whole, Span at) {
      if (name.empty()) return;
      // What was there before stands where it broke.
      std::uint32_t begin = document.check().pieces()[current.piece].begin;
      std::uint32_t next = current.piece + 1 < document.check().pieces().size()
                               ? document.check().pieces()[current.piece + 1].begin
                               : textEnd;
      auto within = [&](std::uint32_t offset) { return std::min(begin + offset, next); };
      std::string detail;
      for (const TopLevelName& bound : statement.names)
        if (bound.name == name) detail = document.printBinding(bound.binding);
      symbols.push_back({{"name", name},
                         {"detail", detail},
                         {"kind", kind},
                         {"range", rangeJson(state, document.text, within(whole.begin), within(whole.end))},
                         {"selectionRange", rangeJson(state, document.text, within(at.begin), within(at.end))}});
    };
    for (const ast::Item& item : module.items) {
      if (const auto* import = std::get_if<ast::Import>(&item)) {
        symbol(import->name.text, moduleSymbol, import->span, import->name.span);
      } else if (const auto* param = std::get_if<ast::Param>(&item)) {
        symbol(param->name.text, constantSymbol, param->span, param->name.span);
      } else if (const auto* index = std::get_if<std::uint32_t>(&item)) {
        const ast::Binding& binding = module.bindings[*index];
        for (const auto& [name, at] : namesOf(module, binding.pattern))
          symbol(name, isFunction(module, binding.value) ? functionSymbol : variableSymbol, join(binding.span, at), at);
      }
    }
  }
  return symbols;
}

Json inlayHint(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  const auto [from, to] = rangeOf(state, document, params);
  Json hints = Json::array();
  for (const CurrentStatement& current : document.check().statements()) {
    if (!current.isCurrent) continue;
    const Statement& statement = *current.statement;
    const ast::Module& module = statement.piece->module;
    auto hint = [&](std::uint32_t offset, Span name, const char* before) {
      Span placed = document.inText(current.piece, {name.source, offset, offset});
      if (placed.begin < from || placed.begin > to) return;
      auto type = document.typeAt(statement, name);
      if (!type) return;
      TypeKind kind = document.checked().solution.types[document.checked().solution.resolve(*type)].kind;
      if (kind == TypeKind::error) return;
      Place place = document.text.place(placed.begin, state.encoding);
      hints.push_back({{"position", {{"line", place.line}, {"character", place.character}}},
                       {"label", before + document.print(&statement, *type)},
                       {"kind", typeHint},
                       {"paddingLeft", false}});
    };
    for (const ast::Item& item : module.items) {
      const auto* param = std::get_if<ast::Param>(&item);
      if (param && !param->type) hint(param->name.span.end, param->name.span, " : ");
    }
    for (const ast::Binding& binding : module.bindings) {
      if (!isFunction(module, binding.value))
        for (const auto& [name, at] : namesOf(module, binding.pattern)) hint(at.end, at, ": ");
    }
    for (const ast::Expr& expr : module.exprs) {
      const auto* fn = std::get_if<ast::ExprFn>(&expr.node);
      if (!fn) continue;
      for (const ast::Parameter& parameter : fn->parameters)
        if (!parameter.type) hint(parameter.name.span.end, parameter.name.span, " : ");
      if (!fn->resultType && fn->body && fn->where.empty()) {
        std::string_view signature = document.sources().text(fn->signature);
        if (auto end = signature.rfind(')'); end != std::string_view::npos)
          hint(fn->signature.begin + static_cast<std::uint32_t>(end) + 1, module[fn->body].span, " : ");
      }
    }
  }
  return hints;
}

}  // namespace axle::lsp
