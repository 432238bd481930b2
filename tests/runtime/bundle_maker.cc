#include "tests/runtime/bundle_maker.h"

#include <algorithm>
#include <memory>

#include "runtime/bundle_format.h"

namespace axle::runtime::test {
namespace {

void appendVarint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// Writes one message in wire format; omits fields of value 0, as proto3 does.
class Message {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    varint(field << 3);
    varint(value);
  }
  void signedNumber(std::uint32_t field, std::int64_t value) { number(field, zigzag(value)); }
  void text(std::uint32_t field, const std::string& value) {
    if (!value.empty()) item(field, value);
  }
  void item(std::uint32_t field, const std::string& bytes) {
    varint(field << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
  }
  template <class T>
  void packed(std::uint32_t field, const std::vector<T>& values) {
    Message inner;
    for (T value : values) inner.varint(value);
    text(field, inner.bytes_);
  }
  template <class T, class Encode>
  void items(std::uint32_t field, const std::vector<T>& values, Encode encode) {
    for (const T& value : values) item(field, encode(value));
  }
  std::string take() { return std::move(bytes_); }

 private:
  void varint(std::uint64_t value) { appendVarint(bytes_, value); }
  std::string bytes_;
};

std::string encodeDim(const DimNode& dim) {
  Message m;
  m.number(1, static_cast<std::uint64_t>(dim.op));
  m.signedNumber(2, dim.value);
  m.number(3, dim.left), m.number(4, dim.right);
  return m.take();
}

std::string encodeSymbol(const manifest::Symbol& symbol) {
  Message m;
  m.text(1, symbol.name);
  m.number(2, symbol.input), m.number(3, symbol.axis), m.number(4, symbol.offset), m.number(5, symbol.coefficient);
  m.number(6, symbol.found ? 1 : 0), m.number(7, symbol.most);
  return m.take();
}

std::string encodeGuard(const manifest::Guard& guard) {
  Message m;
  m.number(1, guard.left), m.number(2, guard.relation), m.number(3, guard.right);
  m.number(4, guard.atNode ? 1 : 0);
  return m.take();
}

std::string encodePort(const manifest::Port& port) {
  Message m;
  m.text(1, port.name), m.text(2, port.type);
  m.number(3, port.splitsOf), m.number(4, port.rows), m.number(5, port.sameAs);
  return m.take();
}

std::string encodeConstant(const manifest::Constant& constant) {
  Message m;
  m.number(1, constant.elem);
  m.packed(2, constant.shape);
  m.number(3, constant.offset), m.number(4, constant.bytes);
  return m.take();
}

std::string encodeValue(const manifest::Value& value) {
  Message m;
  m.number(1, value.elem);
  m.packed(2, value.shape);
  m.number(3, value.isConstant ? 1 : 0), m.number(4, value.constant);
  return m.take();
}

std::string encodePointwise(const manifest::Pointwise& pointwise) {
  Message m;
  m.number(1, pointwise.op), m.number(2, pointwise.elem);
  m.packed(3, pointwise.args);
  m.signedNumber(4, pointwise.shift);
  return m.take();
}

std::string encodeNode(const manifest::Node& node) {
  Message m;
  m.number(1, node.op);
  m.packed(2, node.inputs), m.packed(3, node.outputs), m.packed(4, node.ints), m.packed(5, node.bodies);
  m.packed(6, node.finds);
  m.items(7, node.epilogue, encodePointwise);
  m.number(8, node.epilogueInputs), m.number(9, node.alias ? 1 : 0), m.number(10, node.inPlace);
  m.number(11, node.byRows ? 1 : 0);
  return m.take();
}

std::string encodeGraph(const manifest::Graph& graph) {
  Message m;
  m.items(1, graph.values, encodeValue);
  m.items(2, graph.nodes, encodeNode);
  m.packed(3, graph.inputs), m.packed(4, graph.outputs), m.packed(5, graph.offsets);
  return m.take();
}

std::string encodeSchedule(const manifest::Schedule& schedule) {
  Message m;
  m.packed(1, schedule.first);
  m.number(2, schedule.period), m.number(3, schedule.step);
  return m.take();
}

std::string encodeSource(const manifest::Source& source) {
  Message m;
  m.number(1, source.kind), m.number(2, source.index);
  m.signedNumber(3, source.stride), m.signedNumber(4, source.spread);
  m.signedNumber(5, source.first), m.signedNumber(6, source.last);
  return m.take();
}

std::string encodeStage(const manifest::Stage& stage) {
  Message m;
  m.number(1, stage.program);
  m.items(2, stage.sources, encodeSource);
  m.items(3, stage.sinks, [](const manifest::Sink& sink) {
    Message item;
    item.number(1, sink.kind), item.number(2, sink.index);
    if (sink.step != 0) {
      item.number(3, static_cast<std::uint64_t>(sink.step)), item.number(4, static_cast<std::uint64_t>(sink.per));
      item.signedNumber(5, sink.shift), item.number(6, static_cast<std::uint64_t>(sink.count));
      item.number(7, static_cast<std::uint64_t>(sink.spacing)), item.number(8, sink.along);
      item.number(9, static_cast<std::uint64_t>(sink.run));
    }
    return item.take();
  });
  m.number(4, stage.scale), m.signedNumber(5, stage.shift);
  return m.take();
}

std::string encodeBuffer(const manifest::Buffer& buffer) {
  Message m;
  m.number(1, buffer.axis);
  m.text(2, {reinterpret_cast<const char*>(buffer.fill.data()), buffer.fill.size()});
  m.number(3, buffer.history);
  m.item(4, encodeSchedule(buffer.sure)), m.item(5, encodeSchedule(buffer.length));
  m.items(6, buffer.pieces, encodeSource);
  m.number(7, buffer.input);
  return m.take();
}

std::string encodeStreamInput(const manifest::StreamInput& input) {
  Message m;
  m.number(1, input.streams ? 1 : 0), m.number(2, input.axis), m.number(3, input.rate), m.number(4, input.per);
  return m.take();
}

std::string encodeStreamOutput(const manifest::StreamOutput& output) {
  Message m;
  m.number(1, output.buffer), m.number(2, output.delay), m.number(3, output.stride), m.number(4, output.frames);
  return m.take();
}

// The pool of strings of a debug section.
struct DebugStrings {
  std::string bytes, last;
  std::vector<std::string> all{""};

