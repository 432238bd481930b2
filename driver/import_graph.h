// Graphs as `axc import` shows them: facts of outlets, guards, unknown operators, diagnostics; as text and as JSON.
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

// A graph in one of its signatures.
struct ImportedGraph {
  ReadGraph graph;
  std::optional<tensorflow::Analysis> analysis;  // none where the graph cannot be read
  std::string signature;                         // empty where only one is looked at
};

// Words of `--hint` (NAME=FACT). Else what is wrong with one of them.
tl::expected<std::vector<tensorflow::Hint>, std::string> readHints(const std::vector<std::string>& words);

// The signatures to look at one after the other: all, where `choice` and hints leave it open which one is meant. Empty
// where there is nothing to choose.
std::vector<std::string> openSignatures(const std::string& path, const tensorflow::Choice& choice,
                                        const ReadGraph& graph, bool hasHints);

// Finds the facts of a graph that was read; one that is to be emitted as source gets the samples of its sounds.
// `narrowing` is for sizes that `--input` names.
void analyseGraph(ImportedGraph& imported, std::vector<tensorflow::Hint> hints, bool isEmitted, Narrowing narrowing);

// A line for each outlet of the main graph; `withFunctions` also for those in functions.
std::string factsText(ImportedGraph& imported, bool withFunctions);
// Guards with their places, then unknown operators; empty where the graph has errors.
std::string guardsText(const ImportedGraph& imported);

// Collects the JSON object of `--format=json`. Several signatures may have the same diagnostics: each is given once.
class ImportReport {
 public:
  ImportReport();
  ~ImportReport();

  // The diagnostics of a graph that were not given before.
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
