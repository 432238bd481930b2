// Finds fixes of errors by trying them on the whole text, on request and while the client sends nothing.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/check_program.h"
#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "typecheck/report/fixes.h"

namespace axle::lsp {

bool findFixes(State& state, Document& document, const std::function<bool()>& goOn) {
  if (document.fixes) return true;
  std::vector<SuggestedFix> fixes;
  const Diagnostics known = document.check().diagnostics();
  if (!known.empty() && document.text.bytes().size() <= longestTextWithFixes) {
    SourceMap sources;
    Diagnostics found;
    Modules modules;
    const CheckOptions options;
    const CheckedPtr checked =
        driver::checkFile(document.path, loadOptions(state), options, false, sources, modules, found);
    if (checked && !offerFixes(*checked, options, found, goOn)) return false;
    for (Diagnostic& error : found) {
      const Span* span = std::get_if<Span>(&error.primary.place);
      if (!span || !(span->source == modules.root().source)) continue;
      for (Fix& fix : error.fixes) fixes.push_back({error.code, *span, std::move(fix)});
    }
  }
  document.fixes = std::move(fixes);
  if (!document.fixes->empty()) publishDiagnostics(state, document);
  return true;
}

std::vector<const SuggestedFix*> fixesOf(const Document& document, const Diagnostic& diagnostic) {
  std::vector<const SuggestedFix*> found;
  const Span* span = std::get_if<Span>(&diagnostic.primary.place);
  auto placed = span && document.fixes ? document.check().placed(*span) : std::nullopt;
  if (!placed) return found;
  for (const SuggestedFix& suggested : *document.fixes)
    if (suggested.code == diagnostic.code && suggested.error.begin == placed->begin &&
        suggested.error.end == placed->end)
      found.push_back(&suggested);
  return found;
}

void addFixActions(State& state, Document& document, std::uint32_t from, std::uint32_t to, Json& actions) {
  findFixes(state, document, {});
  for (const Diagnostic& diagnostic : document.check().diagnostics()) {
    const std::vector<const SuggestedFix*> fixes = fixesOf(document, diagnostic);
    for (const SuggestedFix* suggested : fixes) {
      if (suggested->error.begin > to || suggested->error.end < from) continue;
      Json edits = Json::array();
      for (const Edit& edit : suggested->fix.edits)
        edits.push_back(
            {{"range", rangeJson(state, document.text, edit.span.begin, edit.span.end)}, {"newText", edit.text}});
      actions.push_back({{"title", suggested->fix.title},
                         {"kind", "quickfix"},
                         {"diagnostics", Json::array({diagnosticJson(state, document, diagnostic)})},
                         {"isPreferred", fixes.size() == 1},
                         {"edit", {{"changes", {{document.uri, edits}}}}}});
    }
  }
}

}  // namespace axle::lsp
