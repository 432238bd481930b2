#include "ir/passes/patch.h"

#include <algorithm>
#include <unordered_map>

#include "ir/ops/table.h"

namespace axle::ir {

namespace {

template <class T>
void appendNew(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& item : from)
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

void redirect(Graph& graph, const std::vector<std::pair<OutletId, OutletId>>& replaced) {
  std::unordered_map<std::uint32_t, OutletId> by;
  for (const auto& [from, to] : replaced) by[from.index] = to;
  auto follow = [&](OutletId& id) {
    if (auto it = by.find(id.index); it != by.end()) id = it->second;
  };
  for (Node& node : graph.nodes) {
    for (OutletId& input : node.inputs) follow(input);
    for (OutletId& before : node.after) follow(before);
  }
  for (OutletId& output : graph.outputs) follow(output);
}

// Composites follow replaced outlets; one without outputs is removed.
void redirect(Model& model, const GraphEdit& edit) {
  const Graph& graph = model.graphs[edit.graph.index];
  std::unordered_map<std::uint32_t, OutletId> by;
  for (const auto& [from, to] : edit.replaced) by[from.index] = to;
  for (Composite& composite : model.composites) {
    if (composite.graph != edit.graph) continue;
    auto follow = [&](OutletId& id) {
      if (auto it = by.find(id.index); it != by.end()) id = it->second;
      if (id && (edit.clear || graph.producer(id).op == Op::none)) id = OutletId();
    };
    for (OutletId& output : composite.outputs) follow(output);
    for (std::size_t i = 0; i < composite.inputs.size(); ++i) {
      follow(composite.inputs[i]);
      if (OutletId id = composite.inputs[i]; id && graph.producer(id).constant)
        composite.constants[i] = graph.producer(id).constant;
    }
  }
  std::erase_if(model.composites, [&](const Composite& composite) {
    return std::none_of(composite.outputs.begin(), composite.outputs.end(), [](OutletId id) { return bool(id); });
  });
}

bool apply(Graph& graph, const GraphEdit& edit) {
  if (edit.clear) {
    graph = Graph{};
    return true;
  }
  for (const Addition& addition : edit.added) graph.add(addition.node, addition.facts);
  for (const auto& [from, to] : edit.replaced) {
    if (from.index >= graph.outlets.size() || to.index >= graph.outlets.size()) return false;
    const Node old = graph.producer(from);
    Node& fresh = graph[graph[to].node];
    appendNew(fresh.names, old.names);
    appendNew(fresh.spans, old.spans);
  }
  redirect(graph, edit.replaced);
  for (const auto& [node, inputs] : edit.rewired) {
    if (node.index >= graph.nodes.size()) return false;
    graph[node].inputs = inputs;
  }
  if (edit.inputs) graph.inputs = *edit.inputs;
  for (NodeId id : edit.removed) {
    if (id.index >= graph.nodes.size()) return false;
    graph[id] = Node{};
  }
  return true;
}

std::string describe(const Model& model, std::uint32_t graph, std::uint32_t node) {
  const Node& n = model.graphs[graph].nodes[node];
  std::string text = (graph ? "body " + std::to_string(graph) : std::string("main")) + ", node " + std::to_string(node);
  text += " (" + std::string(row(n.op).name);
  if (!n.names.empty()) text += ", " + n.names.front();
  return text + ")";
}

std::optional<std::string> verifyNode(const Model& model, std::uint32_t graphIndex, std::uint32_t nodeIndex) {
  const Graph& graph = model.graphs[graphIndex];
  const Node& node = graph.nodes[nodeIndex];
  for (OutletId input : node.inputs)
    if (graph.producer(input).op == Op::none) return "it reads an outlet whose producer was removed";
  for (OutletId before : node.after)
    if (graph.producer(before).op == Op::none) return "the node that computes a size of it was removed";
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
    if (graph[node.outputs[slot]].node.index != nodeIndex || graph[node.outputs[slot]].slot != slot)
      return "an outlet of it names another producer";
  for (GraphId body : node.bodies)
    if (body.index <= graphIndex || body.index >= model.graphs.size())
      return "its body has a smaller id than its owner, or none";
  if (node.op == Op::constant) {
    if (node.constant.index >= model.constants.size()) return "its constant is out of range";
    const Constant& constant = model[node.constant];
    std::vector<Dim> shape;
    for (std::int64_t size : constant.shape) shape.push_back(model.dims->constant(size));
    const Fact& fact = graph[node.outputs[0]].fact;
    return fact.elem == constant.elem && fact.shape == shape
               ? std::nullopt
               : std::optional<std::string>("its fact differs from its constant");
  }
  Inferred inferred = infer(model, graph, node);
  if (!inferred) return inferred.error();
  for (std::size_t i = 0; i < inferred->size(); ++i) {
    const Fact& declared = graph[node.outputs[i]].fact;
    if ((*inferred)[i].elem != declared.elem || alwaysDiffer(*model.dims, (*inferred)[i].shape, declared.shape))
      return "output " + std::to_string(i) + " is " + typeText(*model.dims, (*inferred)[i]) + ", not " +
             typeText(*model.dims, declared);
  }
  return std::nullopt;
}

// By graph: whether the patch edits it, or a body of one of its operators.
std::vector<bool> touchedBy(const Model& model, const Patch& patch) {
  std::vector<bool> isEdited(model.graphs.size()), touched;
  for (const GraphEdit& edit : patch.edits) isEdited[edit.graph.index] = true;
  touched = isEdited;
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g)
    for (const Node& node : model.graphs[g].nodes)
      for (GraphId body : node.bodies)
        if (body.index < isEdited.size() && isEdited[body.index]) touched[g] = true;
  return touched;
}

std::optional<std::string> verifyGraph(const Model& model, std::uint32_t g) {
  const Graph& graph = model.graphs[g];
  if (!topologicalOrder(graph))
    return (g ? "body " + std::to_string(g) : std::string("main")) + " has a cycle or an id out of range";
  for (OutletId output : graph.outputs)
    if (graph.producer(output).op == Op::none) return "an output's producer was removed";
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (auto wrong = verifyNode(model, g, n)) return describe(model, g, n) + ": " + *wrong;
  return std::nullopt;
}

std::optional<std::string> verifyGraphs(const Model& model, const std::vector<bool>& isChecked) {
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g)
    if (isChecked[g])
      if (auto wrong = verifyGraph(model, g)) return wrong;
  for (const Composite& composite : model.composites) {
    if (!isChecked[composite.graph.index]) continue;
    const Graph& graph = model.graphs[composite.graph.index];
    for (const std::vector<OutletId>* ends : {&composite.inputs, &composite.outputs})
      for (OutletId id : *ends)
        if (id && (id.index >= graph.outlets.size() || graph.producer(id).op == Op::none))
          return "the composite `" + composite.implements + "` names an outlet that is gone";
  }
  return std::nullopt;
}

}  // namespace

tl::expected<void, std::string> apply(Model& model, const Patch& patch) {
  for (const GraphEdit& edit : patch.edits) {
    if (edit.graph.index >= model.graphs.size() || !apply(model.graphs[edit.graph.index], edit))
      return tl::unexpected(patch.what + ": an id is out of range");
    redirect(model, edit);
  }
  if (auto wrong = verifyGraphs(model, touchedBy(model, patch))) return tl::unexpected(patch.what + ": " + *wrong);
  return {};
}

std::optional<std::string> verify(const Model& model) {
  return verifyGraphs(model, std::vector<bool>(model.graphs.size(), true));
}

}  // namespace axle::ir
