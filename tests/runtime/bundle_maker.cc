#include "tests/runtime/bundle_maker.h"

#include <memory>

#include "runtime/bundle_format.h"

namespace axle::runtime::test {
namespace {

// One message in wire format; fields of value 0 are left out, as proto3 does.
class Message {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    varint(field << 3);
    varint(value);
  }
  void signedNumber(std::uint32_t field, std::int64_t value) {
    number(field, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
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
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

std::string encodePlace(const Place& place) {
  Message m;
  m.text(1, place.file);
  m.number(2, place.line), m.number(3, place.column), m.number(4, place.endLine), m.number(5, place.endColumn);
  m.text(6, place.node);
  return m.take();
}

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
  m.text(4, guard.text), m.text(5, guard.reason);
  m.items(6, guard.places, encodePlace);
  m.number(7, guard.atNode ? 1 : 0);
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
  m.text(1, constant.name);
  m.number(2, constant.elem);
  m.packed(3, constant.shape);
  m.number(4, constant.offset), m.number(5, constant.bytes);
  return m.take();
}

std::string encodeValue(const manifest::Value& value) {
  Message m;
  m.number(1, value.elem);
  m.packed(2, value.shape);
  m.number(3, value.isConstant ? 1 : 0), m.number(4, value.constant);
  return m.take();
}

std::string encodeNode(const manifest::Node& node) {
  Message m;
  m.number(1, node.op);
  m.packed(2, node.inputs), m.packed(3, node.outputs), m.packed(4, node.ints), m.packed(5, node.bodies);
  m.text(6, node.name);
  m.items(7, node.places, encodePlace);
  m.packed(8, node.finds);
  return m.take();
}

std::string encodeGraph(const manifest::Graph& graph) {
  Message m;
  m.items(1, graph.values, encodeValue);
  m.items(2, graph.nodes, encodeNode);
  m.packed(3, graph.inputs), m.packed(4, graph.outputs);
  return m.take();
}

std::span<const std::byte> asBytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

std::string encodeManifest(const manifest::Manifest& manifest) {
  Message m;
  m.number(1, manifest.version);
  m.text(2, manifest.producer), m.text(3, manifest.entry);
  m.items(4, manifest.dims, encodeDim);
  m.items(5, manifest.symbols, encodeSymbol);
  m.items(6, manifest.guards, encodeGuard);
  m.items(7, manifest.inputs, encodePort);
  m.items(8, manifest.outputs, encodePort);
  m.items(9, manifest.constants, encodeConstant);
  m.item(10, encodeGraph(manifest.graph));
  m.items(11, manifest.bodies, encodeGraph);
  m.text(12, manifest.entryType);
  for (const manifest::Manifest& variant : manifest.variants) m.item(13, encodeManifest(variant));
  return m.take();
}

std::vector<std::byte> makeBundle(const manifest::Manifest& manifest, const std::vector<std::byte>& weights) {
  const std::string message = encodeManifest(manifest);
  const auto header = bundleHeader(message.size(), crc32(asBytes(message)), weights.size(), crc32(weights));
  std::vector<std::byte> file(static_cast<std::size_t>(weightsOffset(message.size())) + weights.size());
  std::memcpy(file.data(), header.data(), header.size());
  std::memcpy(file.data() + bundleHeaderBytes, message.data(), message.size());
  if (!weights.empty()) std::memcpy(file.data() + weightsOffset(message.size()), weights.data(), weights.size());
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
  manifest.guards.push_back({left,
                             static_cast<std::uint32_t>(relation),
                             right,
                             text,
                             "asked for by `where`",
                             {{"model.ax", 3, 8, 3, 18, ""}}});
}

std::uint32_t Maker::value(manifest::Graph& graph, Elem elem, const std::vector<std::uint32_t>& dims) {
  graph.values.push_back({static_cast<std::uint32_t>(elem), dims, false, 0});
  return static_cast<std::uint32_t>(graph.values.size() - 1);
}

std::uint32_t Maker::constant(manifest::Graph& graph, Elem elem, const std::vector<std::int64_t>& sizes,
                              const void* data) {
  manifest::Constant constant{"", static_cast<std::uint32_t>(elem), {}, alignUp(weights.size()), info(elem).bytes};
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
                 std::vector<std::uint32_t> outputs, std::vector<std::uint32_t> ints, std::vector<std::uint32_t> bodies,
                 const std::string& name) {
  graph.nodes.push_back({op, std::move(inputs), std::move(outputs), std::move(ints), std::move(bodies), {}, name, {}});
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
  whole.manifest.version = 2;
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
    maker.manifest.version = 0;
    whole.manifest.variants.push_back(maker.manifest);
  }
  return whole;
}

}  // namespace axle::runtime::test
