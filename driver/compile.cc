#include "driver/compile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "backend/evaluate.h"
#include "frontend/codes.h"
#include "io/mapped_file.h"
#include "io/npz.h"
#include "import/emit/emit.h"
#include "ir/passes/pass.h"
#include "driver/diagnostic_table.h"
#include "tools/axc/terminal.h"
#include "driver/run/failure.h"
#include "typecheck/codes.h"
#include "typecheck/report/fixes.h"

namespace axle::axc {

namespace {

std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::vector<std::string> textsOf(const std::vector<EntryPort>& ports) {
  std::vector<std::string> texts;
  for (const EntryPort& port : ports) texts.push_back(port.text);
  return texts;
}

// `printed` are those of the entry's ports; row splits are told by the tensor that they are of.
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

// `[2, 3]`
std::optional<std::vector<std::int64_t>> listOf(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::string inner;
  for (char c : text.substr(1, text.size() - 2))
    if (c != ' ') inner += c;
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < inner.size();) {
    std::size_t end = std::min(inner.find(',', at), inner.size());
    std::optional<std::int64_t> size = numberOf(std::string_view(inner).substr(at, end - at));
    if (!size || end + 1 == inner.size()) return std::nullopt;
    sizes.push_back(*size);
    at = end + 1;
  }
  return sizes;
}

}  // namespace

bool isBundle(const std::string& path) {
  constexpr std::string_view extension = ".axb", magic = "AXB1";
  if (path.size() > extension.size() && path.ends_with(extension)) return true;
  auto head = readHead(path, magic.size());
  return head && *head == magic;
}

void addSourceOptions(CLI::App& app, SourceOptions& options, const std::string& model) {
  const auto given = [](const std::string& word) { return word.empty() ? "an empty word names nothing" : ""; };
  app.add_option("MODEL", options.path, model)->required()->type_name("FILE");
  app.add_option("--weights", options.weights, "a file of tensors (safetensors, npz), or random[:SEED]")
      ->type_name("W")
      ->check(given);
  app.add_option("--entry", options.entry, "the function to compile (main)")->type_name("NAME")->check(given);
  app.add_option("-I", options.includes, "search imported modules in DIR; may be given again")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
}

void addLevelOptions(CLI::App& app, SourceOptions& options) {
  app.add_option("-O", options.optimise, "0 leaves constants unfolded; 1 (the default) and 2 fold them")
      ->check(CLI::Range(0, 2))
      ->type_name("LEVEL");
}

bool Compilation::openWeights() {
  if (options_.weights.empty()) return true;
  auto weights = Weights::open(options_.weights);
  if (weights) {
    weights_ = std::move(*weights);
    return true;
  }
  if (::access(options_.weights.c_str(), F_OK) != 0) {
    usage_ = "there is no weights file " + options_.weights;
    return false;
  }
  Diagnostic d;
  d.code = &codes::weightsFile;
  d.message = "the weights cannot be read: " + weights.error().what;
  d.primary = {ArtifactPlace{weights.error().path, weights.error().tensor}, ""};
  diagnostics_.push_back(std::move(d));
  return false;
}

bool Compilation::check() {
  if (given_) {
    checked_ = &given_->checked;
    return true;
  }
  return options_.graph ? checkGraph() : checkSource();
}

bool Compilation::checkGraph() {
  graph_ = tensorflow::readModel(options_.path, options_.graph->choice, sources_, diagnostics_);
  if (!graph_) return false;
  tensorflow::analyse(analysis_, *graph_, sources_, diagnostics_, hintsOf(*graph_, *options_.graph));
  checked_ = &analysis_->checked();
  if (hasErrors(diagnostics_) || !analysis_->define()) return false;
  equal_ = emit::equateOpenSizes(*checked_, true);
  return true;
}

bool Compilation::checkSource() {
  if (!openWeights()) return false;
  LoadOptions load;
  load.includePaths = options_.includes;
  modules_ = loadModules(sources_, options_.path, load, diagnostics_);
  if (modules_.modules.empty()) return false;
  CheckOptions options;
  if (weights_) options.weights = weights_->source();
  options.keepProofs = options_.keepProofs;
  owned_ = axle::check(modules_, sources_, options, diagnostics_);
  checked_ = owned_.get();
  offerFixes(*owned_, options, diagnostics_);
  return checked_ && !hasErrors(diagnostics_);
}

std::optional<EntryOptions> Compilation::entryOptions() {
  EntryOptions entry;
  if (!options_.entry.empty()) entry.name = options_.entry;
  entry.inputRanks = options_.inputRanks;
  for (const std::string& set : options_.sets) {
    std::size_t equals = set.find('=');
    std::string name = set.substr(0, equals), value = equals == std::string::npos ? "" : set.substr(equals + 1);
    auto size = numberOf(value);
    auto sizes = listOf(value);
    if (name.empty() || (!size && !sizes)) {
      usage_ = "--set wants a size, as in n=4, or a shape, as in s=[2,3], not `" + set + "`";
      return std::nullopt;
    }
    bool again = size ? entry.dims.emplace(name, *size).first->second != *size
                      : entry.shapes.emplace(name, *sizes).first->second != *sizes;
    if (again || (entry.dims.count(name) && entry.shapes.count(name))) {
      usage_ = "--set gives `" + name + "` twice, and differently";
      return std::nullopt;
    }
  }
  return entry;
}

