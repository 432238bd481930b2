#include "runtime/manifest.h"

#include <algorithm>

#include "bundle.nano.h"
#include "runtime/decode.h"
#include "runtime/program.h"

namespace axle::runtime::manifest {
namespace {

bool readDim(pb_istream_t* stream, DimNode& dim) {
  axle_bundle_DimNode message = axle_bundle_DimNode_init_zero;
  if (!pb_decode(stream, axle_bundle_DimNode_fields, &message)) return false;
  // A number that no operator has becomes dimOpCount, which checkManifest refuses.
  const auto op = static_cast<DimOp>(std::min<std::uint32_t>(message.op, dimOpCount));
  dim = {op, message.value, message.left, message.right};
  return true;
}

bool readSymbol(pb_istream_t* stream, Symbol& symbol) {
  axle_bundle_Symbol message = axle_bundle_Symbol_init_zero;
  bindField(message.name, decodeString, &symbol.name);
  if (!pb_decode(stream, axle_bundle_Symbol_fields, &message)) return false;
  symbol.input = message.input, symbol.axis = message.axis;
  symbol.offset = message.offset, symbol.coefficient = message.coefficient;
  symbol.found = message.found, symbol.most = message.most;
  return true;
}

bool readGuard(pb_istream_t* stream, Guard& guard) {
  axle_bundle_Guard message = axle_bundle_Guard_init_zero;
  if (!pb_decode(stream, axle_bundle_Guard_fields, &message)) return false;
  guard.left = message.left, guard.relation = message.relation, guard.right = message.right;
  guard.atNode = message.at_node;
  return true;
}

bool readPort(pb_istream_t* stream, Port& port) {
  axle_bundle_Port message = axle_bundle_Port_init_zero;
  bindField(message.name, decodeString, &port.name);
  bindField(message.type, decodeString, &port.type);
  if (!pb_decode(stream, axle_bundle_Port_fields, &message)) return false;
  port.splitsOf = message.splits_of, port.rows = message.rows, port.sameAs = message.same_as;
  return true;
}

bool readConstant(pb_istream_t* stream, Constant& constant) {
  axle_bundle_Constant message = axle_bundle_Constant_init_zero;
  bindField(message.shape, decodeNumbers<std::uint64_t>, &constant.shape);
  if (!pb_decode(stream, axle_bundle_Constant_fields, &message)) return false;
  constant.elem = message.elem, constant.offset = message.offset, constant.bytes = message.bytes;
  return true;
}

bool readValue(pb_istream_t* stream, Value& value) {
  axle_bundle_Value message = axle_bundle_Value_init_zero;
  bindField(message.shape, decodeNumbers<std::uint32_t>, &value.shape);
  if (!pb_decode(stream, axle_bundle_Value_fields, &message)) return false;
  value.elem = message.elem, value.isConstant = message.is_constant, value.constant = message.constant;
  return true;
}

bool readPointwise(pb_istream_t* stream, Pointwise& pointwise) {
  axle_bundle_Pointwise message = axle_bundle_Pointwise_init_zero;
  bindField(message.args, decodeNumbers<std::uint32_t>, &pointwise.args);
  if (!pb_decode(stream, axle_bundle_Pointwise_fields, &message)) return false;
  pointwise.op = message.op, pointwise.elem = message.elem, pointwise.shift = message.shift;
  return true;
}

bool readNode(pb_istream_t* stream, Node& node) {
  axle_bundle_Node message = axle_bundle_Node_init_zero;
  bindField(message.inputs, decodeNumbers<std::uint32_t>, &node.inputs);
  bindField(message.outputs, decodeNumbers<std::uint32_t>, &node.outputs);
  bindField(message.ints, decodeNumbers<std::uint32_t>, &node.ints);
  bindField(message.bodies, decodeNumbers<std::uint32_t>, &node.bodies);
  bindField(message.finds, decodeNumbers<std::uint32_t>, &node.finds);
  bindField(message.epilogue, decodeItems<Pointwise, readPointwise>, &node.epilogue);
  if (!pb_decode(stream, axle_bundle_Node_fields, &message)) return false;
  node.op = message.op, node.epilogueInputs = message.epilogue_inputs;
  node.alias = message.alias, node.inPlace = message.in_place, node.byRows = message.by_rows;
  return true;
}

void bindGraph(axle_bundle_Graph& message, Graph& graph) {
  bindField(message.values, decodeItems<Value, readValue>, &graph.values);
  bindField(message.nodes, decodeItems<Node, readNode>, &graph.nodes);
  bindField(message.inputs, decodeNumbers<std::uint32_t>, &graph.inputs);
  bindField(message.outputs, decodeNumbers<std::uint32_t>, &graph.outputs);
  bindField(message.offsets, decodeNumbers<std::uint32_t>, &graph.offsets);
}

bool readGraph(pb_istream_t* stream, Graph& graph) {
  axle_bundle_Graph message = axle_bundle_Graph_init_zero;
  bindGraph(message, graph);
  return pb_decode(stream, axle_bundle_Graph_fields, &message);
}

// Binds the fields that variants do not share.
void bindProgram(axle_bundle_Manifest& message, Manifest& manifest) {
  bindField(message.entry_type, decodeString, &manifest.entryType);
  bindField(message.dims, decodeItems<DimNode, readDim>, &manifest.dims);
  bindField(message.symbols, decodeItems<Symbol, readSymbol>, &manifest.symbols);
  bindField(message.guards, decodeItems<Guard, readGuard>, &manifest.guards);
  bindField(message.inputs, decodeItems<Port, readPort>, &manifest.inputs);
  bindField(message.outputs, decodeItems<Port, readPort>, &manifest.outputs);
  bindGraph(message.graph, manifest.graph);
  bindField(message.bodies, decodeItems<Graph, readGraph>, &manifest.bodies);
}

// Stores the bytes of a message without decoding it.
bool skipMessage(pb_istream_t* stream, const pb_field_t*, void** arg) {
  const auto* bytes = static_cast<const std::byte*>(stream->state);
  *static_cast<std::span<const std::byte>*>(*arg) = {bytes, stream->bytes_left};
  return pb_read(stream, nullptr, stream->bytes_left);
}

std::size_t numberOf(const Graph& graph, const Node& node) {
  return graph.firstNode + static_cast<std::size_t>(&node - graph.nodes.data());
}

}  // namespace

bool readProgram(pb_istream_t* stream, Manifest& manifest) {
  axle_bundle_Manifest message = axle_bundle_Manifest_init_zero;
  bindProgram(message, manifest);
  return pb_decode_noinit(stream, axle_bundle_Manifest_fields, &message);
}

void prepareDebug(Manifest& manifest, DebugView debug) {
  manifest.debug = debug;
  std::size_t next = manifest.graph.nodes.size();
  for (Graph& body : manifest.bodies) {
    body.firstNode = next;
    next += body.nodes.size();
  }
}

Result<Manifest> readManifest(std::span<const std::byte> bytes, std::span<const std::byte> debug) {
  Manifest manifest;
  axle_bundle_Manifest message = axle_bundle_Manifest_init_zero;
  bindField(message.producer, decodeString, &manifest.producer);
  bindField(message.entry, decodeString, &manifest.entry);
  bindField(message.constants, decodeItems<Constant, readConstant>, &manifest.constants);
  bindProgram(message, manifest);
  bindField(message.variants, decodeItems<Manifest, readProgram, maxVariants>, &manifest.variants);
  bindField(message.stream, skipMessage, &manifest.stream);
  pb_istream_t stream = pb_istream_from_buffer(reinterpret_cast<const pb_byte_t*>(bytes.data()), bytes.size());
  if (!pb_decode_noinit(&stream, axle_bundle_Manifest_fields, &message))
    return failure(ErrorCode::malformed,
                   std::string("the bundle's manifest cannot be decoded: ") + PB_GET_ERROR(&stream));
  manifest.threads = message.threads;
  prepareDebug(manifest, {debug, 0});
  for (std::size_t i = 0; i < manifest.variants.size(); ++i) prepareDebug(manifest.variants[i], {debug, i});
  return manifest;
}

std::string nodeLabel(const NodeText& text, const Graph& graph, const Node& node) {
  if (!text.name.empty()) return "`" + text.name + "`";
  const OpRow* row = operatorRow(node.op);
  return "node " + std::to_string(numberOf(graph, node)) + (row == nullptr ? "" : " (" + std::string(row->name) + ")");
}

NodeText describeNode(const Manifest& manifest, const Graph& graph, const Node& node) {
  return describeNode(manifest.debug, numberOf(graph, node));
}

}  // namespace axle::runtime::manifest
