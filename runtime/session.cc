#include "runtime/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/joined.h"
#include "io/sorting.h"
#include "runtime/bind.h"
#include "runtime/bundle.h"
#include "runtime/fault.h"
#include "runtime/manifest.h"
#include "runtime/named_inputs.h"
#include "runtime/ops.h"
#include "runtime/out_of_memory.h"
#include "runtime/parts.h"
#include "runtime/plan.h"
#include "runtime/run_sizes.h"
#include "runtime/variants.h"

namespace axle::runtime {

struct Session::State {
  std::shared_ptr<const Bundle> bundle;
  const Variant* shown = nullptr;  // the entry while ranks are open, afterwards the bound program

  std::unique_ptr<ThreadTeam> team;  // null: one thread
  bool isDivided = false;            // the bound graph runs on the team

  bool bound = false;
  RunSizes found;
  BoundGraph graph;
  Tensor arena;
  std::vector<NamedSize> sizes;
};

namespace {

using manifest::Manifest;

[[maybe_unused]] tl::unexpected<RunError> outOfMemory() { return failure(ErrorCode::outOfMemory, "not enough memory"); }

bool alignedFor(Elem elem, const void* data) { return reinterpret_cast<std::uintptr_t>(data) % info(elem).bytes == 0; }

tl::unexpected<RunError> misaligned(const PortInfo& port) {
  return failure(ErrorCode::wrongInput,
                 joined({"the elements of input `", port.name, "` are not aligned for ", info(port.elem).name}));
}

void countCalls(const BoundGraph& graph, std::vector<OperatorCount>& calls) {
  for (const Step& step : graph.steps) {
    OperatorCount& count = calls[step.row->op];
    count.name = step.row->name;
    count.most = ++count.count;
    for (const BoundGraph& body : step.bodies) countCalls(body, calls);
  }
}

void observeGraph(BoundGraph& graph, StepObserver* observer) {
  graph.observer = observer;
  for (Step& step : graph.steps)
    for (BoundGraph& body : step.bodies) observeGraph(body, observer);
}

std::vector<OperatorCount> namedCounts(const std::vector<OperatorCount>& all) {
  std::vector<OperatorCount> named;
  for (const OperatorCount& count : all)
    if (count.most > 0) named.push_back(count);
  sortItems(std::span(named), [](const OperatorCount& a, const OperatorCount& b) { return a.name < b.name; });
  return named;
}

// Checks that row splits begin with 0, never decrease, and end with the number of rows.
Result<void> checkSplits(const Manifest& manifest, const BoundGraph& graph, const RunSizes& sizes) {
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
    const manifest::Port& port = manifest.inputs[i];
    if (port.splitsOf == 0) continue;
    const TensorView& view = graph.input(static_cast<int>(i));
    const auto* splits = view.as<std::int64_t>();
    const std::int64_t n = view.shape[0], rows = sizes.dim(port.rows).value;
    const auto refuse = [&](const std::string& what) {
      return failure(ErrorCode::wrongSplits,
                     joined({"row splits of input `", manifest.inputs[port.splitsOf - 1].name, "`", what}));
    };
    if (n == 0 || splits[0] != 0) return refuse(" do not begin with 0");
    for (std::int64_t at = 1; at < n; ++at)
      if (splits[at] < splits[at - 1])
        return refuse(joined({" decrease: ", splits[at - 1], ", then ", splits[at], " at ", at}));
    if (splits[n - 1] != rows) return refuse(joined({" end with ", splits[n - 1], ", but there are ", rows, " rows"}));
    if (port.sameAs == 0) continue;
    const TensorView& other = graph.input(static_cast<int>(port.sameAs) - 1);
    if (!(view.shape == other.shape) || std::memcmp(view.data, other.data, view.bytes()) != 0)
      return refuse(joined(
          {" differ from those of `", manifest.inputs[manifest.inputs[port.sameAs - 1].splitsOf - 1].name, "`"}));
  }
  return {};
}

// The sizes of inputs for given symbols.
struct InputSizes {
  const Variant* variant = nullptr;
  std::vector<Shape> shapes;
  std::vector<DimValue> dims;
};

// Lists the sizes that exist, as the end of an error about an unknown size.
std::string listSymbols(const Variant& variant) {
  std::string names;
  for (std::size_t i = 0; i < variant.symbols.size(); ++i)
    if (!variant.manifest.symbols[i].found)
      names += joined({names.empty() ? "; the sizes are `" : ", `", variant.symbols[i], "`"});
  return names.empty() ? "; no size is open" : names;
}

Result<InputSizes> sizesFor(const Variant& variant, std::span<const NamedSize> given) {
  const Manifest& manifest = variant.manifest;
  std::vector<DimValue> symbols(manifest.symbols.size());
  InputSizes sizes{&variant, {}, std::vector<DimValue>(variant.manifest.dims.size())};
  for (const NamedSize& size : given) {
    const auto at = static_cast<std::size_t>(std::find(variant.symbols.begin(), variant.symbols.end(), size.name) -
                                             variant.symbols.begin());
    if (at == symbols.size() || manifest.symbols[at].found)
      return failure(ErrorCode::unknownInput, joined({"there is no size `", size.name, "`", listSymbols(variant)}));
    symbols[at] = {size.size, DimState::known};
  }
  evaluateDims(variant.manifest.dims, symbols, sizes.dims);
  std::vector<std::size_t> named;  // symbols without a given value
  std::string unknown;             // these, each with the first input that mentions it
  for (std::size_t i = 0; i < variant.inputs.size(); ++i) {
    const auto& axes = manifest.graph.values[manifest.graph.inputs[i]].shape;
    const std::string name = joined({"input `", variant.inputs[i].name, "` : ", variant.inputs[i].type});
    const Marks mentioned = symbolsIn(manifest, axes);
    std::string missing;
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      if (!mentioned[s] || symbols[s].known()) continue;
      if (std::find(named.begin(), named.end(), s) != named.end()) continue;
      named.push_back(s);
      missing += joined({missing.empty() ? "`" : ", `", variant.symbols[s], "`"});
    }
    if (!missing.empty()) unknown += joined({unknown.empty() ? "" : "; ", missing, " of ", name});
    if (!named.empty()) continue;
    Shape shape;
    for (std::uint32_t axis : axes) {
      if (!sizes.dims[axis].known() || sizes.dims[axis].value < 0)
        return failure(ErrorCode::badSize,
                       joined({"a size of ", name, " is not a number >= 0 for ", sizesText(manifest, axes, symbols)}));
      shape.push(sizes.dims[axis].value);
    }
    sizes.shapes.push_back(shape);
  }
  if (named.size() == 1) return failure(ErrorCode::missingInput, joined({"the size ", unknown, " is not given"}));
  if (!named.empty()) return failure(ErrorCode::missingInput, joined({"sizes are not given: ", unknown}));
  return sizes;
}

