// Publishes diagnostics in the form of the protocol.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"

namespace axle::lsp {

namespace {

int severityOf(Severity severity) { return severity == Severity::error ? 1 : severity == Severity::warning ? 2 : 3; }

}  // namespace

Json diagnosticJson(State& state, Document& document, const Diagnostic& diagnostic) {
  std::string message = diagnostic.message;
  if (!diagnostic.primary.text.empty()) message += "\n" + diagnostic.primary.text;
  for (const std::string& note : diagnostic.notes) message += "\nnote: " + note;
  for (const std::string& help : diagnostic.help) message += "\nhelp: " + help;
  Json related = Json::array();
  const std::vector<const SuggestedFix*> fixes = fixesOf(document, diagnostic);
  for (const SuggestedFix* suggested : fixes)
    if (std::find(diagnostic.help.begin(), diagnostic.help.end(), suggested->fix.title) == diagnostic.help.end())
      message += "\nhelp: " + suggested->fix.title;
  auto relate = [&](const Label& label, const std::string& otherwise) {
    const Span* span = std::get_if<Span>(&label.place);
    auto place = span ? location(state, document, *span) : std::nullopt;
    if (place) related.push_back({{"location", *place}, {"message", label.text.empty() ? otherwise : label.text}});
  };
  Json range = rangeJson(state, document.text, 0, 0);
  const Span* primary = std::get_if<Span>(&diagnostic.primary.place);
  if (auto placed = primary ? document.check().placed(*primary) : std::nullopt) {
    range = rangeJson(state, document.text, placed->begin, placed->end);
  } else if (primary) {  // in another module: reported at its import
    relate(diagnostic.primary, "here");
    for (std::size_t i = 0; i < document.check().pieces().size(); ++i)
      for (const ast::Item& item : document.check().pieces()[i].piece->module.items)
        if (const auto* import = std::get_if<ast::Import>(&item)) {
          auto known = document.check().imports().find(import->name.text);
          if (known == document.check().imports().end()) continue;
          if (!(document.check().modules().modules[known->second].source == primary->source)) continue;
          Span span = document.inText(i, import->name.span);
          range = rangeJson(state, document.text, span.begin, span.end);
          message = "in module `" + import->name.text + "`: " + message;
        }
  }
  for (const Label& label : diagnostic.secondary) relate(label, "see here");
  for (const SuggestedFix* suggested : fixes) {
    const Edit& first = suggested->fix.edits.front();
    related.push_back(
        {{"location",
          {{"uri", document.uri}, {"range", rangeJson(state, document.text, first.span.begin, first.span.end)}}},
         {"message", "help: " + suggested->fix.title}});
  }
  return {{"range", range},
          {"severity", severityOf(diagnostic.code->severity)},
          {"code", std::string(diagnostic.code->code)},
          {"source", "axle"},
          {"message", message},
          {"relatedInformation", related}};
}

void publishDiagnostics(State& state, Document& document) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : document.check().diagnostics())
    diagnostics.push_back(diagnosticJson(state, document, diagnostic));
  send(state,
       {{"method", "textDocument/publishDiagnostics"},
        {"params", {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(diagnostics)}}}});
}

}  // namespace axle::lsp
