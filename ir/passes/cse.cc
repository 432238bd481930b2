// Eliminates common subexpressions: keeps one of the nodes that compute the same.
#include <algorithm>
#include <map>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"

namespace axle::ir {

namespace {

// The data that determine a node's values. They include declared facts, on which some operators' results depend.
struct Computation {
  Op op;
  std::uint32_t constant;
  std::vector<OutletId> inputs;
  std::vector<Dim> attributes;
  std::vector<std::pair<Elem, std::vector<Dim>>> results;
  friend auto operator<=>(const Computation&, const Computation&) = default;
};

// Whether a node can be shared: nodes that find sizes, check something or own bodies stay as they are.
bool isPlain(const Node& node) {
  return node.op != Op::none && node.op != Op::input && node.bodies.empty() && node.runSizes.empty() &&
         node.checks.empty() && node.after.empty() && !node.outputs.empty();
}

}  // namespace

std::optional<Patch> commonSubexpressionsStep(Model& model, const PassContext&) {
  Patch patch;
  std::size_t count = 0;
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g) {
    const Graph& graph = model.graphs[g];
    auto order = topologicalOrder(graph);
    if (!order) continue;
    std::vector<OutletId> kept;  // by outlet: the kept outlet with the same value
    for (std::uint32_t i = 0; i < graph.outlets.size(); ++i) kept.push_back(OutletId{i});
    std::map<Computation, NodeId> known;
    GraphEdit edit;
    edit.graph = GraphId{g};
    for (NodeId id : *order) {
      const Node& node = graph[id];
      if (!isPlain(node)) continue;
      Computation same{node.op, node.constant.index, {}, integersOf(*model.dims, node.attributes), {}};
      for (OutletId input : node.inputs) same.inputs.push_back(kept[input.index]);
      if (isCommutative(node.op)) std::sort(same.inputs.begin(), same.inputs.end());
      for (OutletId output : node.outputs) same.results.emplace_back(graph[output].fact.elem, graph[output].fact.shape);
      const auto [first, isNew] = known.try_emplace(std::move(same), id);
      if (isNew) continue;
      for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
        kept[node.outputs[slot].index] = graph[first->second].outputs[slot];
        edit.replaced.emplace_back(node.outputs[slot], kept[node.outputs[slot].index]);
      }
      ++count;
    }
    if (!edit.replaced.empty()) patch.edits.push_back(std::move(edit));
  }
  if (patch.edits.empty()) return std::nullopt;
  patch.what = "share " + std::to_string(count) + " common subexpressions";
  return patch;
}

}  // namespace axle::ir
