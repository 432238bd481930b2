#include "driver/compile.h"

#include <unistd.h>

#include <algorithm>

#include "backend/evaluate.h"
#include "driver/check_program.h"
#include "driver/entry_options.h"
#include "driver/graph_hints.h"
#include "driver/positive_weights.h"
#include "driver/run/failure.h"
#include "driver/stream_report.h"
#include "import/emit/emit.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/narrowed_sizes.h"
#include "import/tensorflow/reader/port_zero.h"
#include "io/mapped_file.h"
#include "io/npz.h"
#include "ir/passes/pass.h"
#include "ir/stream/prepare.h"
#include "typecheck/entry/entry_codes.h"

namespace axle::codes {

const DiagnosticCode weightsFile{"E0601", Severity::error, "a weights file that cannot be read"};

}  // namespace axle::codes

namespace axle::driver {

namespace {

constexpr Message<arg::Cause> weightsNotRead{codes::weightsFile, "the weights cannot be read: {}"};

std::vector<std::string> textsOf(const std::vector<EntryPort>& ports) {
  std::vector<std::string> texts;
  for (const EntryPort& port : ports) texts.push_back(port.text);
  return texts;
}

// Returns the types of all ports. `printed` are those of the entry's ports; row splits are described by their tensor.
std::vector<std::string> portTypes(const std::vector<std::string>& printed, const std::vector<std::string>& names,
                                   const std::vector<ir::Splits>& splits) {
  std::vector<std::string> types;
  std::size_t next = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto of = std::find_if(splits.begin(), splits.end(), [&](const ir::Splits& s) { return s.port == i; });
    types.push_back(of == splits.end() ? printed[next++] : "i64, the row splits of " + names[of->of]);
  }
  return types;
}

}  // namespace

struct Compilation::AnalysedGraph {
  tensorflow::Model model;
  std::optional<tensorflow::Analysis> analysis;
};

Compilation::Compilation(CompileOptions options) : options_(std::move(options)) {}

Compilation::Compilation(CompileOptions options, CheckedProgram given)
    : options_(std::move(options)), given_(std::move(given)) {}

Compilation::~Compilation() = default;

const tensorflow::Model& Compilation::graph() const { return graph_->model; }

bool Compilation::reach(Stage last) {
  while (!hasFailed_ && reached_ < last) {
    const auto next = static_cast<Stage>(static_cast<int>(reached_) + 1);
    if (run(next))
      reached_ = next;
    else
      hasFailed_ = true;
  }
  return !hasFailed_;
}

bool Compilation::run(Stage stage) {
  switch (stage) {
    case Stage::none:
      return true;
    case Stage::check:
      if (given_) checked_ = &given_->checked;
      return given_ || (options_.graph ? checkGraph() : checkSource());
    case Stage::prepare:
      return prepare();
    case Stage::lower:
      return lower();
    case Stage::optimise:
      return optimise();
  }
  return false;
}

// ---- check

bool Compilation::openWeights() {
  if (options_.weights.empty()) return true;
  auto weights = Weights::open(options_.weights);
  if (weights) {
    weights_ = std::move(*weights);
    return true;
  }
  if (::access(options_.weights.c_str(), F_OK) != 0) {
    usageError_ = "there is no weights file " + options_.weights;
    return false;
  }
  axle::report(diagnostics_, weightsNotRead, ArtifactPlace{weights.error().path, weights.error().tensor},
               arg::Cause{weights.error().what});
  return false;
}

bool Compilation::checkGraph() {
  auto model = tensorflow::readModel(options_.path, options_.graph->choice, sources_, diagnostics_);
  if (!model) return false;
  graph_ = std::make_unique<AnalysedGraph>();
  graph_->model = std::move(*model);
  tensorflow::analyse(graph_->analysis, graph_->model, sources_, diagnostics_,
                      hintsFromFiles(graph_->model, *options_.graph));
  tensorflow::reportNarrowedSizes(*graph_->analysis, options_.narrowing);
  checked_ = &graph_->analysis->checked();
  if (hasErrors(diagnostics_) || !tensorflow::defineMain(*graph_->analysis)) return false;
  equatedSizes_ = emit::equateOpenSizes(*checked_, true);
  return true;
}

