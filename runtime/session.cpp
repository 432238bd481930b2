#include "runtime/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "io/mapped_file.h"
#include "runtime/bind.h"
#include "runtime/bundle_format.h"
#include "runtime/check.h"
#include "runtime/found_sizes.h"
#include "runtime/manifest.h"
#include "runtime/plan.h"

namespace axle::runtime {

struct Session::State {
  std::shared_ptr<const void> owner;
  std::uint64_t bundleBytes = 0, maxArenaBytes = 0;
  std::span<const std::byte> weights;
  manifest::Manifest manifest;
  std::vector<DimNode> dims;
  std::vector<PortInfo> inputs, outputs;
  std::vector<std::string> symbols;
  std::vector<GuardInfo> guards;

  bool bound = false;
  FoundSizes found;
  BoundGraph graph;
  Tensor arena;
  std::vector<NamedSize> sizes;
};

namespace {

using manifest::Manifest;

tl::unexpected<RunError> outOfMemory() { return failure(ErrorCode::outOfMemory, "not enough memory"); }

std::vector<PortInfo> portsOf(const Manifest& manifest, const std::vector<manifest::Port>& ports,
                              const std::vector<std::uint32_t>& values, std::span<const DimValue> dims) {
  std::vector<PortInfo> infos;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const manifest::Value& value = manifest.graph.values[values[i]];
    PortInfo info{ports[i].name, static_cast<Elem>(value.elem), ports[i].type, {}, {}};
    if (ports[i].splitsOf != 0) info.splitsOf = ports[i].splitsOf - 1;
    for (std::uint32_t dim : value.shape)
      info.sizes.push_back(dims[dim].known() ? std::optional(dims[dim].value) : std::nullopt);
    infos.push_back(std::move(info));
  }
  return infos;
}

std::optional<std::size_t> portNamed(std::span<const PortInfo> ports, std::string_view name) {
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == name) return i;
  return std::nullopt;
}

std::string namesText(std::span<const PortInfo> ports) {
  std::string text;
  for (const PortInfo& port : ports) text += (text.empty() ? "`" : ", `") + port.name + "`";
  return text;
}

std::uint64_t memoryOfMachine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

bool alignedFor(Elem elem, const void* data) { return reinterpret_cast<std::uintptr_t>(data) % info(elem).bytes == 0; }

tl::unexpected<RunError> misaligned(const PortInfo& port) {
  return failure(ErrorCode::wrongInput,
                 "the elements of input `" + port.name + "` are not aligned for " + std::string(info(port.elem).name));
}

RunError errorOf(Fault& fault) {
  if (fault.refused) return std::move(*fault.refused);
  RunError error{fault.code, fault.message, {}, {}};
  if (fault.step == nullptr) return error;
  const manifest::Node& node = *fault.step->node;
  if (!node.name.empty()) error.message += " in `" + node.name + "`";
  error.places = node.places;
  return error;
}

// Row splits begin with 0, never decrease, and end with the number of rows.
Result<void> checkSplits(const Manifest& manifest, const BoundGraph& graph, const FoundSizes& sizes) {
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
    const manifest::Port& port = manifest.inputs[i];
    if (port.splitsOf == 0) continue;
    const std::string name = "row splits of input `" + manifest.inputs[port.splitsOf - 1].name + "`";
    const TensorView& view = graph.input(static_cast<int>(i));
    const auto* splits = view.as<std::int64_t>();
    const std::int64_t n = view.shape[0], rows = sizes.dim(port.rows).value;
    const auto refuse = [&](const std::string& what) { return failure(ErrorCode::wrongSplits, name + what); };
    if (n == 0 || splits[0] != 0) return refuse(" do not begin with 0");
    for (std::int64_t at = 1; at < n; ++at)
      if (splits[at] < splits[at - 1])
        return refuse(" decrease: " + std::to_string(splits[at - 1]) + ", then " + std::to_string(splits[at]) + " at " +
                      std::to_string(at));
    if (splits[n - 1] != rows)
      return refuse(" end with " + std::to_string(splits[n - 1]) + ", but there are " + std::to_string(rows) + " rows");
    if (port.sameAs == 0) continue;
    const TensorView& other = graph.input(static_cast<int>(port.sameAs) - 1);
    if (!(view.shape == other.shape) || std::memcmp(view.data, other.data, view.bytes()) != 0)
      return refuse(" differ from those of `" + manifest.inputs[manifest.inputs[port.sameAs - 1].splitsOf - 1].name +
                    "`");
  }
  return {};
}

}  // namespace

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::fromFile(const std::string& path, LoadOptions options) {
  auto file = mapFile(path);
  if (!file) return failure(ErrorCode::cannotRead, describe(file.error()));
  auto session = fromMemory(file->bytes, file->owner, options);
  if (!session) session.error().message = path + ": " + session.error().message;
  return session;
}

