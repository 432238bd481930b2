// Hover: shows the type and documentation of the name or expression at a place.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/families.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

namespace {

std::string inCode(const std::string& code) { return "```ax\n" + code + "\n```"; }

// Returns the smallest expression around an offset of the statement's piece.
std::optional<TypedId> expressionAt(Document& document, const Statement& statement, std::uint32_t offset) {
  std::optional<TypedId> best;
  const TypedProgram& program = document.checked().program;
  for (std::size_t i = statement.exprs.first; i < std::min(statement.exprs.second, program.exprs.size()); ++i) {
    const Span span = program.exprs[i].span;
    if (!(span.source == statement.piece->source) || offset < span.begin || offset >= span.end) continue;
    if (best && program[*best].span.end - program[*best].span.begin < span.end - span.begin) continue;
    best = TypedId{static_cast<std::uint32_t>(i)};
  }
  return best;
}

struct Shown {
  std::string text;
  Span span;  // of the piece
};

std::optional<Shown> showExpression(Document& document, const CurrentStatement& current, std::uint32_t offset) {
  auto expression = expressionAt(document, *current.statement, offset);
  if (!expression) return std::nullopt;
  const TypedExpr& e = document.checked().program[*expression];
  std::string text(document.sources().text(e.span));
  if (text.find('\n') != std::string::npos) return std::nullopt;
  return Shown{inCode(text + " : " + document.print(current.statement.get(), e.type)), e.span};
}

// Says why a name of the document has no type.
std::string whyUntyped(Document& document, const Meaning& meaning) {
  for (const Diagnostic& d : document.diagnostics()) {
    const Span* span = std::get_if<Span>(&d.primary.place);
    if (d.code->severity == Severity::error && span && span->source == meaning.definition.source)
      return "no type is known: " + d.message;
  }
  return "no type is known, for an error elsewhere";
}

// Describes a name of a module by its type and documentation.
std::string describe(Document& document, const Meaning& meaning, const std::string& said) {
  auto definition = definitionIn(*meaning.source, meaning.name).value_or(Definition{});
  std::string text = (definition.isParam ? "param " : "") + said;
  const bool hasFailed = meaning.binding && document.checked().failed.count(meaning.binding->index) > 0;
  if (meaning.binding && !hasFailed) text += " : " + document.printSignature(*meaning.binding);
  if (definition.isParam && definition.tensor != meaning.name) text += " = \"" + definition.tensor + "\"";
  return inCode(text) + (hasFailed ? "\n\n" + whyUntyped(document, meaning) : "") +
         (definition.doc.empty() ? "" : "\n\n" + definition.doc);
}

// Returns the sort of a name in a type, such as "a size".
std::string sortOf(const Document::At& at, const NameUse& use) {
  for (const LocalName& local : at.names->locals)
    if (local.definition == use.definition) return std::string(local.sort);
  return {};
}

std::optional<Shown> showName(Document& document, const Document::At& at, const CurrentStatement* current) {
  const NameUse& use = *at.use;
  if (use.kind == NameKind::attribute) {
    Meaning callee = document.meaningOf(use.callee, at.piece);
    if (callee.declaration) return Shown{inCode(std::string(callee.declaration->text)), use.span};
    if (!callee.binding) return std::nullopt;
    return Shown{inCode(use.callee + " : " + document.printSignature(*callee.binding)), use.span};
  }
  Meaning meaning = document.meaning(at.piece, use);
  if (meaning.kind == Meaning::nothing || (meaning.kind == Meaning::module && !meaning.source)) return std::nullopt;
  if (meaning.kind == Meaning::module) {
    const std::string about = headComment(document.sources().text(meaning.source->source));
    return Shown{inCode("import " + meaning.from) + (about.empty() ? "" : "\n\n" + about), use.span};
  }
  if (meaning.kind == Meaning::local) {
    auto type = current ? document.typeOfLocal(*current, use) : std::nullopt;
    if (type) return Shown{inCode(use.name + " : " + document.print(current->statement.get(), *type)), use.span};
    const std::string sort = sortOf(at, use);
    return Shown{inCode(use.name) + (sort.empty() ? "" : "\n\nthe name of " + sort), use.span};
  }
  std::string text = meaning.kind == Meaning::op ? inCode(std::string(meaning.declaration->text)) + "\n\n" +
                                                       std::string(meaning.declaration->doc)
                                                 : describe(document, meaning, use.name);
  // If the name's type here differs from its declared type, shows it, too.
  if (current && current->isCurrent && !use.defines)
    if (auto here = document.typeAt(*current->statement, use.span)) {
      std::string printed = document.print(current->statement.get(), *here);
      const std::string whole = meaning.binding ? document.printBinding(*meaning.binding) : text;
      if (whole.find(printed) == std::string::npos) text += "\n\nhere\n" + inCode(printed);
    }
  return Shown{text, use.span};
}

}  // namespace

Json hover(State& state, const Json& params) {
  Document& document = documentOf(state, params);
  if (document.check().pieces().empty()) return nullptr;
  Document::At at = document.at(positionOf(state, document, params));
  const CurrentStatement* current = document.statementOf(at.piece);
  std::optional<Shown> shown;
  if (at.use)
    shown = showName(document, at, current);
  else if (current && current->isCurrent)
    shown = showExpression(document, *current, at.offset);
  if (!shown) return nullptr;
  Span whole = document.inText(at.piece, shown->span);
  return {{"contents", {{"kind", "markdown"}, {"value", shown->text}}},
          {"range", rangeJson(state, document.text, whole.begin, whole.end)}};
}

}  // namespace axle::lsp