// Returns the sizes for the first variant that has exactly these symbols, otherwise the error of the first variant that
// has them all.
Result<InputSizes> sizesFor(const Variants& variants, std::span<const NamedSize> given) {
  std::optional<Result<InputSizes>> refused;
  for (const Variant& variant : variants.all) {
    Result<InputSizes> sizes = sizesFor(variant, given);
    if (sizes) return sizes;
    if (!refused || (*refused).error().code == ErrorCode::unknownInput) refused = std::move(sizes);
  }
  return std::move(*refused);
}

}  // namespace

Session::Session(std::shared_ptr<const Bundle> bundle) : state_(std::make_unique<State>()) {
  state_->bundle = std::move(bundle);
  state_->shown = &state_->bundle->variants.shown();
  const std::int64_t threads = state_->bundle->threads;
  if (threads > 1 && linkedThreads != nullptr) state_->team.reset(linkedThreads({threads}));
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::fromFile(const std::string& path, LoadOptions options) AXLE_TRY {
  return loadBundle(path, options).map([](std::shared_ptr<const Bundle>&& bundle) {
    return Session(std::move(bundle));
  });
}
AXLE_WITHOUT_MEMORY(outOfMemory())

Result<Session> Session::fromMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                    LoadOptions options) AXLE_TRY {
  return loadBundle(bytes, std::move(owner), options).map([](std::shared_ptr<const Bundle>&& bundle) {
    return Session(std::move(bundle));
  });
}
AXLE_WITHOUT_MEMORY(outOfMemory())

const std::shared_ptr<const Bundle>& Session::bundle() const { return state_->bundle; }

