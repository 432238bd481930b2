#include "ir/passes/patch_builder.h"

#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"

namespace axle::ir {

PatchBuilder::PatchBuilder(Model& model, GraphId graph, NodeId origin) : model_(model), origin_(origin) {
  edit_.graph = graph;
  const Node& node = model.graphs[graph.index][origin];
  if (!node.names.empty()) at_ = node.names.front();
}

const Fact& PatchBuilder::tap(OutletId id) const {
  const Graph& graph = model_.graphs[edit_.graph.index];
  if (id.index < graph.outlets.size()) return graph[id].fact;
  const auto& [addition, slot] = places_[id.index - graph.outlets.size()];
  return edit_.added[addition].facts[slot];
}

void PatchBuilder::comeFrom(OutletId outlet) {
  const Graph& graph = model_.graphs[edit_.graph.index];
  if (outlet.index < graph.outlets.size()) origin_ = graph[outlet].node;
}

// Returns the outlets that compute the run-time sizes which a new node mentions and its inputs do not have.
std::vector<OutletId> PatchBuilder::orderAfterSizes(const Node& node, const std::vector<Fact>& facts) const {
  std::vector<OutletId> after;
  if (model_.runSizes.empty()) return after;
  std::vector<DimVar> mentioned, given;
  auto add = [&](std::vector<DimVar>& to, const std::vector<Dim>& sizes) {
    for (Dim d : sizes)
      for (DimVar v : model_.dims->variables(d))
        if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (const Fact& fact : facts) add(mentioned, fact.shape);
  add(mentioned, integersOf(*model_.dims, node.attributes));
  for (OutletId input : node.inputs) add(given, tap(input).shape);
  const Graph& graph = model_.graphs[edit_.graph.index];
  for (DimVar v : mentioned) {
    if (std::find(given.begin(), given.end(), v) != given.end()) continue;
    for (const Node& finder : graph.nodes)
      for (const auto& [slot, size] : finder.runSizes)
        if (size == v) after.push_back(finder.outputs[slot]);
  }
  return after;
}

std::vector<OutletId> PatchBuilder::wireNode(Node node, std::vector<Fact> facts) {
  const Graph& graph = model_.graphs[edit_.graph.index];
  const Node& origin = graph[origin_];
  node.names = origin.names;
  node.spans = origin.spans;
  node.after = orderAfterSizes(node, facts);
  std::vector<OutletId> outlets;
  for (std::uint32_t slot = 0; slot < facts.size(); ++slot) {
    outlets.push_back(OutletId{static_cast<std::uint32_t>(graph.outlets.size() + places_.size())});
    places_.emplace_back(static_cast<std::uint32_t>(edit_.added.size()), slot);
  }
  edit_.added.push_back({std::move(node), std::move(facts)});
  return outlets;
}

OutletId PatchBuilder::wire(Op op, std::vector<OutletId> inputs, Attributes attributes, const Fact* declared) {
  if (failed_ || std::find(inputs.begin(), inputs.end(), OutletId()) != inputs.end()) {
    failed_ = true;
    return {};
  }
  std::vector<Fact> facts, known;
  for (OutletId input : inputs) facts.push_back(tap(input));
  known.push_back(declared ? withoutValue(*declared) : Fact{});
  Inferred inferred = inferNode(*model_.dims, op, facts, attributes, known);
  if (!inferred || inferred->size() != 1) {
    failed_ = true;
    return {};
  }
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return wireNode(std::move(node), std::move(*inferred)).front();
}

OutletId PatchBuilder::wireConstant(ConstantId constant) {
  Addition addition = constantNode(model_, constant);
  OutletId outlet = wireNode(std::move(addition.node), std::move(addition.facts)).front();
  edit_.added.back().node.names.clear();
  edit_.added.back().node.spans.clear();
  return outlet;
}

OutletId PatchBuilder::wireScalar(Elem elem, bool isOne) { return wireConstant(scalarConstant(model_, elem, isOne)); }

OutletId PatchBuilder::wireReshape(OutletId x, std::vector<Dim> shape) {
  if (failed_ || !x) return {};
  if (tap(x).shape == shape) return x;
  const Fact declared{tap(x).elem, std::move(shape), {}};
  return wire(Op::reshape, {x}, {}, &declared);
}

void PatchBuilder::shunt(OutletId from, OutletId to) {
  if (to)
    edit_.replaced.emplace_back(from, to);
  else
    failed_ = true;
}

void PatchBuilder::declareEqual(Dim from, Dim to) {
  if (from != to) edit_.equalSizes.emplace_back(from, to);
}

std::optional<Patch> PatchBuilder::finish(std::string what) {
  if (failed_) return std::nullopt;
  Patch patch{std::move(what), {}};
  patch.at = at_;
  patch.edits.push_back(std::move(edit_));
  return patch;
}

Addition constantNode(const Model& model, ConstantId id) {
  Addition addition;
  addition.node.op = Op::constant;
  addition.node.constant = id;
  Fact fact{model[id].elem, {}, id};
  for (std::int64_t size : model[id].shape) fact.shape.push_back(model.dims->constant(size));
  addition.facts.push_back(std::move(fact));
  return addition;
}

}  // namespace axle::ir
