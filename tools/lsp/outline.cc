// Lists the symbols of a text, and shows types beside names without a written type.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

namespace {

// Kinds of symbols and hints of the protocol.
constexpr int moduleSymbol = 2, functionSymbol = 12, variableSymbol = 13, constantSymbol = 14;
constexpr int typeHint = 1;

bool isFunction(const ast::Module& module, ast::ExprId id) {
  while (const auto* group = std::get_if<ast::ExprGroup>(&module[id].node)) id = group->inner;
  return std::holds_alternative<ast::ExprFn>(module[id].node);
}

// A name that a statement defines: its kind, the defining text, and the place of the name itself.
struct Symbol {
  std::string name;
  int kind;
  Span whole, at;
};

std::vector<Symbol> symbolsOf(const ast::Module& module) {
  std::vector<Symbol> symbols;
  for (const ast::Item& item : module.items) {
    if (const auto* import = std::get_if<ast::Import>(&item)) {
      symbols.push_back({import->name.text, moduleSymbol, import->span, import->name.span});
    } else if (const auto* param = std::get_if<ast::Param>(&item)) {
      symbols.push_back({param->name.text, constantSymbol, param->span, param->name.span});
    } else if (const auto* index = std::get_if<std::uint32_t>(&item)) {
      const ast::Binding& binding = module.bindings[*index];
      const int kind = isFunction(module, binding.value) ? functionSymbol : variableSymbol;
      for (const auto& [name, at] : namesOf(module, binding.pattern))
        symbols.push_back({name, kind, join(binding.span, at), at});
    }
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.name.empty(); });
  return symbols;
}

Json symbolJson(State& state, Document& document, const CurrentStatement& current, const Symbol& symbol) {
  const auto& pieces = document.check().pieces();
  // A broken statement has its last good places, limited to the broken text.
  const std::uint32_t begin = pieces[current.piece].begin;
  const std::uint32_t end = current.piece + 1 < pieces.size()
                                ? pieces[current.piece + 1].begin
                                : static_cast<std::uint32_t>(document.text.bytes().size());
  const auto range = [&](Span span) {
    return rangeJson(state, document.text, std::min(begin + span.begin, end), std::min(begin + span.end, end));
  };
  std::string detail;
  for (const TopLevelName& bound : current.statement->names)
    if (bound.name == symbol.name) detail = document.printSignature(bound.binding);
  return {{"name", symbol.name},
          {"detail", detail},
          {"kind", symbol.kind},
          {"range", range(symbol.whole)},
          {"selectionRange", range(symbol.at)}};
}

// A place where a type could be written: at `offset`, the type of the expression or name at `of`.
struct OpenType {
  std::uint32_t offset;
  Span of;
  const char* before;
};

// Adds the parameters and the result of a function literal that have no type.
void addOpenTypes(const Document& document, const ast::Module& module, const ast::ExprFn& fn,
                  std::vector<OpenType>& open) {
  for (const ast::Parameter& parameter : fn.parameters)
    if (!parameter.type) open.push_back({parameter.name.span.end, parameter.name.span, " : "});
  if (fn.resultType || !fn.body || !fn.where.empty()) return;
  const std::size_t end = document.sources().text(fn.signature).rfind(')');
  if (end != std::string_view::npos)
    open.push_back({fn.signature.begin + static_cast<std::uint32_t>(end) + 1, module[fn.body].span, " : "});
}

std::vector<OpenType> openTypesOf(const Document& document, const ast::Module& module) {
  std::vector<OpenType> open;
  for (const ast::Item& item : module.items) {
    const auto* param = std::get_if<ast::Param>(&item);
    if (param && !param->type) open.push_back({param->name.span.end, param->name.span, " : "});
  }
  for (const ast::Binding& binding : module.bindings) {
    if (isFunction(module, binding.value)) continue;
    for (const auto& [name, at] : namesOf(module, binding.pattern)) open.push_back({at.end, at, ": "});
  }
  for (const ast::Expr& expr : module.exprs)
    if (const auto* fn = std::get_if<ast::ExprFn>(&expr.node)) addOpenTypes(document, module, *fn, open);
  return open;
}

// Returns nothing if there is no type to show, or only an erroneous one.
std::optional<Json> hintJson(const State& state, Document& document, const Statement& statement, const OpenType& open,
                             std::uint32_t at) {
  const auto type = document.typeAt(statement, open.of);
  if (!type) return std::nullopt;
  Solution& solution = document.checked().solution;
  if (solution.types[solution.resolve(*type)].kind == TypeKind::error) return std::nullopt;
  const Place place = document.text.place(at, state.encoding);
  return Json{{"position", {{"line", place.line}, {"character", place.character}}},
              {"label", open.before + document.print(&statement, *type)},
              {"kind", typeHint},
              {"paddingLeft", false}};
}

}  // namespace

Json documentSymbol(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  Json symbols = Json::array();
  for (const CurrentStatement& current : document.check().statements())
    for (const Symbol& symbol : symbolsOf(current.statement->piece->module))
      symbols.push_back(symbolJson(state, document, current, symbol));
  return symbols;
}

Json inlayHint(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  const auto [from, to] = rangeOf(state, document, params);
  Json hints = Json::array();
  for (const CurrentStatement& current : document.check().statements()) {
    if (!current.isCurrent) continue;
    const Statement& statement = *current.statement;
    for (const OpenType& open : openTypesOf(document, statement.piece->module)) {
      const std::uint32_t at = document.inText(current.piece, {open.of.source, open.offset, open.offset}).begin;
      if (at < from || at > to) continue;
      if (auto hint = hintJson(state, document, statement, open, at)) hints.push_back(std::move(*hint));
    }
  }
  return hints;
}

}  // namespace axle::lsp
