// Moves operators on captures and constants alone out of bodies, since they compute the same in every iteration.
#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

bool repeatsItsBodies(Op op) { return op == Op::map || op == Op::loop || op == Op::whileLoop || op == Op::reduce; }

// Whether moving an operator out is worth it. Operators that cost nothing, or make their operand larger, move only if
// others need them outside.
bool isWorthMoving(Op op) {
  switch (op) {
    case Op::constant:
    case Op::dims:
    case Op::reshape:
    case Op::broadcast:
    case Op::slice:
    case Op::iota:
      return false;
    default:
      return true;
  }
}

// Whether an operator can run outside: it cannot fail, and its sizes are known there.
bool canMove(const Model& model, const Graph& body, const Node& node, bool movesSlices) {
  if (node.op == Op::constant) return true;
  const bool cannotFail = row(node.op).folding == Folding::always || (node.op == Op::slice && movesSlices);
  if (!cannotFail || !node.bodies.empty() || !node.after.empty() || !node.runSizes.empty()) return false;
  const auto isFound = [&](Dim d) {
    return std::any_of(model.runSizes.begin(), model.runSizes.end(), [&](const RunSize& size) {
      const std::span<const DimVar> all = model.dims->variables(d);
      return std::find(all.begin(), all.end(), size.size) != all.end();
    });
  };
  const Dims integers = integersOf(*model.dims, node.attributes);
  if (std::any_of(integers.begin(), integers.end(), isFound)) return false;
  return std::none_of(node.outputs.begin(), node.outputs.end(), [&](OutletId output) {
    const std::vector<Dim>& shape = body[output].fact.shape;
    return std::any_of(shape.begin(), shape.end(), isFound);
  });
}

struct Invariant {
  std::vector<NodeId> nodes;    // of the body, each after its producers
  std::vector<OutletId> sinks;  // their outlets that other nodes read and that are worth moving
};

Invariant invariantPart(const Model& model, const Graph& body, std::size_t captures, const Hoisting& hoisting) {
  Invariant part;
  auto order = topologicalOrder(body);
  if (!order) return part;
  std::vector<bool> isKnown(body.outlets.size()), isInside(body.nodes.size()), isSink(body.outlets.size());
  for (std::size_t i = captures; i < body.inputs.size(); ++i) isKnown[body.inputs[i].index] = true;
  for (NodeId id : *order) {
    const Node& node = body[id];
    const bool isFixed =
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](OutletId in) { return isKnown[in.index]; });
    if (node.op == Op::input || !isFixed || !canMove(model, body, node, hoisting.movesSlices)) continue;
    isInside[id.index] = true;
    part.nodes.push_back(id);
    for (OutletId output : node.outputs) isKnown[output.index] = true;
  }
  const auto look = [&](OutletId outlet) {
    const NodeId producer = body[outlet].node;
    isSink[outlet.index] = isInside[producer.index] && hoisting.isWanted(body, outlet);
  };
  for (NodeId id : *order)
    if (!isInside[id.index]) std::for_each(body[id].inputs.begin(), body[id].inputs.end(), look);
  std::for_each(body.outputs.begin(), body.outputs.end(), look);
  for (std::uint32_t i = 0; i < isSink.size(); ++i)
    if (isSink[i]) part.sinks.push_back(OutletId{i});
  return part;
}

// Marks the nodes from which the sinks are computed.
std::vector<bool> neededNodes(const Graph& body, const std::vector<OutletId>& sinks) {
  std::vector<bool> isNeeded(body.nodes.size());
  std::vector<OutletId> open = sinks;
  while (!open.empty()) {
    const NodeId id = body[open.back()].node;
    open.pop_back();
    if (isNeeded[id.index]) continue;
    isNeeded[id.index] = true;
    open.insert(open.end(), body[id].inputs.begin(), body[id].inputs.end());
  }
  return isNeeded;
}

// Wires the invariant part beside the operator and makes its sinks captures.
Patch moveOut(Model& model, GraphId g, NodeId id, GraphId from, const Invariant& part, CaptureStart start) {
  const Node& owner = model.graphs[g.index][id];
  const Graph& body = model.graphs[from.index];
  const std::vector<bool> isNeeded = neededNodes(body, part.sinks);
  PatchBuilder builder(model, g, id);
  std::vector<OutletId> outside(body.outlets.size());
  for (std::size_t i = start.ofBody; i < body.inputs.size(); ++i)
    outside[body.inputs[i].index] = owner.inputs[start.ofNode + i - start.ofBody];
  for (NodeId inner : part.nodes) {
    if (!isNeeded[inner.index]) continue;
    Node node = body[inner];
    const std::vector<OutletId> outlets = std::exchange(node.outputs, {});
    const std::vector<std::string> names = node.names;
    const std::vector<Span> spans = node.spans;
    std::vector<Fact> facts;
    for (OutletId outlet : outlets) facts.push_back(body[outlet].fact);
    for (OutletId& input : node.inputs) input = outside[input.index];
    const std::vector<OutletId> fresh = builder.wireNode(std::move(node), std::move(facts));
    builder.edit().added.back().node.names = names;
    builder.edit().added.back().node.spans = spans;
    for (std::size_t i = 0; i < outlets.size(); ++i) outside[outlets[i].index] = fresh[i];
  }
  std::vector<OutletId> inputs = owner.inputs;
  for (OutletId sink : part.sinks) inputs.push_back(outside[sink.index]);
  builder.edit().rewired.emplace_back(id, std::move(inputs));
  Patch patch = *builder.finish("move " + std::to_string(part.sinks.size()) + " results out of a body");
  for (GraphId inner : owner.bodies) {
    const Graph& graph = model.graphs[inner.index];
    GraphEdit edit;
    edit.graph = inner;
    edit.inputs = graph.inputs;
    for (OutletId sink : part.sinks) {
      const OutletId input{static_cast<std::uint32_t>(graph.outlets.size() + edit.added.size())};
      Addition addition;
      addition.node.op = Op::input;
      addition.facts.push_back(withoutValue(body[sink].fact));
      edit.added.push_back(std::move(addition));
      edit.inputs->push_back(input);
      if (inner == from) edit.replaced.emplace_back(sink, input);
    }
    patch.edits.push_back(std::move(edit));
  }
  return patch;
}

}  // namespace

std::optional<Patch> hoistWanted(Model& model, GraphId g, NodeId id, const Hoisting& hoisting) {
  const Node& node = model.graphs[g.index][id];
  if (!repeatsItsBodies(node.op)) return std::nullopt;
  const CaptureStart start = captureStart(node);
  for (GraphId body : node.bodies) {
    if (hasComposite(model, body)) continue;
    const Invariant part = invariantPart(model, model.graphs[body.index], start.ofBody, hoisting);
    if (!part.sinks.empty()) return moveOut(model, g, id, body, part, start);
  }
  return std::nullopt;
}

std::optional<Patch> hoistInvariants(Model& model, const Uses&, GraphId g, NodeId id) {
  const auto isWanted = [](const Graph& body, OutletId outlet) { return isWorthMoving(body.producer(outlet).op); };
  return hoistWanted(model, g, id, {isWanted, false});
}

}  // namespace axle::ir