bool Compilation::checkSource() {
  if (!openWeights()) return false;
  CheckOptions options;
  if (weights_) options.weights = weights_->source();
  options.operators = options_.operators;
  options.keepProofs = options_.keepProofs;
  if (!options_.entry.empty()) options.entry = options_.entry;
  options.narrowing = options_.narrowing;
  options.streamsAreSizes = options_.streamsAreSizes;
  checkedSource_ =
      checkFile(options_.path, options_.load, options, options_.offersFixes, sources_, modules_, diagnostics_);
  checked_ = checkedSource_.get();
  return checked_ && !hasErrors(diagnostics_);
}

// ---- prepare

bool Compilation::prepare() {
  auto options = entryOptions();
  if (!options) {
    usageError_ = options.error();
    return false;
  }
  entry_ = prepareEntry(*checked_, *options, diagnostics_, options_.mayStayOpen ? &openEntry_ : nullptr);
  if (entry_ && graph_)  // whose outputs have names
    for (std::size_t i = 0; i < entry_->outputs.size(); ++i) entry_->outputs[i].name = graph_->model.outputs[i].name;
  return entry_ && !hasErrors(diagnostics_);
}

tl::expected<EntryOptions, std::string> Compilation::entryOptions() const {
  auto entry = readEntryOptions(options_.sets);
  if (entry && !options_.entry.empty()) entry->name = options_.entry;
  if (entry) entry->inputRanks = options_.inputRanks;
  return entry;
}

std::optional<Entry> Compilation::entryIfAny() {
  auto options = entryOptions();
  Diagnostics ignored;
  if (!options || !checked_) return std::nullopt;
  return prepareEntry(*checked_, *options, ignored);
}

std::vector<std::string> Compilation::takeInputSizes() {
  std::vector<std::string> all = options_.sets, sizes;
  std::erase_if(options_.sets, [](const std::string& set) { return set.find("=[") == std::string::npos; });
  std::optional<Entry> entry = entryIfAny();
  std::vector<std::string> names;
  if (entry)
    for (const SymbolRecipe& recipe : recipesOf(*entry).bound)
      names.push_back(solution(*checked_).dims.name(recipe.symbol));
  options_.sets.clear();
  for (const std::string& set : all) {
    bool ofInput = std::find(names.begin(), names.end(), set.substr(0, set.find('='))) != names.end();
    (ofInput ? sizes : options_.sets).push_back(set);
  }
  return sizes;
}

Recipes Compilation::recipesOf(const Entry& entry) {
  std::vector<std::vector<Dim>> shapes;
  for (InputTensor& input : inputTensors(solution(*checked_), entry, true)) shapes.push_back(std::move(input.shape));
  return bindSymbols(solution(*checked_).dims, entry.symbols, shapes);
}

// ---- lower, optimise

bool Compilation::lower() {
  ir::Lowered lowered = ir::lower(*checked_, *entry_, diagnostics_, options_.limits, options_.trace);
  bug_ = std::move(lowered.bug);
  model_ = std::move(lowered.model);
  if (!model_) return false;
  positiveWeights_ = positiveWeights(*model_);
  tensorflow::Analysis* analysis = graph_ ? &*graph_->analysis : nullptr;
  if (options_.trace) traced_ = addTracedOutputs(*model_, lowered.traced, analysis);
  if (auto wrong = ir::verify(*model_)) bug_ = "the lowered graph does not hold: " + *wrong;
  return bug_.empty();
}

bool Compilation::optimise() {
  if (!options_.runsPasses) return true;
  ir::PassContext context;
  context.level = options_.optimise;
  if (context.level > 0) {
    const WeightBytes weights = weightBytes();
    context.weightsKnown = static_cast<bool>(weights);
    context.evaluate = runtimeEvaluator(weights);
  }
  context.admit = [&](const ir::Patch& patch) {
    if (options_.mostPatches && patches_ == *options_.mostPatches) return false;
    ++patches_;
    lastPatch_ = patch.at.empty() ? patch.what : patch.what + ", at " + patch.at;
    return true;
  };
  if (const ir::Pass* only = ir::passNamed(options_.onlyPass)) {
    if (auto done = ir::runPass(*model_, context, *only); !done) bug_ = done.error();
  } else if (auto done = ir::runPasses(*model_, context, options_.lastPass); !done) {
    bug_ = done.error();
  }
  return bug_.empty();
}

