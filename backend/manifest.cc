#include "backend/manifest.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "backend/dims.h"
#include "backend/offsets.h"
#include "backend/program.h"
#include "backend/stream.h"
#include "bundle.pb.h"
#include "runtime/ops.h"
#include "runtime/tensor.h"

namespace axle {

namespace codes {
const DiagnosticCode modelOutOfBounds{"E0525", Severity::error, "a model beyond what a bundle can hold"};
}

namespace {

constexpr Message<arg::Number, arg::Number> tooManyDimensions{
    codes::modelOutOfBounds, "a tensor has {} dimensions; a bundle holds at most {}", "this tensor"};
constexpr Message<> modelTooLarge{codes::modelOutOfBounds, "the model is too large for a bundle"};
const ArtifactPlace wholeModel{"the model", ""};

constexpr std::string_view producer = "axc " AXLE_VERSION;

// The destination of a program's names and places.
struct ProgramDebug {
  DebugSection* section;  // null if they are not written
  std::size_t program;
};

class Writer {
 public:
  Writer(const ir::Model& model, const Interface& interface, DimPool& pool, const ConstantIndices& constants,
         ProgramDebug debug)
      : model_(model),
        debug_(debug),
        pool_(pool),
        constants_(constants),
        firstFound_(interface.symbols.size()),
        firstCheck_(interface.guards.size() - model.checks.size()) {
    std::uint32_t next = 0;
    for (std::uint32_t g = 1; g < model.graphs.size(); ++g)
      if (!model.graphs[g].nodes.empty()) bodies_[g] = next++;
  }

  void write(const ir::Graph& graph, const Calls& calls, bundle::Graph& out);

 private:
  void write(const ir::Graph& graph, const Call& call, bundle::Graph& out);
  void writeOperator(const ir::Node& node, bundle::Node& out);
  void writeNames(const ir::Graph& graph, const Call& call);
  // `storage`: of a constant.
  std::uint32_t value(const ir::Graph& graph, ir::OutletId id, bundle::Graph& out, const Storage& storage = {});
  std::uint32_t foundAt(const ir::Node& node, std::uint32_t slot) const;