Result<Session> Session::fromMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                    LoadOptions options) try {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % tensorAlignment != 0) {
    auto copy = Tensor::makeUnset(Elem::u8, {static_cast<std::int64_t>(bytes.size())});
    if (!copy) return tl::unexpected(std::move(copy.error()));
    std::memcpy(copy->bytes().data(), bytes.data(), bytes.size());
    auto kept = std::make_shared<Tensor>(std::move(*copy));
    bytes = kept->bytes();
    owner = std::move(kept);
  }
  auto sections = readBundleFrame(bytes, options.verifyChecksums);
  if (!sections) return tl::unexpected(std::move(sections.error()));
  auto manifest = manifest::readManifest(sections->manifest);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  if (auto checked = checkManifest(*manifest, sections->weights.size()); !checked)
    return tl::unexpected(std::move(checked.error()));

  auto state = std::make_unique<State>();
  state->owner = std::move(owner);
  state->bundleBytes = bytes.size();
  state->maxArenaBytes = options.maxArenaBytes != 0 ? options.maxArenaBytes : memoryOfMachine();
  state->weights = sections->weights;
  state->manifest = std::move(*manifest);
  state->dims = dimNodes(state->manifest);
  std::vector<DimValue> unbound(state->manifest.symbols.size()), dims(state->dims.size());
  evaluateDims(state->dims, unbound, dims);
  const Manifest& checked = state->manifest;
  state->inputs = portsOf(checked, checked.inputs, checked.graph.inputs, dims);
  state->outputs = portsOf(checked, checked.outputs, checked.graph.outputs, dims);
  for (const manifest::Symbol& symbol : checked.symbols) state->symbols.push_back(symbol.name);
  for (const manifest::Guard& guard : checked.guards) state->guards.push_back({guard.text, guard.reason, guard.places});
  return Session(std::move(state));
} catch (const std::exception&) {
  return outOfMemory();
}

std::span<const PortInfo> Session::inputs() const { return state_->inputs; }
std::span<const PortInfo> Session::outputs() const { return state_->outputs; }
std::span<const std::string> Session::symbols() const { return state_->symbols; }
std::span<const GuardInfo> Session::guards() const { return state_->guards; }
std::optional<std::size_t> Session::inputNamed(std::string_view name) const { return portNamed(state_->inputs, name); }
std::optional<std::size_t> Session::outputNamed(std::string_view name) const {
  return portNamed(state_->outputs, name);
}
bool Session::bound() const { return state_->bound; }
std::span<const NamedSize> Session::boundSizes() const { return state_->sizes; }

SessionInfo Session::info() const {
  const Manifest& manifest = state_->manifest;
  SessionInfo info{
      manifest.producer, manifest.entry, manifest.entryType, state_->bundleBytes, state_->weights.size(), {}, {}, {}};
  const std::span<const OpRow> table = operatorTable();
  std::vector<std::size_t> counts(table.size());
  const auto count = [&](const manifest::Graph& graph) {
    for (const manifest::Node& node : graph.nodes)
      ++counts[static_cast<std::size_t>(operatorRow(node.op) - table.data())];
  };
  count(manifest.graph);
  for (const manifest::Graph& body : manifest.bodies) count(body);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) info.operators.push_back({table[i].name, counts[i]});
  std::sort(info.operators.begin(), info.operators.end(),
            [](const OperatorCount& a, const OperatorCount& b) { return a.name < b.name; });
  if (state_->bound) info.arenaBytes = state_->graph.arenaBytes, info.macs = state_->graph.macs;
  return info;
}

Result<std::vector<Shape>> Session::inputShapes(std::span<const NamedSize> given) const try {
  const Manifest& manifest = state_->manifest;
  std::vector<DimValue> symbols(manifest.symbols.size()), dims(state_->dims.size());
  for (const NamedSize& size : given) {
    auto at = std::find(state_->symbols.begin(), state_->symbols.end(), size.name);
    if (at != state_->symbols.end() && manifest.symbols[static_cast<std::size_t>(at - state_->symbols.begin())].found)
      at = state_->symbols.end();
    if (at == state_->symbols.end()) return failure(ErrorCode::unknownInput, "there is no size `" + size.name + "`");
    symbols[static_cast<std::size_t>(at - state_->symbols.begin())] = {size.size, DimState::known};
  }
  evaluateDims(state_->dims, symbols, dims);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < state_->inputs.size(); ++i) {
    const auto& axes = manifest.graph.values[manifest.graph.inputs[i]].shape;
    const std::string name = "input `" + state_->inputs[i].name + "` : " + state_->inputs[i].type;
    const std::vector<bool> mentioned = symbolsIn(manifest, axes);
    for (std::size_t s = 0; s < symbols.size(); ++s)
      if (mentioned[s] && !symbols[s].known())
        return failure(ErrorCode::missingInput, "the size `" + state_->symbols[s] + "` of " + name + " is not given");
    Shape shape;
    for (std::uint32_t axis : axes) {
      if (!dims[axis].known() || dims[axis].value < 0)
        return failure(ErrorCode::badSize,
                       "a size of " + name + " is no number >= 0 for " + sizesText(manifest, axes, symbols));
      shape.push(dims[axis].value);
    }
    shapes.push_back(shape);
  }
  return shapes;
} catch (const std::exception&) {
  return outOfMemory();
}

