// Mends of errors, which are tried on the whole text: looked for where they are asked for, and while nobody types.
#include <algorithm>

#include "tools/lsp/server.h"
#include "typecheck/report/fixes.h"

namespace axle::lsp {

// False where `goOn` said no before all were tried.
bool Server::findMends(Document& document, const std::function<bool()>& goOn) {
  if (document.mends) return true;
  std::vector<Mend> mends;
  const Diagnostics known = document.check().diagnostics();
  if (!known.empty() && document.text.bytes().size() <= longestMended) {
    SourceMap sources;
    Diagnostics found;
    const Modules modules = loadModules(sources, document.path, loadOptions(), found);
    const CheckOptions options;
    if (!modules.modules.empty()) {
      CheckedPtr checked = axle::check(modules, sources, options, found);
      if (!offerFixes(*checked, options, found, goOn)) return false;
    }
    for (Diagnostic& error : found) {
      const Span* span = std::get_if<Span>(&error.primary.place);
      if (!span || !(span->source == modules.root().source)) continue;
      for (Fix& fix : error.fixes) mends.push_back({error.code, *span, std::move(fix)});
    }
  }
  document.mends = std::move(mends);
  if (!document.mends->empty()) publish(document);
  return true;
}

// Of the errors of one open text, until there is something to read.
void Server::findMends() {
  for (auto& [uri, document] : documents_)
    if (!findMends(*document, [&] { return !transport_.isReady(); })) return;
}

std::vector<const Mend*> Server::mendsOf(const Document& document, const Diagnostic& diagnostic) const {
  std::vector<const Mend*> found;
  const Span* span = std::get_if<Span>(&diagnostic.primary.place);
  auto placed = span && document.mends ? document.check().placed(*span) : std::nullopt;
  if (!placed) return found;
  for (const Mend& mend : *document.mends)
    if (mend.code == diagnostic.code && mend.error.begin == placed->begin && mend.error.end == placed->end)
      found.push_back(&mend);
  return found;
}

// Those of errors between two places.
void Server::offerMends(Document& document, std::uint32_t from, std::uint32_t to, Json& actions) {
  findMends(document, {});
  for (const Diagnostic& diagnostic : document.check().diagnostics()) {
    const std::vector<const Mend*> mends = mendsOf(document, diagnostic);
    for (const Mend* mend : mends) {
      if (mend->error.begin > to || mend->error.end < from) continue;
      Json edits = Json::array();
      for (const Edit& edit : mend->fix.edits)
        edits.push_back({{"range", rangeJson(document.text, edit.span.begin, edit.span.end)}, {"newText", edit.text}});
      actions.push_back({{"title", mend->fix.title},
                         {"kind", "quickfix"},
                         {"diagnostics", Json::array({diagnosticJson(document, diagnostic)})},
                         {"isPreferred", mends.size() == 1},
                         {"edit", {{"changes", {{document.uri, edits}}}}}});
    }
  }
}

}  // namespace axle::lsp