  const ir::Model& model_;
  ProgramDebug debug_;
  DimPool& pool_;
  const ConstantIndices& constants_;
  std::size_t firstFound_, firstCheck_;  // among the bundle's symbols and guards
  std::unordered_map<std::uint32_t, std::uint32_t> bodies_;
  std::map<std::pair<std::uint32_t, Storage>, std::uint32_t>
      values_;  // of outlets, and of constants as they are stored
};

std::uint32_t Writer::value(const ir::Graph& graph, ir::OutletId id, bundle::Graph& out, const Storage& storage) {
  auto [known, isNew] = values_.try_emplace({id.index, storage}, static_cast<std::uint32_t>(out.values_size()));
  if (!isNew) return known->second;
  bundle::Value& v = *out.add_values();
  const ir::Fact& fact = graph[id].fact;
  v.set_elem(static_cast<bundle::Elem>(fact.elem));
  const ir::Node& node = graph.producer(id);
  if (storage != Storage{})
    for (std::int64_t size : storedShape(model_[node.constant].shape, storage))
      v.add_shape(pool_.index(model_.dims->constant(size)));
  else
    for (Dim d : fact.shape) v.add_shape(pool_.index(d));
  if (node.op == ir::Op::constant) {
    v.set_is_constant(true);
    v.set_constant(constants_.at({node.constant, storage}));
  }
  return known->second;
}

// Returns 1 + the symbol that a node finds as the leading size of an output, or 0.
std::uint32_t Writer::foundAt(const ir::Node& node, std::uint32_t slot) const {
  for (const auto& [at, size] : node.runSizes)
    for (std::size_t i = 0; i < model_.runSizes.size(); ++i)
      if (at == slot && model_.runSizes[i].size == size) return static_cast<std::uint32_t>(firstFound_ + i + 1);
  return 0;
}

void Writer::writeOperator(const ir::Node& node, bundle::Node& out) {
  out.set_op(static_cast<std::uint32_t>(node.op));
  for (Dim d : ir::integersOf(*model_.dims, node.attributes)) out.add_ints(pool_.index(d));
  for (std::uint32_t check : node.checks)
    out.add_ints(pool_.index(model_.dims->constant(static_cast<std::int64_t>(firstCheck_ + check))));
  if (!node.runSizes.empty())
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) out.add_finds(foundAt(node, slot));
  for (ir::GraphId body : node.bodies) out.add_bodies(bodies_[body.index]);
}

void Writer::write(const ir::Graph& graph, const Call& call, bundle::Graph& out) {
  std::vector<std::uint32_t> inputs, outputs;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    inputs.push_back(value(graph, call.inputs[i], out, i == 1 ? call.storage : Storage{}));
  for (ir::OutletId id : call.outputs) outputs.push_back(value(graph, id, out));
  bundle::Node& n = *out.add_nodes();
  for (std::uint32_t id : inputs) n.add_inputs(id);
  for (std::uint32_t id : outputs) n.add_outputs(id);
  if (call.node)
    writeOperator(graph[call.node], n);
  else
    n.set_op(call.isRows ? op::rows : op::chain);
  if (call.primitive != 0) n.set_op(call.primitive);
  for (const Pointwise& pointwise : call.epilogue) {
    bundle::Pointwise& p = *n.add_epilogue();
    p.set_op(pointwise.op);
    p.set_elem(static_cast<bundle::Elem>(pointwise.elem));
    for (std::uint32_t arg : pointwise.args) p.add_args(arg);
    p.set_shift(pointwise.shift);
  }
  n.set_epilogue_inputs(call.epilogueInputs);
  n.set_alias(call.alias);
  n.set_in_place(call.inPlace);
  n.set_by_rows(call.byRows);
  if (debug_.section) writeNames(graph, call);
}

void Writer::writeNames(const ir::Graph& graph, const Call& call) {
  std::vector<std::string> names;
  std::vector<Span> spans;
  for (ir::NodeId id : call.from) {
    for (const std::string& name : graph[id].names)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (Span span : graph[id].spans)
      if (std::find(spans.begin(), spans.end(), span) == spans.end()) spans.push_back(span);
  }
  debug_.section->addNode(debug_.program, names, spans);
}

void Writer::write(const ir::Graph& graph, const Calls& calls, bundle::Graph& out) {
  values_.clear();
  for (ir::OutletId input : graph.inputs) out.add_inputs(value(graph, input, out));
  for (const Call& call : calls) write(graph, call, out);
  for (ir::OutletId output : graph.outputs) out.add_outputs(value(graph, output, out));
}

void setSplits(bundle::Port& port, const ir::Splits& splits, DimPool& pool) {
  port.set_splits_of(static_cast<std::uint32_t>(splits.of + 1));
  port.set_rows(pool.index(splits.rows));
  if (splits.sameAs) port.set_same_as(static_cast<std::uint32_t>(*splits.sameAs + 1));
}

void writePort(bundle::Port& port, const std::string& name, const std::vector<std::string>& types, std::size_t index) {
  port.set_name(name);
  port.set_type(index < types.size() ? types[index] : "");
}

// Row splits belong to a program and are left out without its `pool`.
void writePorts(bundle::Manifest& manifest, const ir::Model& model, const Interface& interface, DimPool* pool) {
  for (std::size_t i = 0; i < model.inputNames.size(); ++i)
    writePort(*manifest.add_inputs(), model.inputNames[i], interface.inputTypes, i);
  for (std::size_t i = 0; i < model.outputNames.size(); ++i)
    writePort(*manifest.add_outputs(), model.outputNames[i], interface.outputTypes, i);
  if (!pool) return;
  for (const ir::Splits& splits : model.inputSplits)
    setSplits(*manifest.mutable_inputs(static_cast<int>(splits.port)), splits, *pool);
  for (const ir::Splits& splits : model.outputSplits)
    setSplits(*manifest.mutable_outputs(static_cast<int>(splits.port)), splits, *pool);
}

void writeInterface(bundle::Manifest& manifest, const ir::Model& model, const Interface& interface, DimPool& pool) {
  manifest.set_entry_type(interface.entryType);
  for (const SymbolRecipe& recipe : interface.symbols) {
    bundle::Symbol& symbol = *manifest.add_symbols();
    symbol.set_name(model.dims->name(recipe.symbol));
    symbol.set_input(static_cast<std::uint32_t>(recipe.input));
    symbol.set_axis(static_cast<std::uint32_t>(recipe.axis));
    symbol.set_offset(pool.index(recipe.offset));
    symbol.set_coefficient(pool.index(recipe.coefficient));
  }
  for (const ir::RunSize& found : model.runSizes) {
    bundle::Symbol& symbol = *manifest.add_symbols();
    symbol.set_name(model.dims->name(found.size));
    symbol.set_found(true);
    symbol.set_most(pool.index(found.most));
  }
  for (const GuardText& g : interface.guards) {
    bundle::Guard& guard = *manifest.add_guards();
    guard.set_left(pool.index(g.fact.left));
    guard.set_relation(static_cast<bundle::Relation>(g.fact.relation));
    guard.set_right(pool.index(g.fact.right));
    guard.set_at_node(static_cast<std::size_t>(&g - interface.guards.data()) >=
                      interface.guards.size() - model.checks.size());
  }
  writePorts(manifest, model, interface, &pool);
}

constexpr Span nowhere{SourceId{UINT32_MAX}, 0, 0};

// Returns the place of the node that makes a tensor; for an input, the place of its first use.
Span placeOf(const ir::Graph& graph, const ir::Node& maker, ir::OutletId tensor) {
  auto uses = [&](const ir::Node& node) {
    return !node.spans.empty() && std::find(node.inputs.begin(), node.inputs.end(), tensor) != node.inputs.end();
  };
  if (!maker.spans.empty() && maker.op != ir::Op::input) return maker.spans.front();
  auto user = std::find_if(graph.nodes.begin(), graph.nodes.end(), uses);
  return user == graph.nodes.end() ? nowhere : user->spans.front();
}

struct LargeTensor {
  std::size_t dimensions;
  Span span;
};

// Returns the first tensor with more dimensions than a bundle can hold.
std::optional<LargeTensor> tensorOfTooManyDimensions(const ir::Model& model) {
  for (const ir::Graph& graph : model.graphs)
    for (const ir::Node& node : graph.nodes)
      for (ir::OutletId output : node.outputs)
        if (graph[output].fact.shape.size() > static_cast<std::size_t>(runtime::maxRank))
          return LargeTensor{graph[output].fact.shape.size(), placeOf(graph, node, output)};
  return std::nullopt;
}

}  // namespace

