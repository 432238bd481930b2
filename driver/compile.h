// From a source file to a bundle, as far as a command wants it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/bundle.h"
#include "ir/graph.h"
#include "import/tensorflow/analysis/analysis.h"
#include "ir/lower/lower.h"
#include "ir/trace.h"
#include "tools/axc/import.h"
#include "driver/weights.h"
#include "typecheck/check.h"

namespace CLI {
class App;
}

namespace axle::axc {

inline constexpr int exitDone = 0;
inline constexpr int exitErrors = 1;
inline constexpr int exitUsage = 2;
inline constexpr int exitBug = 70;

struct SourceOptions {
  std::string path;
  std::string weights;  // empty: none given
  std::string entry;    // empty: `main`
  std::vector<std::string> includes;
  std::vector<std::string> sets;                  // n=4, s=[2,3]
  std::map<std::string, std::size_t> inputRanks;  // of inputs that are known
  int optimise = 1;                               // 0: no folding
  bool keepProofs = false;                        // of facts that hold, for a list of them
  std::optional<GraphRequest> graph;              // `path` is a TensorFlow graph
  bool trace = false;                             // what is computed on the way is an output too
};

// By the file's first bytes, or by its name where it is not there.
bool isBundle(const std::string& path);

// MODEL, which help calls `model`, --weights, --entry and -I.
void addSourceOptions(CLI::App& app, SourceOptions& options, const std::string& model);
// -O0, -O1, -O2. `options` must live as long as `app`.
void addLevelOptions(CLI::App& app, SourceOptions& options);

// A program that was checked elsewhere; what it refers to must outlive its compilation.
struct CheckedProgram {
  Checked& checked;
  const SourceMap& sources;
  WeightBytes weights;
};

class Compilation {
 public:
  explicit Compilation(SourceOptions options) : options_(std::move(options)) {}
  Compilation(SourceOptions options, CheckedProgram given) : options_(std::move(options)), given_(std::move(given)) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Each step wants the one before it; false, with diagnostics, when there is nothing to go on with.
  bool check();
  // The entry. One whose rank is open is no error where `open` is given: it says so.
  bool prepare(std::optional<OpenEntry>* open = nullptr);
  bool lower();  // to a graph, without passes
  bool optimise(std::string_view lastPass = {});
  std::optional<Variant> variant();  // what a bundle holds of it; the model stays here
  std::optional<Bundle> bundle();
  // Of variants, each compiled by itself from the same sources; this one has been told what they are variants of.
  std::optional<Bundle> bundle(std::span<const Variant> variants, const OpenEntry& entry);

  bool hasChecked() const { return checked_ != nullptr; }
  Checked& checked() { return *checked_; }
  const tensorflow::Model& graph() const { return *graph_; }  // where `path` is one
  const Entry* entry() const { return entry_ ? &*entry_ : nullptr; }
  const ir::Model& model() const { return *model_; }
  // Of a traced model, after `lower`: the outputs of the entry itself, which are the first; and of all what they are
  // computed from.
  std::size_t ownOutputs() const { return ownOutputs_; }
  const ir::Trace& trace() const { return trace_; }
  const SourceMap& sources() const { return given_ ? given_->sources : sources_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const std::string& usageError() const { return usage_; }  // a command line that cannot be: nothing else matters

  // Without its own diagnostics where the program has no such entry or leaves it open: for commands that only ask.
  std::optional<Entry> entryIfAny();

  // Takes those `--set`s out of the options whose sizes the entry's inputs tell: a run puts them, not the compiler.
  std::vector<std::string> takeInputSizes();

  bool isBug() const { return !bug_.empty(); }
  // What to exit with after a step failed.
  int exitCode() const;
  // Diagnostics as text on stderr.
  void report() const;
  // The same as the objects of CLI.md, in text.
  std::vector<std::string> diagnosticsJson() const;

 private:
  bool checkSource();
  bool checkGraph();
  std::optional<EntryOptions> entryOptions();
  bool openWeights();
  WeightBytes weightBytes();
  Recipes recipesOf(const Entry& entry);
  bool isOfModel(const DimFact& guard);
  void showTraced(const std::vector<ir::Traced>& traced);  // trace.cc

  SourceOptions options_;
  std::optional<CheckedProgram> given_;
  SourceMap sources_;
  Modules modules_;
  std::optional<Weights> weights_;
  CheckedPtr owned_;
  std::optional<tensorflow::Model> graph_;
  std::optional<tensorflow::Analysis> analysis_;
  std::vector<std::string> equal_;  // sizes of a graph's inputs: `m is n`
  Checked* checked_ = nullptr;  // of the source or the graph
  std::optional<Entry> entry_;
  std::optional<ir::Model> model_;
  std::size_t ownOutputs_ = 0;
  std::vector<std::string> tracedTypes_;
  ir::Trace trace_;
  Diagnostics diagnostics_;
  std::string usage_;
  std::string bug_;
};

// As far as the entry's bundle; else nothing, with everything reported. `inputSizes` gets the `--set`s that are a run's
// affair. An entry whose ranks are open is for the caller, who asks to be told.
std::optional<Bundle> compile(Compilation& compilation, std::vector<std::string>* inputSizes = nullptr,
                              std::optional<OpenEntry>* open = nullptr);

// The rank of each input that is given as a file: it decides a rank-polymorphic entry. What is wrong with a file is
// said later.
std::map<std::string, std::size_t> ranksOf(const std::vector<std::string>& inputs);

}  // namespace axle::axc
