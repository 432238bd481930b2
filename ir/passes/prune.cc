// Removes operators that no output needs, bodies whose operator was removed, and captures that no body reads.
#include <algorithm>

#include "ir/passes/pass.h"

namespace axle::ir {

namespace {

std::optional<Patch> unusedNodes(const Model& model) {
  Patch patch;
  std::size_t count = 0;
  std::vector<bool> owned(model.graphs.size());
  owned[0] = true;
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g) {
    const Graph& graph = model.graphs[g];
    GraphEdit edit;
    edit.graph = GraphId{g};
    if (!owned[g]) {  // owners come before their bodies
      if (graph.nodes.empty()) continue;
      edit.clear = true;
      count += graph.nodes.size();
      patch.edits.push_back(std::move(edit));
      continue;
    }
    std::vector<bool> needed(graph.nodes.size());
    if (auto order = topologicalOrder(graph))
      for (NodeId id : *order) needed[id.index] = true;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
      if (!needed[n] && graph.nodes[n].op != Op::none) edit.removed.push_back(NodeId{n});
      if (needed[n])
        for (GraphId body : graph.nodes[n].bodies) owned[body.index] = true;
    }
    count += edit.removed.size();
    if (!edit.removed.empty()) patch.edits.push_back(std::move(edit));
  }
  if (patch.edits.empty()) return std::nullopt;
  patch.what = "remove " + std::to_string(count) + " unused operators";
  return patch;
}

// Returns, by outlet, whether an operator or the graph's outputs read it.
std::vector<bool> readOutlets(const Graph& graph) {
  std::vector<bool> isRead(graph.outlets.size());
  for (const Node& node : graph.nodes)
    for (OutletId input : node.inputs) isRead[input.index] = true;
  for (OutletId output : graph.outputs) isRead[output.index] = true;
  return isRead;
}

// Removes captures that none of the operator's bodies reads.
void dropUnusedCaptures(const Model& model, const std::vector<std::vector<bool>>& isRead, std::uint32_t g, NodeId id,
                        Patch& patch) {
  const Node& node = model.graphs[g][id];
  CaptureStart start = captureStart(node);
  std::vector<bool> keep;
  for (std::size_t i = 0; start.ofNode + i < node.inputs.size(); ++i)
    keep.push_back(std::any_of(node.bodies.begin(), node.bodies.end(), [&](GraphId body) {
      return isRead[body.index][model.graphs[body.index].inputs[start.ofBody + i].index];
    }));
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return;
  auto kept = [&](const std::vector<OutletId>& all, std::size_t from) {
    std::vector<OutletId> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
    for (std::size_t i = from; i < all.size(); ++i)
      if (keep[i - from]) some.push_back(all[i]);
    return some;
  };
  GraphEdit owner;
  owner.graph = GraphId{g};
  owner.rewired.push_back({id, kept(node.inputs, start.ofNode)});
  patch.edits.push_back(std::move(owner));
  for (GraphId body : node.bodies) {
    GraphEdit edit;
    edit.graph = body;
    edit.inputs = kept(model.graphs[body.index].inputs, start.ofBody);
    patch.edits.push_back(std::move(edit));
  }
}

// Removes unused captures of all operators. A later step removes a capture that only operators within the body pass on.
std::optional<Patch> unusedCaptures(const Model& model) {
  std::vector<std::vector<bool>> isRead;
  for (const Graph& graph : model.graphs) isRead.push_back(readOutlets(graph));
  Patch patch{"drop captures that are not read", {}};
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g)
    for (std::uint32_t n = 0; n < model.graphs[g].nodes.size(); ++n)
      if (!model.graphs[g].nodes[n].bodies.empty()) dropUnusedCaptures(model, isRead, g, NodeId{n}, patch);
  return patch.edits.empty() ? std::nullopt : std::optional(std::move(patch));
}

}  // namespace

std::optional<Patch> pruneStep(Model& model, const PassContext&) {
  if (auto patch = unusedNodes(model)) return patch;
  return unusedCaptures(model);
}

}  // namespace axle::ir