bool fitsBundle(const ir::Model& model, const SourceMap& sources, Diagnostics& diagnostics) {
  const auto wrong = tensorOfTooManyDimensions(model);
  if (!wrong) return true;
  Diagnostic d(tooManyDimensions, wrong->span, arg::Number{wrong->dimensions}, arg::Number{runtime::maxRank});
  if (wrong->span.source.index >= sources.size()) d.primary = {wholeModel, ""};
  d.addHelp("axes that are never taken apart can be one: `reshape` merges them");
  diagnostics.push_back(std::move(d));
  return false;
}

namespace {

void writeProgram(bundle::Manifest& manifest, const Variant& variant, const Program& program,
                  const ConstantIndices& constants, ProgramDebug debug) {
  const ir::Model& model = *variant.model;
  std::vector<DimVar> symbols;
  for (const SymbolRecipe& recipe : variant.interface.symbols) symbols.push_back(recipe.symbol);
  for (const ir::RunSize& found : model.runSizes) symbols.push_back(found.size);
  DimPool pool(*model.dims, symbols);
  writeInterface(manifest, model, variant.interface, pool);
  Writer writer(model, variant.interface, pool, constants, debug);
  writer.write(model.main(), program.graphs[0], *manifest.mutable_graph());
  for (std::uint32_t g = 1; g < model.graphs.size(); ++g)
    if (!model.graphs[g].nodes.empty()) writer.write(model.graphs[g], program.graphs[g], *manifest.add_bodies());
  for (const DimNode& node : pool.nodes()) {
    bundle::DimNode& d = *manifest.add_dims();
    d.set_op(static_cast<bundle::DimOp>(node.op));
    d.set_value(node.value);
    d.set_left(node.left);
    d.set_right(node.right);
  }
}

// Writes the names of guards and constants.
void writeNames(DebugSection& debug, std::span<const Variant> variants, const Constants& constants) {
  for (std::size_t i = 0; i < variants.size(); ++i)
    for (const GuardText& guard : variants[i].interface.guards)
      debug.addGuard(i, guard.text, guard.fact.reason, guard.fact.places);
  for (const PlacedConstant& placed : constants.all) debug.addConstant(placed.constant->name);
}

}  // namespace

