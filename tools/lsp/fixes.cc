// Finds fixes of errors by trying them on the whole text, on request and while the client sends nothing.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/check_program.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/fixes.h"

namespace axle::lsp {

namespace {

// A check of the whole text, with sources of its own.
struct WholeCheck {
  SourceMap sources;
  Modules modules;
  Diagnostics diagnostics;
};

// The place in the document's pieces, or in its imported modules, of a place of the whole check; none if there is none.
std::optional<Span> inDocument(const Document& document, const WholeCheck& whole, Span span) {
  if (span.source == whole.modules.root().source) {
    const std::vector<PlacedPiece>& pieces = document.check().pieces();
    auto isBehind = [](std::uint32_t offset, const PlacedPiece& piece) { return offset < piece.begin; };
    const auto after = std::upper_bound(pieces.begin(), pieces.end(), span.begin, isBehind);
    if (after == pieces.begin()) return std::nullopt;
    const PlacedPiece& piece = *std::prev(after);
    return Span{piece.piece->source, span.begin - piece.begin, span.end - piece.begin};
  }
  for (const ast::Module& module : document.check().modules().modules)
    if (document.sources().path(module.source) == whole.sources.path(span.source))
      return Span{module.source, span.begin, span.end};
  return std::nullopt;
}

// Moves the labels of a diagnostic to the document's sources. Those that have no place there are dropped.
void moveLabels(const Document& document, const WholeCheck& whole, Diagnostic& diagnostic) {
  auto isMoved = [&](Label& label) {
    Span* span = std::get_if<Span>(&label.place);
    const std::optional<Span> moved = span ? inDocument(document, whole, *span) : std::nullopt;
    if (moved) *span = *moved;
    return !span || moved;
  };
  if (!isMoved(diagnostic.primary)) diagnostic.primary.place = Span{};
  std::erase_if(diagnostic.secondary, [&](Label& label) { return !isMoved(label); });
}

}  // namespace

bool findFixes(State& state, Document& document, const std::function<bool()>& goOn) {
  if (document.explained) return true;
  Diagnostics known = document.check().diagnostics();
  for (Diagnostic& diagnostic : known) diagnostic.fixes.clear();  // what was not tried is not offered
  // Of a text with syntax errors the whole check has no other errors, and nothing is tried.
  if (!known.empty() && !hasSyntaxErrors(known) && document.text.bytes().size() <= longestTextWithFixes) {
    WholeCheck whole;
    const CheckOptions options;
    const CheckedPtr checked = driver::checkFile(document.path, loadOptions(state), options, false, whole.sources,
                                                 whole.modules, whole.diagnostics);
    if (checked && !offerFixes(*checked, options, whole.diagnostics, goOn)) return false;
    if (checked) {
      for (Diagnostic& diagnostic : whole.diagnostics) moveLabels(document, whole, diagnostic);
      known = std::move(whole.diagnostics);
    }
  }
  const Json before = diagnosticsJson(state, document);
  document.explained = std::move(known);
  if (diagnosticsJson(state, document) != before) publishDiagnostics(state, document);
  return true;
}

namespace {

// Where an import is added: behind the last one, or else before the first line that is no comment, and what to write.
std::pair<std::uint32_t, std::string> newImport(const Document& document, const std::string& module) {
  const std::string_view text = document.text.bytes();
  const std::string line = "import " + module + ";\n";
  std::optional<std::uint32_t> last;
  for (std::size_t i = 0; i < document.check().pieces().size(); ++i)
    for (const ast::Item& item : document.check().pieces()[i].piece->module.items)
      if (const auto* import = std::get_if<ast::Import>(&item)) last = document.inText(i, import->span).end;
  if (last)
    if (const std::size_t end = text.find('\n', *last); end != text.npos)
      return {static_cast<std::uint32_t>(end + 1), line};
  std::size_t at = 0;
  while (text.substr(at).starts_with("//") && !text.substr(at).starts_with("///") && text.find('\n', at) != text.npos)
    at = text.find('\n', at) + 1;
  return {static_cast<std::uint32_t>(at), line};
}

// Imports the module that the error misses. Nothing is tried: the name may have other errors once it is known.
void addImportAction(State& state, Document& document, const Diagnostic& error, Json& actions) {
  const auto module = missingImport(error);
  if (!module) return;
  const auto [at, line] = newImport(document, *module);
  const Json edit = {{"range", rangeJson(state, document.text, at, at)}, {"newText", line}};
  actions.push_back({{"title", "write `import " + *module + ";`"},
                     {"kind", "quickfix"},
                     {"diagnostics", Json::array({diagnosticJson(state, document, error)})},
                     {"isPreferred", true},
                     {"edit", {{"changes", {{document.uri, Json::array({edit})}}}}}});
}

}  // namespace

void addFixActions(State& state, Document& document, std::uint32_t from, std::uint32_t to, Json& actions) {
  findFixes(state, document, {});
  for (const Diagnostic& diagnostic : document.diagnostics()) {
    const Span* primary = std::get_if<Span>(&diagnostic.primary.place);
    const std::optional<Span> error = primary ? document.check().placed(*primary) : std::nullopt;
    if (!error || error->begin > to || error->end < from) continue;
    addImportAction(state, document, diagnostic, actions);
    for (const Fix& fix : diagnostic.fixes) {
      Json edits = Json::array();
      for (const Edit& edit : fix.edits)
        edits.push_back(
            {{"range", rangeJson(state, document.text, edit.span.begin, edit.span.end)}, {"newText", edit.text}});
      actions.push_back({{"title", fix.title},
                         {"kind", "quickfix"},
                         {"diagnostics", Json::array({diagnosticJson(state, document, diagnostic)})},
                         {"isPreferred", diagnostic.fixes.size() == 1},
                         {"edit", {{"changes", {{document.uri, edits}}}}}});
    }
  }
}

}  // namespace axle::lsp
