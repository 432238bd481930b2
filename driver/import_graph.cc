#include "driver/import_graph.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/graph_hints.h"
#include "driver/run/exit_codes.h"
#include "import/tensorflow/analysis/narrowed_sizes.h"
#include "import/tensorflow/problems.h"

namespace axle::driver {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> unknownOperators(const tensorflow::Analysis& analysis) {
  std::vector<std::string> notes;
  for (const auto& [op, count] : analysis.unknownOperators)
    notes.push_back(fmt::format("`{}` ({} node{}) has no rule: shapes of what it gives are unknown", op, count,
                                count == 1 ? "" : "s"));
  return notes;
}

std::string guardText(const Guard& guard, const SourceMap& sources) {
  std::string out = "checked in the run: " + guard.text + "\n";
  for (const Label& label : guard.sources)
    if (const Span* span = std::get_if<Span>(&label.place))
      out += fmt::format("  at \"{}\": {}\n", sources.node(span->source, span->begin), label.text);
  return out;
}

Json guardJson(const Guard& guard, const ImportedGraph& imported) {
  Json places = Json::array();
  for (const Label& label : guard.sources) places.push_back(Json::parse(renderJson(label, imported.graph.sources)));
  Json json{{"text", guard.text}};
  if (!imported.signature.empty()) json["entry"] = imported.signature;
  json["sources"] = std::move(places);
  return json;
}

Json namesJson(const EmittedFiles::Names& names) {
  Json json = Json::object();
  for (const auto& [tensor, name] : names) json[tensor] = name;
  return json;
}

}  // namespace

tl::expected<std::vector<tensorflow::Hint>, std::string> readHints(const std::vector<std::string>& words) {
  std::vector<tensorflow::Hint> hints;
  for (const std::string& word : words) {
    const std::string option = "--hint " + word;
    const std::size_t equals = word.find('=');
    auto hint =
        tensorflow::parseHint(option, word.substr(0, equals), equals == word.npos ? "" : word.substr(equals + 1));
    if (!hint) return tl::unexpected("`" + option + "`: " + hint.error());
    hints.push_back(std::move(*hint));
  }
  return hints;
}

std::vector<std::string> openSignatures(const std::string& path, const tensorflow::Choice& choice,
                                        const ReadGraph& graph, bool hasHints) {
  if (graph.model || !choice.inputs.empty() || !choice.outputs.empty() || hasHints) return {};
  return tensorflow::openSignatures(path, choice);
}

void analyseGraph(ImportedGraph& imported, std::vector<tensorflow::Hint> hints, bool isEmitted, Narrowing narrowing) {
  ReadGraph& graph = imported.graph;
  if (!graph.model) return;
  if (isEmitted)
    for (tensorflow::Hint& hint : hintsForSound(*graph.model)) hints.push_back(std::move(hint));
  tensorflow::analyse(imported.analysis, *graph.model, graph.sources, graph.diagnostics, hints);
  tensorflow::reportNarrowedSizes(*imported.analysis, narrowing);
  for (const Diagnostic& d : graph.diagnostics)
    if (d.code == &codes::noSuchTensor) graph.exitCode = exitUsage;
  if (graph.exitCode == exitDone && hasErrors(graph.diagnostics)) graph.exitCode = exitErrors;
}

std::string factsText(ImportedGraph& imported, bool withFunctions) {
  std::string text;
  for (const auto& line : tensorflow::factLines(*imported.analysis, withFunctions))
    text += line.node + ":" + std::to_string(line.port) + "  " + line.elem + "  " + line.shape +
            (line.value.empty() ? "" : "  = " + line.value) + "\n";
  return text;
}

std::string guardsText(const ImportedGraph& imported) {
  if (!imported.analysis || hasErrors(imported.graph.diagnostics)) return {};  // guards found after an error mislead
  std::string text;
  for (const auto& guard : imported.analysis->guards) text += guardText(guard, imported.graph.sources);
  for (const std::string& note : unknownOperators(*imported.analysis)) text += "note: " + note + "\n";
  return text;
}

ImportReport::ImportReport()
    : json_(std::make_unique<Json>(Json{{"facts", Json::array()},
                                        {"guards", Json::array()},
                                        {"diagnostics", Json::array()},
                                        {"notes", Json::array()}})) {}

ImportReport::~ImportReport() = default;

Diagnostics ImportReport::takeNew(const ReadGraph& graph) {
  Diagnostics found;
  for (const Diagnostic& d : graph.diagnostics)
    if (given_.insert(renderJson(d, graph.sources)).second) found.push_back(d);
  return found;
}

void ImportReport::addDiagnostic(const Diagnostic& diagnostic, const SourceMap& sources) {
  (*json_)["diagnostics"].push_back(Json::parse(renderJson(diagnostic, sources)));
}

void ImportReport::addFailure(const run::Failure& failure, const std::string& path) {
  (*json_)["diagnostics"].push_back(Json::parse(run::diagnosticJson(failure, path)));
}

void ImportReport::add(ImportedGraph& imported, bool withFunctions) {
  Json& json = *json_;
  for (const Diagnostic& d : takeNew(imported.graph)) addDiagnostic(d, imported.graph.sources);
  if (!imported.analysis) return;
  for (const auto& line : tensorflow::factLines(*imported.analysis, withFunctions)) {
    Json fact{{"node", line.node}, {"port", line.port}, {"elem", line.elem}, {"shape", line.shape}};
    if (!imported.signature.empty()) fact["signature"] = imported.signature;
    if (!line.value.empty()) fact["value"] = line.value;
    json["facts"].push_back(std::move(fact));
  }
  for (const auto& guard : imported.analysis->guards) json["guards"].push_back(guardJson(guard, imported));
  for (const std::string& note : unknownOperators(*imported.analysis)) json["notes"].push_back(note);
}

void ImportReport::addEmitted(const EmittedFiles& files) {
  Json emitted{{"file", files.file}};
  if (!files.weights.empty()) emitted["weights"] = files.weights;
  emitted["inputs"] = namesJson(files.inputs);
  emitted["outputs"] = namesJson(files.outputs);
  (*json_)["emitted"] = std::move(emitted);
}

std::string ImportReport::json() const { return json_->dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace axle::driver
