// Folds constants: runs the constant part of all graphs once on the runtime's kernels, and replaces its sinks by
// constants. An operator is folded only if its result is not much larger than its inputs, so that models do not grow,
// and only if it cannot fail, so that failures happen in the run. Small weights, such as constants of imported graphs,
// become constants with bytes, so that rules see their numbers.
#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

constexpr std::size_t smallBytes = 1024;       // results up to this size count as small
constexpr std::int64_t smallWeightBytes = 64;  // weights up to this size become constants with bytes

bool sliceInRange(const DimStore& dims, const Graph& graph, const Node& node) {
  auto number = [&](Dim d) { return dims.asConstant(d).value_or(-1); };
  const auto& slice = std::get<SliceAttributes>(node.attributes);
  const std::int64_t start = number(slice.start), step = number(slice.step);
  const Fact &in = graph[node.inputs[0]].fact, &out = graph[node.outputs[0]].fact;
  if (slice.axis >= in.shape.size() || start < 0 || step < 1) return false;
  const std::int64_t size = number(in.shape[slice.axis]), length = number(out.shape[slice.axis]);
  return length == 0 || (length > 0 && size >= 0 && start < size && (length - 1) <= (size - 1 - start) / step);
}

bool cannotFail(const Model& model, const Graph& graph, const Node& node) {
  switch (row(node.op).folding) {
    case Folding::never:
      return false;
    case Folding::always:
      break;
    case Folding::checked:
      if (node.op == Op::gather) return false;
      if (node.op == Op::slice && !sliceInRange(*model.dims, graph, node)) return false;
      if ((node.op == Op::div || node.op == Op::mod) && info(graph[node.outputs[0]].fact.elem).isInt) return false;
      break;
  }
  // Shapes of constants are numbers, so the rule detects sizes that a guard would refuse.
  Inferred inferred = infer(model, graph, node);
  const Dims integers = integersOf(*model.dims, node.attributes);
  return inferred &&
         std::all_of(integers.begin(), integers.end(), [&](Dim d) { return model.dims->asConstant(d).has_value(); });
}

bool staysSmall(const Model& model, const Graph& graph, const Node& node) {
  std::size_t in = 0, out = 0;
  for (OutletId id : node.inputs) in += static_cast<std::size_t>(knownBytes(*model.dims, graph[id].fact).value_or(0));
  for (OutletId id : node.outputs) {
    const std::optional<std::int64_t> bytes = knownBytes(*model.dims, graph[id].fact);
    if (!bytes) return false;
    out += static_cast<std::size_t>(*bytes);
  }
  return out <= std::max(in, smallBytes);
}

bool isUsable(const Model& model, const Node& node, const PassContext& context) {
  return node.op == Op::constant && (context.weightsKnown || model[node.constant].bytes);
}

bool isSmallWeight(const Model& model, const Graph& graph, const Node& node) {
  if (node.op != Op::constant || model[node.constant].bytes) return false;
  const std::optional<std::int64_t> bytes = knownBytes(*model.dims, graph[node.outputs[0]].fact);
  return bytes && *bytes <= smallWeightBytes;
}

// The nodes with only constant inputs, in order, and those of their outlets that other nodes read.
struct ConstantPart {
  std::vector<NodeId> nodes;
  std::vector<OutletId> sinks;
};

ConstantPart constantPart(const Model& model, const Graph& graph, const PassContext& context) {
  ConstantPart part;
  auto order = topologicalOrder(graph);
  if (!order) return part;
  std::vector<bool> known(graph.outlets.size()), inside(graph.nodes.size());
  for (NodeId id : *order) {
    const Node& node = graph[id];
    bool ready =
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](OutletId input) { return known[input.index]; });
    inside[id.index] =
        isUsable(model, node, context) || (ready && cannotFail(model, graph, node) && staysSmall(model, graph, node));
    if (!inside[id.index]) continue;
    part.nodes.push_back(id);
    for (OutletId output : node.outputs) known[output.index] = true;
  }
  std::vector<bool> isSink(graph.outlets.size());
  for (NodeId id : *order)
    if (!inside[id.index])
      for (OutletId input : graph[id].inputs) isSink[input.index] = known[input.index];
  for (OutletId output : graph.outputs) isSink[output.index] = known[output.index];
  for (std::uint32_t i = 0; i < isSink.size(); ++i) {
    if (!isSink[i]) continue;
    const Node& producer = graph.producer(OutletId{i});
    if (producer.op != Op::constant || isSmallWeight(model, graph, producer)) part.sinks.push_back(OutletId{i});
  }
  return part;
}