// ---- streams

// Returns the symbols of the entry that arrive over time: marked `~` in the source, or in the shape of a graph's input.
std::vector<DimVar> Compilation::streamedSizes() {
  std::vector<DimVar> streamed;
  for (DimVar symbol : entry_->symbols)
    if (solution(*checked_).dimVars[symbol.index].kind == DimKind::streamed) streamed.push_back(symbol);
  if (!options_.graph) return streamed;
  for (const StreamedAxis& at : streamedAxes(graph_->model, options_.graph->choice)) {
    const auto named = std::find_if(model_->inputNames.begin(), model_->inputNames.end(), [&](const std::string& name) {
      return tensorflow::withoutPortZero(name) == tensorflow::withoutPortZero(at.input);
    });
    if (named == model_->inputNames.end()) continue;
    const auto index = static_cast<std::size_t>(named - model_->inputNames.begin());
    const auto& shape = model_->main()[model_->main().inputs[index]].fact.shape;
    if (at.axis >= shape.size()) continue;
    for (DimVar v : model_->dims->variables(shape[at.axis])) streamed.push_back(v);
  }
  return streamed;
}

// Rewrites the optimised model in operators that work frame by frame.
bool Compilation::prepareStream() {
  const auto streamed = streamedSizes();
  const auto guards = sizeFacts();
  if (auto done = ir::prepareStream(*model_, {streamed, guards}); !done) bug_ = done.error();
  return bug_.empty();
}

std::optional<ir::StreamAnalysis> Compilation::analyseStream() {
  if (!prepareStream()) return std::nullopt;
  const auto streamed = streamedSizes();
  const auto guards = sizeFacts();
  return ir::analyseStream(*model_, {streamed, guards});
}

// Returns what a batch run requires of sizes.
std::vector<DimComparison> Compilation::sizeFacts() const {
  std::vector<DimComparison> facts(entry_->guards.begin(), entry_->guards.end());
  facts.insert(facts.end(), model_->checks.begin(), model_->checks.end());
  return facts;
}

// ---- bundle

bool Compilation::isOverModelSizes(const DimFact& guard) {
  const auto known = [&](DimVar v) {
    return std::find(entry_->symbols.begin(), entry_->symbols.end(), v) != entry_->symbols.end() ||
           std::any_of(model_->runSizes.begin(), model_->runSizes.end(),
                       [&](const ir::RunSize& found) { return found.size == v; });
  };
  for (Dim side : {guard.left, guard.right})
    for (DimVar v : model_->dims->variables(side))
      if (!known(v)) return false;
  return true;
}

std::optional<Variant> Compilation::variant() {
  if (!reach(Stage::optimise)) return std::nullopt;
  Variant variant{&*model_, {}, options_.optimise > 0};
  Interface& interface = variant.interface;
  interface.entryType = entry_->type;
  interface.inputTypes = portTypes(textsOf(entry_->inputs), model_->inputNames, model_->inputSplits);
  std::vector<std::string> outputs = textsOf(entry_->outputs);
  if (traced_) outputs.insert(outputs.end(), traced_->types.begin(), traced_->types.end());
  interface.outputTypes = portTypes(outputs, model_->outputNames, model_->outputSplits);
  for (const DimFact& guard : entry_->guards)
    if (isOverModelSizes(guard)) interface.guards.push_back({guard, printFact(*checked_, guard)});
  for (const DimFact& check : model_->checks) interface.guards.push_back({check, printFact(*checked_, check)});
  Recipes recipes = recipesOf(*entry_);
  for (DimVar symbol : recipes.unbound)
    diagnostics_.push_back(unboundSymbol(*model_->dims, symbol, program(*checked_)[entry_->function].span));
  if (!recipes.unbound.empty() || !fitsBundle(*model_, sources(), diagnostics_)) return std::nullopt;
  interface.symbols = std::move(recipes.bound);
  return variant;
}

