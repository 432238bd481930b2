// Publishes diagnostics in the form of the protocol.
#include <nlohmann/json.hpp>

#include "tools/lsp/handlers.h"
#include "tools/lsp/places.h"
#include "tools/lsp/unused.h"

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
  for (const Fix& fix : diagnostic.fixes) {
    if (!document.explained) break;  // not tried yet
    const Edit& first = fix.edits.front();
    related.push_back(
        {{"location",
          {{"uri", document.uri}, {"range", rangeJson(state, document.text, first.span.begin, first.span.end)}}},
         {"message", "help: " + fix.title}});
  }
  return {{"range", range},
          {"severity", severityOf(diagnostic.code->severity)},
          {"code", std::string(diagnostic.code->code)},
          {"source", "axle"},
          {"message", message},
          {"relatedInformation", related}};
}

Json diagnosticsJson(State& state, Document& document) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : document.diagnostics())
    diagnostics.push_back(diagnosticJson(state, document, diagnostic));
  constexpr int hint = 4, unnecessary = 1;  // a severity and a tag of the protocol: editors dim the name
  for (const UnusedName& unused : unusedNames(document))
    diagnostics.push_back({{"range", rangeJson(state, document.text, unused.span.begin, unused.span.end)},
                           {"severity", hint},
                           {"source", "axle"},
                           {"message", "`" + unused.name + "` is not used"},
                           {"tags", {unnecessary}}});
  return diagnostics;
}

void publishDiagnostics(State& state, Document& document) {
  send(state,
       {{"method", "textDocument/publishDiagnostics"},
        {"params",
         {{"uri", document.uri}, {"version", document.version}, {"diagnostics", diagnosticsJson(state, document)}}}});
}

}  // namespace axle::lsp