  std::int64_t number(const std::string& text) {
    const auto found = std::find(all.begin(), all.end(), text);
    if (found != all.end()) return found - all.begin();
    std::size_t shared = 0;
    while (shared < std::min({last.size(), text.size(), std::size_t{255}}) && last[shared] == text[shared]) ++shared;
    appendVarint(bytes, shared);
    appendVarint(bytes, text.size() - shared);
    bytes += text.substr(shared);
    last = text;
    all.push_back(text);
    return static_cast<std::int64_t>(all.size() - 1);
  }
};

// Writes guards, constants or nodes in a debug section.
struct DebugPart {
  DebugStrings& strings;
  std::string bytes = {};
  std::int64_t lastText = 0, lastFile = 0, lastLine = 0;

  explicit DebugPart(DebugStrings& pool) : strings(pool) {}

  void number(std::uint64_t value) { appendVarint(bytes, value); }
  void text(const std::string& text) {
    const std::int64_t string = strings.number(text);
    number(zigzag(string - lastText));
    lastText = string;
  }
  void places(const std::vector<Place>& places) {
    number(places.size());
    for (const Place& place : places) {
      const std::int64_t file = strings.number(place.file);
      number(zigzag(file - lastFile));
      lastFile = file;
      if (place.line == 0) {
        number(0);
        text(place.node);
        continue;
      }
      number(1 + zigzag(place.line - lastLine));
      lastLine = place.line;
      number(place.column), number(place.endLine - place.line), number(place.endColumn);
    }
  }
};

std::span<const std::byte> asBytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

std::string encodeManifest(const manifest::Manifest& manifest) {
  Message m;
  m.text(1, manifest.producer), m.text(2, manifest.entry), m.text(3, manifest.entryType);
  m.items(4, manifest.dims, encodeDim);
  m.items(5, manifest.symbols, encodeSymbol);
  m.items(6, manifest.guards, encodeGuard);
  m.items(7, manifest.inputs, encodePort);
  m.items(8, manifest.outputs, encodePort);
  m.items(9, manifest.constants, encodeConstant);
  m.item(10, encodeGraph(manifest.graph));
  m.items(11, manifest.bodies, encodeGraph);
  m.number(13, manifest.threads);
  for (const manifest::Manifest& variant : manifest.variants) m.item(12, encodeManifest(variant));
  if (!manifest.stream.empty())
    m.item(14, {reinterpret_cast<const char*>(manifest.stream.data()), manifest.stream.size()});
  return m.take();
}

std::string encodeStream(const manifest::Stream& stream) {
  Message m;
  m.items(1, stream.programs, encodeManifest);
  m.items(2, stream.inputs, encodeStreamInput);
  m.items(3, stream.outputs, encodeStreamOutput);
  m.items(4, stream.buffers, encodeBuffer);
  m.items(5, stream.stages, encodeStage);
  m.items(6, stream.states, [](const manifest::CarriedState& state) {
    Message item;
    item.item(1, encodeSource(state.initial));
    item.text(2, {reinterpret_cast<const char*>(state.fill.data()), state.fill.size()});
    return item.take();
  });
  m.number(7, stream.slots);
  return m.take();
}

std::string encodeDebug(const DebugTexts& texts, std::size_t programs) {
  DebugStrings strings;
  DebugPart guards(strings), constants(strings), nodes(strings);
  for (const GuardInfo& guard : texts.guards) {
    guards.text(guard.text);
    guards.text(guard.reason);
    guards.places(guard.places);
  }
  for (const std::string& name : texts.constants) constants.text(name);
  for (const NodeText& node : texts.nodes) {
    nodes.number(node.name.empty() ? 0 : 1);
    if (!node.name.empty()) nodes.text(node.name);
    nodes.places(node.places);
  }
  std::string bytes;
  const auto little = [&](std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xFF);
  };
  little(programs);
  little(strings.bytes.size());
  little(constants.bytes.size());
  for (std::size_t i = 0; i < programs; ++i) little(guards.bytes.size()), little(nodes.bytes.size());
  bytes += strings.bytes + constants.bytes;
  for (std::size_t i = 0; i < programs; ++i) bytes += guards.bytes + nodes.bytes;
  return bytes;
}

std::vector<std::byte> makeBundle(const manifest::Manifest& manifest, const std::vector<std::byte>& weights,
                                  const std::string& debug) {
  return makeFile(encodeManifest(manifest), debug, weights);
}

std::vector<std::byte> makeFile(const std::string& manifest, const std::string& debug,
                                const std::vector<std::byte>& weights) {
  const auto header = bundleHeader({manifest.size(), crc32(asBytes(manifest))}, {debug.size(), crc32(asBytes(debug))},
                                   {weights.size(), crc32(weights)});
  const auto begin = static_cast<std::size_t>(weightsOffset(manifest.size(), debug.size()));
  std::vector<std::byte> file(begin + weights.size());
  std::memcpy(file.data(), header.data(), header.size());
  std::memcpy(file.data() + bundleHeaderBytes, manifest.data(), manifest.size());
  std::memcpy(file.data() + debugOffset(manifest.size()), debug.data(), debug.size());
  if (!weights.empty()) std::memcpy(file.data() + begin, weights.data(), weights.size());
  return file;
}

Result<Session> load(const std::vector<std::byte>& bundle, LoadOptions options) {
  auto kept = std::make_shared<std::vector<std::byte>>(bundle);
  return Session::fromMemory(*kept, kept, options);
}

std::uint32_t Maker::dim(DimOp op, std::int64_t value, std::uint32_t left, std::uint32_t right) {
  manifest.dims.push_back({op, value, left, right});
  return static_cast<std::uint32_t>(manifest.dims.size() - 1);
}

std::uint32_t Maker::symbol(const std::string& name, std::uint32_t input, std::uint32_t axis) {
  const std::uint32_t zero = constantDim(0), one = constantDim(1);
  manifest.symbols.push_back({name, input, axis, zero, one});
  return dim(DimOp::symbol, static_cast<std::int64_t>(manifest.symbols.size() - 1), 0, 0);
}

std::uint32_t Maker::found(const std::string& name, std::uint32_t most) {
  manifest.symbols.push_back({name, 0, 0, 0, 0, true, most});
  return symbolDim(static_cast<std::uint32_t>(manifest.symbols.size()) - 1);
}

std::vector<std::uint32_t> Maker::constantDims(const std::vector<std::int64_t>& sizes) {
  std::vector<std::uint32_t> dims;
  for (std::int64_t size : sizes) dims.push_back(constantDim(size));
  return dims;
}

void Maker::guard(std::uint32_t left, FactRelation relation, std::uint32_t right, const std::string& text) {
  manifest.guards.push_back({left, static_cast<std::uint32_t>(relation), right});
  debug.guards.push_back({text, "asked for by `where`", {{"model.ax", 3, 8, 3, 18, ""}}});
}

std::uint32_t Maker::value(manifest::Graph& graph, Elem elem, const std::vector<std::uint32_t>& dims) {
  graph.values.push_back({static_cast<std::uint32_t>(elem), dims, false, 0});
  return static_cast<std::uint32_t>(graph.values.size() - 1);
}

std::uint32_t Maker::constant(manifest::Graph& graph, Elem elem, const std::vector<std::int64_t>& sizes,
                              const void* data) {
  manifest::Constant constant{static_cast<std::uint32_t>(elem), {}, alignUp(weights.size()), info(elem).bytes};
  for (std::int64_t size : sizes) {
    constant.shape.push_back(static_cast<std::uint64_t>(size));
    constant.bytes *= static_cast<std::uint64_t>(size);
  }
  weights.resize(static_cast<std::size_t>(constant.offset + constant.bytes));
  if (constant.bytes > 0) std::memcpy(weights.data() + constant.offset, data, static_cast<std::size_t>(constant.bytes));
  manifest.constants.push_back(constant);
  const std::uint32_t made = value(graph, elem, constantDims(sizes));
  graph.values[made].isConstant = true;
  graph.values[made].constant = static_cast<std::uint32_t>(manifest.constants.size() - 1);
  return made;
}

void Maker::node(manifest::Graph& graph, std::uint32_t op, std::vector<std::uint32_t> inputs,
                 std::vector<std::uint32_t> outputs, std::vector<std::uint32_t> ints,
                 std::vector<std::uint32_t> bodies) {
  manifest::Node& node = graph.nodes.emplace_back();
  node.op = op;
  node.inputs = std::move(inputs), node.outputs = std::move(outputs);
  node.ints = std::move(ints), node.bodies = std::move(bodies);
}

void Maker::name(const std::string& name, const std::vector<Place>& places) {
  debug.nodes.resize(manifest.graph.nodes.size());
  debug.nodes.back() = {name, places};
}

std::uint32_t Maker::input(const std::string& name, const std::string& type, Elem elem,
                           const std::vector<std::uint32_t>& dims) {
  const std::uint32_t made = value(manifest.graph, elem, dims);
  manifest.graph.inputs.push_back(made);
  manifest.inputs.push_back({name, type});
  return made;
}

void Maker::output(const std::string& name, const std::string& type, std::uint32_t value) {
  manifest.graph.outputs.push_back(value);
  manifest.outputs.push_back({name, type});
}

Maker openRanks() {
  Maker whole;
  whole.manifest.producer = "a test";
  whole.manifest.entry = "main";
  whole.manifest.entryType = "(f32 s @ [n]) -> f32 s @ [n]";
  whole.manifest.inputs = {{"x", "f32 s @ [n]", 0, 0, 0}};
  whole.manifest.outputs = {{"out", "f32 s @ [n]", 0, 0, 0}};
  for (std::uint32_t rank : {1u, 2u}) {
    Maker maker;
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t axis = 0; axis < rank; ++axis)
      sizes.push_back(maker.symbol(axis + 1 == rank ? "n" : "s0", 0, axis));
    const std::string type = rank == 1 ? "f32 [n]" : "f32 [s0, n]";
    auto& graph = maker.manifest.graph;
    std::uint32_t x = maker.input("x", type, Elem::f32, sizes);
    std::uint32_t sum = Maker::value(graph, Elem::f32, sizes);
    Maker::node(graph, op::add, {x, x}, {sum});
    if (rank == 2) {
      const float ten = 10;
      const std::uint32_t by = whole.constant(graph, Elem::f32, {}, &ten),
                          product = Maker::value(graph, Elem::f32, sizes);
      Maker::node(graph, op::mul, {sum, by}, {product});
      sum = product;
    }
    maker.output("out", type, sum);
    maker.manifest.entryType = "(" + type + ") -> " + type;
    whole.manifest.variants.push_back(maker.manifest);
  }
  return whole;
}

}  // namespace axle::runtime::test