// Builds the network of a model with streamed inputs. Returns false, with diagnostics, if the model does not stream.
bool Compilation::buildNetwork() {
  if (!prepareStream()) return false;
  const auto streamed = streamedSizes();
  const auto guards = sizeFacts();
  const ir::StreamQuestion question{streamed, guards};
  auto analysis = ir::analyseStream(*model_, question);
  if (!analysis) return true;
  if (analysis->blockers.empty()) {
    auto network = ir::makeNetwork(*model_, question, *analysis);
    if (network) {
      network_ = std::move(*network);
      return true;
    }
    analysis->blockers.push_back(network.error());
  }
  reportBlockers(describeStream(*this, *analysis), diagnostics_);
  return false;
}

std::optional<Bundle> Compilation::bundle() {
  std::optional<Variant> only = variant();
  if (!only) return std::nullopt;
  if (options_.withStream && !buildNetwork()) return std::nullopt;
  return makeBundle({&*only, 1}, only->interface, sources(), weightBytes(), diagnostics_,
                    {options_.strip, options_.threads, options_.chunk}, network_ ? &*network_ : nullptr);
}

std::optional<Bundle> Compilation::bundle(std::span<const Variant> variants, const OpenEntry& entry) {
  const Variant& first = variants.front();
  Interface whole;
  whole.entryType = entry.type;
  whole.inputTypes = portTypes(entry.inputs, first.model->inputNames, first.model->inputSplits);
  whole.outputTypes = portTypes(entry.outputs, first.model->outputNames, first.model->outputSplits);
  return makeBundle(variants, whole, sources(), weightBytes(), diagnostics_,
                    {.strip = options_.strip, .threads = options_.threads});
}

WeightBytes Compilation::weightBytes() {
  if (graph_)
    return [this](std::uint32_t weight, const ir::Constant&) -> FileResult<TensorBytes> {
      return tensorflow::weightBytes(*graph_->analysis, weight);
    };
  if (given_) return given_->weights;
  return weights_ ? weights_->bytes(program(*checked_), positiveWeights_) : WeightBytes{};
}

// ---- errors

int Compilation::exitCode() const {
  if (!bug_.empty()) return exitBug;
  if (!usageError_.empty()) return exitUsage;
  for (const Diagnostic& d : diagnostics_) {  // the command line names something that does not exist
    const bool isMissing = (d.code == &codes::cannotRead && modules_.modules.empty()) || d.code == &codes::unknownSet ||
                           (d.code == &codes::noEntry && !options_.entry.empty()) ||
                           (options_.graph && isUsageError(d, options_.path, options_.graph->choice));
    if (isMissing) return exitUsage;
  }
  return hasErrors(diagnostics_) ? exitErrors : exitDone;
}

std::vector<std::string> Compilation::diagnosticsJson() const {
  std::vector<std::string> all;
  if (!usageError_.empty())
    all.push_back(run::diagnosticJson(run::fail(exitUsage, usageError_).value(), options_.path));
  for (const Diagnostic& d : diagnostics_) all.push_back(renderJson(d, sources()));
  return all;
}

bool isBundle(const std::string& path) {
  constexpr std::string_view extension = ".axb", magic = "AXB1";
  if (path.size() > extension.size() && path.ends_with(extension)) return true;
  auto head = readHead(path, magic.size());
  return head && *head == magic;
}

std::map<std::string, std::size_t> inputRanks(const std::vector<std::string>& inputs) {
  std::map<std::string, std::size_t> ranks;
  for (const std::string& input : inputs) {
    std::size_t equals = input.find('=');
    if (equals == std::string::npos || input.find(',', equals) != std::string::npos) continue;
    auto file = openTensorFile(input.substr(equals + 1), plainFormats());
    if (file && file->tensors.size() == 1) ranks[input.substr(0, equals)] = file->tensors[0].shape.size();
  }
  return ranks;
}

}  // namespace axle::driver