std::span<const PortInfo> Session::inputs() const { return state_->shown->inputs; }
std::span<const PortInfo> Session::outputs() const { return state_->shown->outputs; }
std::span<const std::string> Session::symbols() const { return state_->shown->given; }
std::span<const GuardInfo> Session::guards() const { return state_->shown->guards; }
std::optional<std::size_t> Session::inputNamed(std::string_view name) const {
  return portNamed(state_->shown->inputs, name);
}
std::optional<std::size_t> Session::outputNamed(std::string_view name) const {
  return portNamed(state_->shown->outputs, name);
}
bool Session::bound() const { return state_->bound; }
std::span<const NamedSize> Session::boundSizes() const { return state_->sizes; }

SessionInfo Session::info() const {
  const Manifest& entry = state_->bundle->variants.shown().manifest;
  SessionInfo info{entry.producer,
                   entry.entry,
                   entry.entryType,
                   state_->bundle->bytes.size(),
                   state_->bundle->weights.size(),
                   {},
                   {},
                   {},
                   {},
                   {}};
  std::vector<OperatorCount> counts(ops::numbers);
  bool first = true;
  for (const Variant& variant : state_->bundle->variants.all) {
    if (state_->bound && &variant != state_->shown) continue;
    std::vector<std::size_t> here(ops::numbers);
    const auto count = [&](const manifest::Graph& graph) {
      for (const manifest::Node& node : graph.nodes) {
        if (node.op != op::chain && node.op != op::rows) ++here[node.op];
        for (const manifest::Pointwise& pointwise : node.epilogue)
          if (pointwise.op < here.size()) ++here[pointwise.op];
      }
    };
    count(variant.manifest.graph);
    for (const manifest::Graph& body : variant.manifest.bodies) count(body);
    for (const OpRow* const* row = linkedOperators; *row != nullptr; ++row) {
      const std::size_t i = (*row)->op;
      counts[i] = {(*row)->name, first ? here[i] : std::min(counts[i].count, here[i]),
                   std::max(counts[i].most, here[i])};
    }
    first = false;
  }
  info.operators = namedCounts(counts);
  if (!state_->bound) return info;
  info.arenaBytes = state_->graph.arenaBytes, info.liveBytes = state_->graph.liveBytes;
  std::vector<OperatorCount> calls(ops::numbers);
  countCalls(state_->graph, calls);
  info.calls = namedCounts(calls);
  info.macs = state_->graph.macs;
  return info;
}

std::vector<std::vector<std::size_t>> Session::coveredRanks() const {
  std::vector<std::vector<std::size_t>> all;
  if (!state_->bundle->variants.open) return all;
  for (const Variant& variant : state_->bundle->variants.all) {
    all.emplace_back();
    for (const PortInfo& port : variant.inputs) all.back().push_back(port.sizes->size());
  }
  return all;
}

Result<std::vector<Shape>> Session::inputShapes(std::span<const NamedSize> given) const AXLE_TRY {
  return sizesFor(state_->bundle->variants, given).map([](InputSizes&& sizes) { return std::move(sizes.shapes); });
}
AXLE_WITHOUT_MEMORY(outOfMemory())

Result<std::int64_t> Session::rowsOf(std::size_t splits, std::span<const NamedSize> given) const AXLE_TRY {
  auto sizes = sizesFor(state_->bundle->variants, given);
  if (!sizes) return tl::unexpected(std::move(sizes.error()));
  const DimValue rows = sizes->dims[sizes->variant->manifest.inputs[splits].rows];
  if (rows.known() && rows.value >= 0) return rows.value;
  return failure(ErrorCode::badSize,
                 joined({"the number of rows of ", inputs()[splits].name, " is not a number >= 0"}));
}
AXLE_WITHOUT_MEMORY(outOfMemory())