// Appends the part to `into` and makes its sinks outputs.
void copyPart(const Graph& graph, const ConstantPart& part, Graph& into) {
  std::vector<OutletId> copied(graph.outlets.size());
  for (NodeId id : part.nodes) {
    Node node = graph[id];
    std::vector<Fact> facts;
    for (OutletId output : node.outputs) facts.push_back(graph[output].fact);
    for (OutletId& input : node.inputs) input = copied[input.index];
    std::vector<OutletId> outputs = std::exchange(node.outputs, {});
    NodeId fresh = into.add(std::move(node), std::move(facts));
    for (std::size_t i = 0; i < outputs.size(); ++i) copied[outputs[i].index] = into[fresh].outputs[i];
  }
  for (OutletId sink : part.sinks) into.outputs.push_back(copied[sink.index]);
}

std::optional<Patch> foldSinks(Model& model, const PassContext& context) {
  Model constants;
  constants.dims = model.dims;
  constants.entry = "constants";
  constants.constants = model.constants;
  constants.weights = model.weights;
  constants.graphs.emplace_back();
  std::vector<ConstantPart> parts;
  for (const Graph& graph : model.graphs) {
    parts.push_back(constantPart(model, graph, context));
    if (!parts.back().sinks.empty()) copyPart(graph, parts.back(), constants.graphs[0]);
  }
  std::size_t sinks = constants.graphs[0].outputs.size();
  if (sinks == 0) return std::nullopt;
  for (std::size_t i = 0; i < sinks; ++i) constants.outputNames.push_back(std::to_string(i));
  auto values = context.evaluate(constants);
  if (!values || values->size() != sinks) return std::nullopt;
  Patch patch{"fold " + std::to_string(sinks) + " constants", {}};
  std::size_t next = 0;
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g) {
    GraphEdit edit;
    edit.graph = GraphId{g};
    auto fresh = static_cast<std::uint32_t>(model.graphs[g].outlets.size());
    for (OutletId sink : parts[g].sinks) {
      const Fact& fact = model.graphs[g][sink].fact;
      ConstantId id = model.addConstant(fact.elem, *constantShape(*model.dims, fact), std::move((*values)[next++]));
      edit.added.push_back(constantNode(model, id));
      edit.replaced.push_back({sink, OutletId{fresh++}});
    }
    if (!edit.added.empty()) patch.edits.push_back(std::move(edit));
  }
  return patch;
}

// Copies captures that are constants into the bodies.
std::optional<Patch> constantCaptures(const Model& model) {
  Patch patch{"copy constants into bodies", {}};
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      CaptureStart start = captureStart(node);
      for (GraphId body : node.bodies) {
        const Graph& inner = model.graphs[body.index];
        std::vector<std::vector<NodeId>> readers = successors(inner);
        GraphEdit edit;
        edit.graph = body;
        for (std::size_t i = 0; start.ofNode + i < node.inputs.size(); ++i) {
          OutletId input = inner.inputs[start.ofBody + i];
          const Node& producer = graph.producer(node.inputs[start.ofNode + i]);
          bool isOutput = std::find(inner.outputs.begin(), inner.outputs.end(), input) != inner.outputs.end();
          if (producer.op != Op::constant || (readers[input.index].empty() && !isOutput)) continue;
          edit.replaced.push_back(
              {input, OutletId{static_cast<std::uint32_t>(inner.outlets.size() + edit.added.size())}});
          edit.added.push_back(constantNode(model, producer.constant));
        }
        if (!edit.added.empty()) patch.edits.push_back(std::move(edit));
      }
    }
  if (patch.edits.empty()) return std::nullopt;
  return patch;
}

}  // namespace

std::optional<Patch> foldStep(Model& model, const PassContext& context) {
  if (auto patch = constantCaptures(model)) return patch;
  if (!context.evaluate) return std::nullopt;
  return foldSinks(model, context);
}

}  // namespace axle::ir