bool Compilation::prepare(std::optional<OpenEntry>* open) {
  auto options = entryOptions();
  if (options) entry_ = prepareEntry(*checked_, *options, diagnostics_, open);
  if (entry_ && graph_)  // which has names for what it gives
    for (std::size_t i = 0; i < entry_->outputs.size(); ++i) entry_->outputs[i].name = graph_->outputs[i].name;
  return entry_ && !hasErrors(diagnostics_);
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

bool Compilation::lower() {
  ir::Lowered lowered = ir::lower(*checked_, *entry_, diagnostics_, {}, options_.trace);
  bug_ = std::move(lowered.bug);
  model_ = std::move(lowered.model);
  if (!model_) return false;
  if (options_.trace) showTraced(lowered.traced);
  if (auto wrong = ir::verify(*model_)) bug_ = "the lowered graph does not hold: " + *wrong;
  return bug_.empty();
}

bool Compilation::optimise(std::string_view lastPass) {
  ir::PassContext context;
  if (options_.optimise > 0) {
    context.evaluate = runtimeEvaluator(weightBytes());
    context.weightsKnown = weights_ || graph_ || given_;
  }
  if (auto done = ir::runPasses(*model_, context, lastPass); !done) bug_ = done.error();
  return bug_.empty();
}

// Facts over sizes of values that nothing reads are none of this model.
bool Compilation::isOfModel(const DimFact& guard) {
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
  Variant variant{&*model_, {}};
  Interface& interface = variant.interface;
  interface.entryType = entry_->type;
  interface.inputTypes = portTypes(textsOf(entry_->inputs), model_->inputNames, model_->inputSplits);
  std::vector<std::string> outputs = textsOf(entry_->outputs);
  outputs.insert(outputs.end(), tracedTypes_.begin(), tracedTypes_.end());
  interface.outputTypes = portTypes(outputs, model_->outputNames, model_->outputSplits);
  for (const DimFact& guard : entry_->guards)
    if (isOfModel(guard)) interface.guards.push_back({guard, printFact(*checked_, guard)});
  for (const DimFact& check : model_->checks) interface.guards.push_back({check, printFact(*checked_, check)});
  Recipes recipes = recipesOf(*entry_);
  for (DimVar symbol : recipes.unbound)
    diagnostics_.push_back(unboundSymbol(*model_->dims, symbol, program(*checked_)[entry_->function].span));
  if (!recipes.unbound.empty() || !fitsBundle(*model_, sources(), diagnostics_)) return std::nullopt;
  interface.symbols = std::move(recipes.bound);
  return variant;
}

std::optional<Bundle> Compilation::bundle() {
  std::optional<Variant> only = variant();
  if (!only) return std::nullopt;
  return makeBundle({&*only, 1}, only->interface, sources(), weightBytes(), diagnostics_);
}

std::optional<Bundle> Compilation::bundle(std::span<const Variant> variants, const OpenEntry& entry) {
  const Variant& first = variants.front();
  Interface whole;
  whole.entryType = entry.type;
  whole.inputTypes = portTypes(entry.inputs, first.model->inputNames, first.model->inputSplits);
  whole.outputTypes = portTypes(entry.outputs, first.model->outputNames, first.model->outputSplits);
  return makeBundle(variants, whole, sources(), weightBytes(), diagnostics_);
}

WeightBytes Compilation::weightBytes() {
  if (analysis_)
    return [this](std::uint32_t weight, const ir::Constant&) -> FileResult<TensorBytes> {
      return analysis_->weight(weight);
    };
  if (given_) return given_->weights;
  return weights_ ? weights_->bytes(program(*checked_)) : WeightBytes{};
}

int Compilation::exitCode() const {
  if (!bug_.empty()) return exitBug;
  if (!usage_.empty()) return exitUsage;
  for (const Diagnostic& d : diagnostics_) {  // what the command line names is not there
    bool missing = (d.code == &codes::cannotRead && modules_.modules.empty()) || d.code == &codes::unknownSet ||
                   (d.code == &codes::noEntry && !options_.entry.empty()) ||
                   (options_.graph && isUsage(d, options_.path, options_.graph->choice));
    if (missing) return exitUsage;
  }
  return hasErrors(diagnostics_) ? exitErrors : exitDone;
}

std::vector<std::string> Compilation::diagnosticsJson() const {
  std::vector<std::string> all;
  if (!usage_.empty()) all.push_back(run::diagnosticJson(run::fail(exitUsage, usage_).value(), options_.path));
  for (const Diagnostic& d : diagnostics_) all.push_back(renderJson(d, sources()));
  return all;
}

void Compilation::report() const {
  if (!usage_.empty()) std::fprintf(stderr, "error: %s\n", usage_.c_str());
  for (const std::string& size : equal_)
    std::fprintf(stderr, "of sizes that broadcast %s: the graph takes 1 for either, too\n", size.c_str());
  printDiagnostics(stderr, diagnostics_, sources());
  if (!bug_.empty()) throw std::logic_error(bug_);
}

std::optional<Bundle> compile(Compilation& compilation, std::vector<std::string>* inputSizes,
                              std::optional<OpenEntry>* open) {
  std::optional<Bundle> bundle;
  bool checked = compilation.check();
  if (checked && inputSizes) *inputSizes = compilation.takeInputSizes();
  if (checked && compilation.prepare(open) && compilation.lower() && compilation.optimise())
    bundle = compilation.bundle();
  if (!open || !*open) compilation.report();
  return bundle;
}

std::map<std::string, std::size_t> ranksOf(const std::vector<std::string>& inputs) {
  std::map<std::string, std::size_t> ranks;
  for (const std::string& input : inputs) {
    std::size_t equals = input.find('=');
    if (equals == std::string::npos || input.find(',', equals) != std::string::npos) continue;
    auto file = openTensorFile(input.substr(equals + 1), plainFormats());
    if (file && file->tensors.size() == 1) ranks[input.substr(0, equals)] = file->tensors[0].shape.size();
  }
  return ranks;
}

}  // namespace axle::axc