std::optional<std::string> makeManifest(const Variants& given, std::span<const Program> programs,
                                        const Interface& entry, const Constants& constants,
                                        const BundleOptions& options, DebugSection* debug, Diagnostics& diagnostics) {
  const std::span<const Variant> variants = given.ofEntry();
  bundle::Manifest manifest;
  manifest.set_producer(std::string(producer));
  manifest.set_entry(variants.front().model->entry);
  if (options.threads > 1) manifest.set_threads(options.threads);
  for (const PlacedConstant& placed : constants.all) {
    bundle::Constant& c = *manifest.add_constants();
    c.set_elem(static_cast<bundle::Elem>(placed.constant->elem));
    for (std::int64_t size : placed.shape) c.add_shape(static_cast<std::uint64_t>(size));
    c.set_offset(placed.offset);
    c.set_bytes(placed.bytes);
  }
  if (debug) writeNames(*debug, given.all, constants);
  if (variants.size() == 1) {
    writeProgram(manifest, variants.front(), programs.front(), constants.indices.front(), {debug, 0});
  } else {
    manifest.set_entry_type(entry.entryType);
    writePorts(manifest, *variants.front().model, entry, nullptr);
    for (std::size_t i = 0; i < variants.size(); ++i)
      writeProgram(*manifest.add_variants(), variants[i], programs[i], constants.indices[i], {debug, i});
  }
  if (given.stream) {
    bundle::Stream& stream = *manifest.mutable_stream();
    const auto stages = given.ofStages();
    for (std::size_t i = 0; i < stages.size(); ++i)
      writeProgram(*stream.add_programs(), stages[i], programs[1 + i], constants.indices[1 + i], {debug, 1 + i});
    writeStream(*given.stream, variants.front().model->inputNames.size(), stream);
    if (options.chunk > 0) stream.set_chunk(options.chunk);
    const std::set<double>& rates = variants.front().model->sampleRates;
    if (rates.size() == 1) stream.set_sample_rate(*rates.begin());
  }
  std::string bytes;
  constexpr std::size_t most = 0x7fffffff;
  const bool isPlanned = std::all_of(variants.begin(), variants.end(), [](const Variant& v) { return v.fuses; });
  if (isPlanned && manifest.ByteSizeLong() <= most) writeOffsets(manifest, constants.bytes);
  if (manifest.ByteSizeLong() <= most && manifest.SerializeToString(&bytes)) return bytes;
  reportTooLarge(diagnostics);
  return std::nullopt;
}

void reportTooLarge(Diagnostics& diagnostics) { report(diagnostics, modelTooLarge, wholeModel); }

}  // namespace axle
