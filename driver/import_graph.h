// Reports of `axc import`: facts of outlets, guards, unknown operators, diagnostics; as text and as JSON.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "driver/emit_source.h"
#include "driver/graph.h"
#include "driver/run/failure.h"
#include "import/tensorflow/analysis/analysis.h"

namespace axle::driver {

// A graph with one of its signatures.
struct ImportedGraph {
  ReadGraph graph;
  std::optional<tensorflow::Analysis> analysis;  // none if the graph cannot be read
  std::string signature;                         // empty if only one is analysed
};

// Parses words of `--hint` (NAME=FACT). The error says what is wrong with one of them.
tl::expected<std::vector<tensorflow::Hint>, std::string> readHints(const std::vector<std::string>& words);

// Returns the signatures to analyse one after another: all of them, if `choice` and hints do not determine one. Empty
// if there is nothing to choose.
std::vector<std::string> openSignatures(const std::string& path, const tensorflow::Choice& choice,
                                        const ReadGraph& graph, bool hasHints);

// Finds the facts of a graph. With `isEmitted`, which means that it will be written as source, its sounds become
// samples. `narrowing` applies to sizes that `--input` names.
void analyseGraph(ImportedGraph& imported, std::vector<tensorflow::Hint> hints, bool isEmitted, Narrowing narrowing);

// Returns a line for each outlet of the main graph, and with `withFunctions` also for those in functions.
std::string factsText(ImportedGraph& imported, bool withFunctions);
// Returns guards with their places, then unknown operators; empty if the graph has errors.
std::string guardsText(const ImportedGraph& imported);

// Collects the JSON object of `--format=json`. Several signatures may have the same diagnostics: each is reported once.
class ImportReport {
 public:
  ImportReport();
  ~ImportReport();

  // Returns the diagnostics of a graph that were not returned before.
  Diagnostics takeNew(const ReadGraph& graph);
  void add(ImportedGraph& imported, bool withFunctions);
  void addDiagnostic(const Diagnostic& diagnostic, const SourceMap& sources);
  void addFailure(const run::Failure& failure, const std::string& path);
  void addEmitted(const EmittedFiles& files);
  std::string json() const;

 private:
  std::unique_ptr<nlohmann::ordered_json> json_;
  std::set<std::string> given_;
};

}  // namespace axle::driver
