// The pipeline from a source file or a graph to a bundle. Commands, the session, and tests run as many of its stages as
// they need.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/bundle.h"
#include "driver/graph.h"
#include "driver/traced_outputs.h"
#include "driver/weights.h"
#include "ir/graph.h"
#include "ir/lower/lower.h"
#include "ir/stream/network.h"
#include "typecheck/check.h"

namespace axle::driver {

struct CompileOptions {
  std::string path;     // a source file, or a graph if `graph` is set
  std::string weights;  // as Weights::open takes it; empty: none given
  std::string entry;    // empty: `main`
  LoadOptions load;
  std::vector<std::string> sets;                  // values of sizes and shapes: n=4, s=[2,3]
  std::map<std::string, std::size_t> inputRanks;  // of inputs whose rank is known
  bool mayStayOpen = false;                       // an entry of open rank is not an error: `openEntry` returns it
  std::span<const CoreOp> operators = coreOps();
  bool keepProofs = false;       // of facts that hold, for functionFacts
  bool offersFixes = true;       // errors come with fixes that were tried
  bool streamsAreSizes = false;  // CheckOptions::streamsAreSizes
  Narrowing narrowing = Narrowing::warned;
  ir::LowerLimits limits;
  bool trace = false;                      // every computed value becomes an output
  int optimise = 1;                        // 0: only removes unused operators
  bool runsPasses = true;                  // false: the graph stays as lowered
  bool strip = false;                      // bundles have no names, places or texts of guards
  bool withStream = false;                 // a bundle of an entry with streamed inputs also contains its stream
  unsigned threads = 1;                    // the most threads of a bundle's runs, unless set otherwise
  std::uint64_t chunk = 0;                 // BundleOptions::chunk
  std::string lastPass;                    // empty: all passes run
  std::string onlyPass;                    // not empty: only this pass runs
  std::optional<std::size_t> mostPatches;  // none: no limit on patches
  std::optional<GraphRequest> graph;       // set if `path` is a TensorFlow graph
};

// The stages, in order.
enum class Stage : std::uint8_t {
  none,
  check,     // parse, resolve names, infer types; or read and analyse a graph
  prepare,   // make the entry monomorphic
  lower,     // inline the entry into a graph
  optimise,  // run the passes
};

// A program that was checked elsewhere. The referenced objects must outlive its compilation.
struct CheckedProgram {
  Checked& checked;
  const SourceMap& sources;
  WeightBytes weights;  // may be empty for programs without parameters
};

class Compilation {
 public:
  explicit Compilation(CompileOptions options);
  Compilation(CompileOptions options, CheckedProgram given);
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Runs the stages up to `last` that have not run yet. Returns false, now and from then on, if one fails:
  // `diagnostics`, `usageError` or `bug` explain why.
  bool reach(Stage last);
  Stage reached() const { return reached_; }
  // Runs all stages and returns this program's part of a bundle. Its model stays here.
  std::optional<Variant> variant();
  // Runs all stages.
  std::optional<Bundle> bundle();
  // Returns a bundle of several variants of the same program, each compiled separately with other ranks.
  std::optional<Bundle> bundle(std::span<const Variant> variants, const OpenEntry& entry);

  // ---- results of stages
  bool hasChecked() const { return checked_ != nullptr; }  // also if the program has errors
  Checked& checked() { return *checked_; }
  const Checked& checked() const { return *checked_; }
  const Modules& modules() const { return modules_; }                             // of a source
  const tensorflow::Model& graph() const;                                         // of a graph
  const std::vector<std::string>& equatedSizes() const { return equatedSizes_; }  // of a graph: `m is n`
  const Entry* entry() const { return entry_ ? &*entry_ : nullptr; }
  const std::optional<OpenEntry>& openEntry() const { return openEntry_; }
  ir::Model& model() { return *model_; }
  const ir::Model& model() const { return *model_; }
  bool hasModel() const { return model_.has_value(); }
  // Return the number of patches that the passes applied, and a description of the last one.
  std::size_t patches() const { return patches_; }
  const std::string& lastPatch() const { return lastPatch_; }
  // Returns, after `optimise`, how the model works on its streamed inputs; none if it has none.
  std::optional<ir::StreamAnalysis> analyseStream();
  // Returns the traced outputs of a model that was compiled with `trace`.
  const TracedOutputs& traced() const { return *traced_; }

  // Prepares the entry without diagnostics; none if the program has no such entry or leaves its rank open.
  std::optional<Entry> entryIfAny();
  // Removes from the options, and returns, the `sets` that the entry's inputs determine: a run sets these.
  std::vector<std::string> takeInputSizes();

  // ---- errors
  const SourceMap& sources() const { return given_ ? given_->sources : sources_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  void addNote(Diagnostic note) { diagnostics_.push_back(std::move(note)); }
  const std::string& usageError() const { return usageError_; }  // of the command line; empty: none
  const std::string& bug() const { return bug_; }                // of the compiler; empty: none
  int exitCode() const;
  // Diagnostics as JSON objects (frontend/diagnostic.h).
  std::vector<std::string> diagnosticsJson() const;

 private:
  bool run(Stage stage);
  bool checkSource();
  bool checkGraph();
  bool prepare();
  bool lower();
  bool optimise();
  bool openWeights();
  tl::expected<EntryOptions, std::string> entryOptions() const;
  WeightBytes weightBytes();
  std::vector<DimVar> streamedSizes();
  std::vector<DimComparison> sizeFacts() const;
  bool prepareStream();
  bool buildNetwork();
  Recipes recipesOf(const Entry& entry);
  bool isOverModelSizes(const DimFact& guard);

  struct AnalysedGraph;

  CompileOptions options_;
  std::optional<CheckedProgram> given_;
  Stage reached_ = Stage::none;
  bool hasFailed_ = false;

  SourceMap sources_;
  Modules modules_;
  std::optional<Weights> weights_;
  CheckedPtr checkedSource_;
  std::unique_ptr<AnalysedGraph> graph_;
  std::vector<std::string> equatedSizes_;
  Checked* checked_ = nullptr;  // of the source, of the graph, or given
  std::optional<Entry> entry_;
  std::optional<OpenEntry> openEntry_;
  std::optional<ir::StreamNetwork> network_;  // of a bundle
  std::optional<ir::Model> model_;
  std::set<std::uint32_t> positiveWeights_;
  std::optional<TracedOutputs> traced_;
  std::size_t patches_ = 0;
  std::string lastPatch_;

  Diagnostics diagnostics_;
  std::string usageError_;
  std::string bug_;
};

// Whether a path names a bundle: by the file's first bytes, or by its name if there is no file.
bool isBundle(const std::string& path);

// Returns the rank of each input whose `NAME=FILE` word names a file of one tensor. Leaves out files that cannot be
// read: the run reports these.
std::map<std::string, std::size_t> inputRanks(const std::vector<std::string>& inputs);

}  // namespace axle::driver
