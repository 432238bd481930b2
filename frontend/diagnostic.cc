#include "frontend/diagnostic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace axle {

bool hasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.code->severity == Severity::error; });
}

bool hasSyntaxErrors(const Diagnostics& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.code->code.starts_with("E01"); });
}

void addNoteToLastError(Diagnostics& diagnostics, Phrase note) {
  auto last = std::find_if(diagnostics.rbegin(), diagnostics.rend(),
                           [](const Diagnostic& d) { return d.code->severity == Severity::error; });
  if (last != diagnostics.rend()) last->addNote(std::move(note));
}

namespace {

using Json = nlohmann::ordered_json;

Json placeJson(const Label& label, const SourceMap& sources) {
  if (const ArtifactPlace* place = std::get_if<ArtifactPlace>(&label.place)) {
    Json json{{"file", place->file}};
    if (!place->node.empty()) json["node"] = place->node;
    json["label"] = label.text;
    return json;
  }
  const Span& span = std::get<Span>(label.place);
  if (sources.isListing(span.source))
    return {
        {"file", sources.path(span.source)}, {"node", sources.node(span.source, span.begin)}, {"label", label.text}};
  Position begin = sources.position(span.source, span.begin);
  Position end = sources.position(span.source, std::max(span.begin, span.end));
  return Json{
      {"file", sources.path(span.source)}, {"line", begin.line}, {"column", begin.column}, {"end_line", end.line},
      {"end_column", end.column},          {"label", label.text}};
}

}  // namespace

std::string renderJson(const Label& label, const SourceMap& sources) {
  return placeJson(label, sources).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string renderJson(const Diagnostic& diagnostic, const SourceMap& sources) {
  static constexpr std::string_view severities[] = {"error", "warning", "note"};
  Json secondary = Json::array();
  for (const Label& label : diagnostic.secondary) secondary.push_back(placeJson(label, sources));
  Json whole{{"code", diagnostic.code->code},
             {"severity", severities[static_cast<std::size_t>(diagnostic.code->severity)]},
             {"message", diagnostic.message},
             {"primary", placeJson(diagnostic.primary, sources)},
             {"secondary", std::move(secondary)},
             {"notes", diagnostic.notes},
             {"help", diagnostic.help}};
  return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace axle