Result<std::int64_t> Session::rowsOf(std::size_t splits, std::span<const NamedSize> given) const try {
  std::vector<DimValue> symbols(state_->symbols.size()), dims(state_->dims.size());
  for (const NamedSize& size : given)
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (state_->symbols[i] == size.name) symbols[i] = {size.size, DimState::known};
  evaluateDims(state_->dims, symbols, dims);
  const DimValue rows = dims[state_->manifest.inputs[splits].rows];
  if (rows.known() && rows.value >= 0) return rows.value;
  return failure(ErrorCode::badSize, "the number of rows of " + state_->inputs[splits].name + " is no number >= 0");
} catch (const std::exception&) {
  return outOfMemory();
}

Result<void> Session::bind(std::span<const NamedTensor> tensors) try {
  State& state = *state_;
  state.bound = false;
  std::vector<TensorView> inputs(state.inputs.size());
  std::vector<bool> given(inputs.size());
  for (const NamedTensor& named : tensors) {
    const auto index = inputNamed(named.name);
    const std::string name = "`" + std::string(named.name) + "`";
    if (!index)
      return failure(ErrorCode::unknownInput,
                     "there is no input " + name +
                         (inputs.empty() ? std::string(", nor any other") : ": inputs are " + namesText(state.inputs)));
    if (given[*index]) return failure(ErrorCode::unknownInput, "input " + name + " is given twice");
    given[*index] = true;
    inputs[*index] = named.tensor;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!given[i])
      return failure(ErrorCode::missingInput,
                     "input `" + state.inputs[i].name + "` : " + state.inputs[i].type + " is missing");
  auto sizes = bindSizes(state.manifest, state.dims, inputs);
  if (!sizes) return tl::unexpected(std::move(sizes.error()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!alignedFor(inputs[i].elem, inputs[i].data)) return misaligned(state.inputs[i]);

  state.found = FoundSizes(state.manifest, state.dims, std::move(*sizes));
  auto graph = bindGraph({state.manifest, state.found, state.weights}, state.manifest.graph);
  if (!graph) return tl::unexpected(std::move(graph.error()));
  if (graph->arenaBytes > state.maxArenaBytes)
    return failure(ErrorCode::outOfMemory, "these sizes need an arena of " + std::to_string(graph->arenaBytes) +
                                               " bytes, the limit is " + std::to_string(state.maxArenaBytes));
  state.sizes.clear();
  for (std::size_t i = 0; i < state.symbols.size(); ++i)
    if (!state.manifest.symbols[i].found) state.sizes.push_back({state.symbols[i], state.found.symbols()[i].value});
  if (state.arena.bytes().size() < graph->arenaBytes || state.arena.view().data == nullptr) {
    state.arena = Tensor();
    auto arena = Tensor::makeUnset(Elem::u8, {static_cast<std::int64_t>(graph->arenaBytes)});
    if (!arena)
      return failure(ErrorCode::outOfMemory,
                     "no memory for an arena of " + std::to_string(graph->arenaBytes) + " bytes");
    state.arena = std::move(*arena);
  }
  state.graph = std::move(*graph);
  placeGraph(state.graph, state.arena.bytes().data());
  for (std::size_t i = 0; i < inputs.size(); ++i) state.graph.input(static_cast<int>(i)).data = inputs[i].data;
  state.bound = true;
  return {};
} catch (const std::exception&) {
  return outOfMemory();
}

Result<void> Session::setData(std::size_t input, const void* data) {
  if (!state_->bound || input >= state_->inputs.size())
    return failure(ErrorCode::notBound, "the session has no such input, or is not bound");
  if (!alignedFor(state_->inputs[input].elem, data)) return misaligned(state_->inputs[input]);
  state_->graph.input(static_cast<int>(input)).data = const_cast<void*>(data);
  return {};
}

Result<void> Session::run() {
  if (!state_->bound) return failure(ErrorCode::notBound, "the session's inputs are not bound");
  for (std::size_t i = 0; i < state_->inputs.size(); ++i)
    if (const TensorView& input = state_->graph.input(static_cast<int>(i)); input.data == nullptr && input.bytes() > 0)
      return failure(ErrorCode::notBound, "input `" + state_->inputs[i].name + "` has sizes, but no elements");
  if (auto checked = checkSplits(state_->manifest, state_->graph, state_->found); !checked) return checked;
  Fault fault;
  if (!runGraph(state_->graph, fault)) return tl::unexpected(errorOf(fault));
  return {};
}

TensorView Session::output(std::size_t index) const {
  return state_->bound && index < state_->outputs.size() ? state_->graph.output(static_cast<int>(index)) : TensorView{};
}

}  // namespace axle::runtime