Result<void> Session::bind(std::span<const NamedTensor> tensors) AXLE_TRY {
  State& state = *state_;
  state.bound = false;
  state.shown = &state.bundle->variants.shown();
  const std::vector<PortInfo>& ports = state.shown->inputs;
  auto ordered = inputsInOrder(ports, tensors);
  if (!ordered) return tl::unexpected(std::move(ordered.error()));
  const std::vector<TensorView>& inputs = *ordered;
  const auto chosen = variantFor(state.bundle->variants, inputs);
  if (!chosen) return tl::unexpected(chosen.error());
  const Variant& variant = state.bundle->variants.all[*chosen];
  auto sizes = bindSizes(variant.manifest, inputs);
  if (!sizes) return tl::unexpected(std::move(sizes.error()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!alignedFor(inputs[i].elem, inputs[i].data)) return misaligned(ports[i]);

  state.found = RunSizes(variant.manifest, std::move(*sizes));
  auto graph =
      bindGraph({variant.manifest, state.found, state.bundle->weights, state.team.get()}, variant.manifest.graph);
  if (!graph) return tl::unexpected(std::move(graph.error()));
  if (graph->arenaBytes > state.bundle->maxArenaBytes)
    return failure(ErrorCode::outOfMemory, joined({"these sizes need an arena of ", graph->arenaBytes,
                                                   " bytes, the limit is ", state.bundle->maxArenaBytes}));
  state.sizes.clear();
  for (std::size_t i = 0; i < variant.symbols.size(); ++i)
    if (!variant.manifest.symbols[i].found) state.sizes.push_back({variant.symbols[i], state.found.symbols()[i].value});
  if (state.arena.bytes().size() < graph->arenaBytes || state.arena.view().data == nullptr) {
    state.arena = Tensor();
    auto arena = Tensor::makeUnset(Elem::u8, {static_cast<std::int64_t>(graph->arenaBytes)});
    if (!arena)
      return failure(ErrorCode::outOfMemory, joined({"no memory for an arena of ", graph->arenaBytes, " bytes"}));
    state.arena = std::move(*arena);
  }
  state.graph = std::move(*graph);
  state.isDivided = state.team != nullptr && divideGraph(state.graph, state.team->leastWork());
  if (state.isDivided) state.team->start();
  placeGraph(state.graph, state.arena.bytes().data());
  for (std::size_t i = 0; i < inputs.size(); ++i) state.graph.input(static_cast<int>(i)).data = inputs[i].data;
  state.shown = &variant;
  state.bound = true;
  return {};
}
AXLE_WITHOUT_MEMORY(outOfMemory())

Result<void> Session::setThreads(const ThreadOptions& options) AXLE_TRY {
  const bool isLinked = options.most == 1 || linkedThreads != nullptr;
  if (options.most < 1 || !isLinked)
    return failure(ErrorCode::threadCount, joined({options.most, isLinked ? " threads: a session has 1 or more"
                                                                          : " threads: this program is linked for 1"}));
  state_->bound = false;
  state_->team.reset(options.most > 1 ? linkedThreads(options) : nullptr);
  return {};
}
AXLE_WITHOUT_MEMORY(outOfMemory())

int Session::threads() const { return state_->team != nullptr ? state_->team->threads() : 1; }

Result<void> Session::setData(std::size_t input, const void* data) {
  if (!state_->bound || input >= inputs().size())
    return failure(ErrorCode::notBound, "the session has no such input, or is not bound");
  if (!alignedFor(inputs()[input].elem, data)) return misaligned(inputs()[input]);
  state_->graph.input(static_cast<int>(input)).data = const_cast<void*>(data);
  return {};
}

Result<void> Session::run() {
  if (!state_->bound) return failure(ErrorCode::notBound, "the session's inputs are not bound");
  for (std::size_t i = 0; i < inputs().size(); ++i)
    if (const TensorView& input = state_->graph.input(static_cast<int>(i)); input.data == nullptr && input.bytes() > 0)
      return failure(ErrorCode::notBound, joined({"input `", inputs()[i].name, "` has sizes, but no elements"}));
  if (auto checked = checkSplits(state_->shown->manifest, state_->graph, state_->found); !checked) return checked;
  Fault fault;
  if (state_->isDivided) state_->team->beginRun();
  const bool hasRun = runGraph(state_->graph, fault);
  if (state_->isDivided) state_->team->endRun();
  if (!hasRun) return tl::unexpected(faultError(state_->shown->manifest, fault));
  return {};
}

void Session::observe(StepObserver* observer) {
  if (state_->bound) observeGraph(state_->graph, observer);
}

std::string Session::nameOf(const Step& step) const {
  std::string name;
  for (std::uint32_t k = 0; k <= step.following; ++k)
    name += (k > 0 ? ", " : "") +
            manifest::describeNode(state_->shown->manifest, *step.graph->graph, *(&step)[k].node).name;
  return name;
}

TensorView Session::output(std::size_t index) const {
  return state_->bound && index < outputs().size() ? state_->graph.output(static_cast<int>(index)) : TensorView{};
}

}  // namespace axle::runtime
