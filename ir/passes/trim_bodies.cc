// Removes from operators with bodies the results that nothing reads and the states that only feed themselves. States
// that every iteration passes on unchanged become captures.
#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

// The layout of an operator's inputs and bodies.
struct Layout {
  std::size_t states = 0, sequences = 0;
  std::vector<GraphId> stepping;  // bodies that return states and results
  std::optional<GraphId> condition;
};

std::optional<Layout> layoutOf(const Node& node) {
  switch (node.op) {
    case Op::map:
      return Layout{0, as<MapAttributes>(node).sequences, {node.bodies[0]}, {}};
    case Op::loop:
      return Layout{as<LoopAttributes>(node).states, as<LoopAttributes>(node).sequences, {node.bodies[0]}, {}};
    case Op::whileLoop:
      return Layout{as<WhileAttributes>(node).states, 0, {node.bodies[1]}, node.bodies[0]};
    case Op::branch:
      return Layout{0, 0, node.bodies, {}};
    default:
      return std::nullopt;
  }
}

// Marks, by index, the outlets of a graph from which the wanted outlets are computed.
std::vector<bool> neededFor(const Graph& graph, const std::vector<OutletId>& wanted) {
  std::vector<bool> isNeeded(graph.outlets.size());
  std::vector<OutletId> open = wanted;
  while (!open.empty()) {
    const OutletId outlet = open.back();
    open.pop_back();
    if (isNeeded[outlet.index]) continue;
    for (OutletId output : graph.producer(outlet).outputs) isNeeded[output.index] = true;
    for (const std::vector<OutletId>* read : {&graph.producer(outlet).inputs, &graph.producer(outlet).after})
      open.insert(open.end(), read->begin(), read->end());
  }
  return isNeeded;
}

// Marks the outputs that must stay: those that are read, find a size, or are states from which others are computed.
std::vector<bool> neededOutputs(const Model& model, const Uses& uses, GraphId g, const Node& node,
                                const Layout& layout) {
  std::vector<bool> isKept(node.outputs.size());
  for (std::size_t i = 0; i < isKept.size(); ++i) isKept[i] = uses.count(g, node.outputs[i]) > 0;
  for (const auto& [slot, size] : node.runSizes) isKept[slot] = true;
  if (layout.states == 0) return isKept;
  const Graph& step = model.graphs[layout.stepping[0].index];
  std::vector<bool> isTested;
  if (layout.condition) {
    const Graph& condition = model.graphs[layout.condition->index];
    isTested = neededFor(condition, condition.outputs);
  }
  for (bool isChanged = true; isChanged;) {
    std::vector<OutletId> wanted;
    for (std::size_t i = 0; i < isKept.size(); ++i)
      if (isKept[i]) wanted.push_back(step.outputs[i]);
    const std::vector<bool> isNeeded = neededFor(step, wanted);
    isChanged = false;
    for (std::size_t i = 0; i < layout.states; ++i) {
      const bool isRead = isNeeded[step.inputs[i].index] ||
                          (layout.condition && isTested[model.graphs[layout.condition->index].inputs[i].index]);
      if (!isRead || isKept[i]) continue;
      isKept[i] = true;
      isChanged = true;
    }
  }
  return isKept;
}

template <class T>
std::vector<T> keptOf(const std::vector<T>& all, const std::vector<bool>& isKept) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i >= isKept.size() || isKept[i]) some.push_back(all[i]);
  return some;
}

// Makes the operator again without the outputs that are not kept, and without the inputs of such states. The states of
// `isMoved` become captures.
Patch trim(Model& model, GraphId g, NodeId id, const Layout& layout, const std::vector<bool>& isKept,
           const std::vector<bool>& isMoved) {
  const Node& old = model.graphs[g.index][id];
  PatchBuilder builder(model, g, id);
  const std::vector<bool> keptStates(isKept.begin(), isKept.begin() + static_cast<std::ptrdiff_t>(layout.states));
  Node node = old;
  node.outputs.clear();
  node.inputs = keptOf(old.inputs, keptStates);
  std::vector<OutletId> bodyInputs;
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < old.outputs.size(); ++i) {
    if (isKept[i]) facts.push_back(model.graphs[g.index][old.outputs[i]].fact);
    if (i < isMoved.size() && isMoved[i]) node.inputs.push_back(old.inputs[i]);
  }
  const auto states = static_cast<std::size_t>(std::count(keptStates.begin(), keptStates.end(), true));
  if (auto* loop = std::get_if<LoopAttributes>(&node.attributes)) loop->states = states;
  if (auto* loop = std::get_if<WhileAttributes>(&node.attributes)) loop->states = states;
  node.runSizes.clear();
  for (const auto& [slot, size] : old.runSizes) {
    const auto before = std::count(isKept.begin(), isKept.begin() + static_cast<std::ptrdiff_t>(slot), true);
    node.runSizes.emplace_back(static_cast<std::uint32_t>(before), size);
  }
  const std::vector<OutletId> after = old.after;
  const std::vector<OutletId> fresh = builder.wireNode(std::move(node), std::move(facts));
  builder.edit().added.back().node.after = after;
  std::size_t next = 0;
  for (std::size_t i = 0; i < old.outputs.size(); ++i)
    if (isKept[i])
      builder.shunt(old.outputs[i], fresh[next++]);
    else if (i < isMoved.size() && isMoved[i])
      builder.shunt(old.outputs[i], old.inputs[i]);
  Patch patch = *builder.finish("trim the results of " + std::string(row(old.op).name));
  patch.edits[0].removed.push_back(id);
  for (GraphId body : old.bodies) {
    const Graph& inner = model.graphs[body.index];
    GraphEdit edit;
    edit.graph = body;
    edit.inputs = keptOf(inner.inputs, keptStates);
    for (std::size_t i = 0; i < isMoved.size(); ++i)
      if (isMoved[i]) edit.inputs->push_back(inner.inputs[i]);
    if (layout.condition != body) edit.outputs = keptOf(inner.outputs, isKept);
    patch.edits.push_back(std::move(edit));
  }
  return patch;
}

}  // namespace

std::optional<Patch> trimBody(Model& model, const Uses& uses, GraphId g, NodeId id) {
  const Node& node = model.graphs[g.index][id];
  if (node.bodies.empty()) return std::nullopt;
  const std::optional<Layout> layout = layoutOf(node);
  if (!layout) return std::nullopt;
  std::vector<bool> isKept = neededOutputs(model, uses, g, node, *layout), isMoved(layout->states);
  const Graph& step = model.graphs[layout->stepping[0].index];
  for (std::size_t i = 0; i < layout->states; ++i)
    if (isKept[i] && step.outputs[i] == step.inputs[i]) {
      isMoved[i] = true;
      isKept[i] = false;
    }
  const bool isSame = std::find(isKept.begin(), isKept.end(), false) == isKept.end();
  const bool isUnread = std::find(isKept.begin(), isKept.end(), true) == isKept.end() &&
                        std::find(isMoved.begin(), isMoved.end(), true) == isMoved.end();
  if (isSame || isUnread) return std::nullopt;  // `prune` removes what nothing reads
  return trim(model, g, id, *layout, isKept, isMoved);
}

}  // namespace axle::ir
