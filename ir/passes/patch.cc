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

// Makes the readers of `from`, and the graph's outputs, read `to` instead.
void redirect(Graph& graph, Uses::OfGraph& uses, OutletId from, OutletId to) {
  if (from == to) return;
  if (uses.isBoundary[from.index]) uses.isBoundary[to.index] = true;
  auto follow = [&](OutletId& id) {
    if (id == from) id = to;
  };
  for (NodeId reader : uses.readers[from.index]) {
    for (OutletId& input : graph[reader].inputs) follow(input);
    for (OutletId& before : graph[reader].after) follow(before);
    uses.readers[to.index].push_back(reader);
  }
  uses.readers[from.index].clear();
  if (uses.outputs[from.index] == 0) return;
  for (OutletId& output : graph.outputs) follow(output);
  uses.outputs[to.index] += std::exchange(uses.outputs[from.index], 0);
}

void addReader(Uses::OfGraph& uses, const Node& node, NodeId id) {
  for (OutletId input : node.inputs) uses.readers[input.index].push_back(id);
  for (OutletId before : node.after) uses.readers[before.index].push_back(id);
}

void dropReader(Uses::OfGraph& uses, const Node& node, NodeId id) {
  for (const std::vector<OutletId>* read : {&node.inputs, &node.after})
    for (OutletId outlet : *read) std::erase(uses.readers[outlet.index], id);
}

// Removes the producer of an outlet if nothing reads its outlets, then producers that only it read.
void removeUnread(Graph& graph, Uses::OfGraph& uses, OutletId outlet) {
  std::vector<NodeId> open{graph[outlet].node};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node node = graph[id];
    const bool isRead = std::any_of(node.outputs.begin(), node.outputs.end(), [&](OutletId output) {
      return !uses.readers[output.index].empty() || uses.outputs[output.index] > 0;
    });
    if (isRead || node.op == Op::none || node.op == Op::input) continue;
    dropReader(uses, node, id);
    graph[id] = Node{};
    for (const std::vector<OutletId>* read : {&node.inputs, &node.after})
      for (OutletId input : *read) open.push_back(graph[input].node);
  }
}

// Makes composites follow replaced outlets, and removes composites without outputs.
void redirect(Model& model, const GraphEdit& edit) {
  if (model.composites.empty()) return;
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

// Returns the term of `from` to eliminate: the first term with an atom that `to` lacks.
const Term* eliminated(const DimStore& dims, Dim from, Dim to) {
  auto sameFactors = [](const Term& a, const Term& b) { return a.factors == b.factors; };
  for (const Term& term : dims.terms(from)) {
    const auto isAtom = [](const Factor& factor) { return factor.isAtom; };
    const auto isSame = [&](const Term& other) { return sameFactors(term, other); };
    if (std::any_of(term.factors.begin(), term.factors.end(), isAtom) &&
        std::none_of(dims.terms(to).begin(), dims.terms(to).end(), isSame))
      return &term;
  }
  return nullptr;
}

// Rewrites `d` in terms of `to` instead of `from`, which are equal.
Dim rewritten(DimStore& dims, Dim d, Dim from, Dim to) {
  if (d == from) return to;
  const Term* leading = eliminated(dims, from, to);
  if (!leading) return d;
  for (const Term& term : dims.terms(d))
    if (term.factors == leading->factors && term.coefficient % leading->coefficient == 0) {
      const Dim times = dims.constant(term.coefficient / leading->coefficient);
      return dims.add(d, dims.mul(times, dims.sub(to, from)));
    }
  return d;
}

// Replaces equal sizes everywhere except in inputs of the graph, from whose facts symbols are computed.
void substitute(DimStore& dims, Graph& graph, const std::vector<std::pair<Dim, Dim>>& equalSizes) {
  auto simplify = [&](Dim& d) {
    for (const auto& [from, to] : equalSizes) d = rewritten(dims, d, from, to);
  };
  if (equalSizes.empty()) return;
  for (Node& node : graph.nodes) {
    if (node.op == Op::input || node.op == Op::none) continue;
    changeSizes(node.attributes, simplify);
    for (OutletId output : node.outputs)
      for (Dim& d : graph[output].fact.shape) simplify(d);
  }
}

void removeAll(Graph& graph, Uses::OfGraph& uses, const std::vector<NodeId>& removed) {
  std::vector<OutletId> read;
  for (NodeId id : removed) {
    for (const std::vector<OutletId>* some : {&graph[id].inputs, &graph[id].after})
      read.insert(read.end(), some->begin(), some->end());
    graph[id] = Node{};
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  for (OutletId outlet : read)
    std::erase_if(uses.readers[outlet.index], [&](NodeId reader) { return graph[reader].op == Op::none; });
}

bool inRange(const Graph& graph, const GraphEdit& edit) {
  const std::size_t nodes = graph.nodes.size() + edit.added.size();
  std::size_t outlets = graph.outlets.size();
  for (const Addition& addition : edit.added) outlets += addition.facts.size();
  auto known = [&](OutletId id) { return id.index < outlets; };
  auto allKnown = [&](const std::vector<OutletId>& ids) { return std::all_of(ids.begin(), ids.end(), known); };
  for (const Addition& addition : edit.added)
    if (!allKnown(addition.node.inputs) || !allKnown(addition.node.after)) return false;
  for (const auto& [from, to] : edit.replaced)
    if (!known(from) || !known(to)) return false;
  for (NodeId id : edit.removed)
    if (id.index >= nodes) return false;
  for (const auto& [node, inputs] : edit.rewired)
    if (node.index >= nodes || !allKnown(inputs)) return false;
  return (!edit.inputs || allKnown(*edit.inputs)) && (!edit.outputs || allKnown(*edit.outputs));
}

void countOutputs(const Graph& graph, Uses::OfGraph& uses) {
  uses.outputs.assign(graph.outlets.size(), 0);
  for (OutletId output : graph.outputs) ++uses.outputs[output.index];
}

// Applies an edit. Returns the nodes that were added or whose inputs changed, or nothing if an id is out of range.
std::optional<std::vector<NodeId>> apply(DimStore& dims, Graph& graph, Uses::OfGraph& uses, const GraphEdit& edit) {
  std::vector<NodeId> touched;
  if (edit.clear) {
    graph = Graph{};
    uses = {};
    return touched;
  }
  if (!inRange(graph, edit)) return std::nullopt;
  const std::size_t oldNodes = graph.nodes.size();
  for (const Addition& addition : edit.added) {
    const NodeId id = graph.add(addition.node, addition.facts);
    touched.push_back(id);
  }
  uses.readers.resize(graph.outlets.size());
  uses.outputs.resize(graph.outlets.size());
  uses.isBoundary.resize(graph.outlets.size());
  for (NodeId id : touched) addReader(uses, graph[id], id);
  if (edit.outputs) {
    graph.outputs = *edit.outputs;
    countOutputs(graph, uses);
  }
  for (const auto& [from, to] : edit.replaced) {
    const Node old = graph.producer(from);
    Node& fresh = graph[graph[to].node];
    const bool isOldSource = fresh.inputs.empty() && graph[to].node.index < oldNodes;
    if (!isOldSource) {  // an old input or constant keeps its own names and spans
      appendNew(fresh.names, old.names);
      appendNew(fresh.spans, old.spans);
    }
    touched.insert(touched.end(), uses.readers[from.index].begin(), uses.readers[from.index].end());
    redirect(graph, uses, from, to);
  }
  for (const auto& [node, inputs] : edit.rewired) {
    dropReader(uses, graph[node], node);
    graph[node].inputs = inputs;
    addReader(uses, graph[node], node);
    touched.push_back(node);
  }
  if (edit.inputs) graph.inputs = *edit.inputs;
  removeAll(graph, uses, edit.removed);
  for (const auto& [from, to] : edit.replaced) removeUnread(graph, uses, from);
  substitute(dims, graph, edit.equalSizes);
  return touched;
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

// Returns, by graph, whether the patch edits it or a body of one of its operators.
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

Uses::Uses(const Model& model) {
  for (const Graph& graph : model.graphs) {
    OfGraph uses;
    uses.readers.resize(graph.outlets.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) addReader(uses, graph.nodes[n], NodeId{n});
    countOutputs(graph, uses);
    uses.isBoundary.resize(graph.outlets.size());
    graphs.push_back(std::move(uses));
  }
  for (const Composite& composite : model.composites)
    for (const std::vector<OutletId>* ends : {&composite.inputs, &composite.outputs})
      for (OutletId end : *ends)
        if (end) graphs[composite.graph.index].isBoundary[end.index] = true;
}

std::size_t Uses::count(GraphId graph, OutletId outlet) const {
  const OfGraph& uses = graphs[graph.index];
  return uses.readers[outlet.index].size() + uses.outputs[outlet.index];
}

tl::expected<void, std::string> apply(Model& model, Uses& uses, const Patch& patch) {
  std::vector<std::pair<std::uint32_t, NodeId>> touched;
  for (const GraphEdit& edit : patch.edits) {
    const std::uint32_t g = edit.graph.index;
    std::optional<std::vector<NodeId>> nodes;
    if (g < model.graphs.size()) nodes = apply(*model.dims, model.graphs[g], uses.graphs[g], edit);
    if (!nodes) return tl::unexpected(patch.what + ": an id is out of range");
    redirect(model, edit);
    for (NodeId id : *nodes) touched.emplace_back(g, id);
  }
  for (const auto& [g, id] : touched) {
    const Graph& graph = model.graphs[g];
    if (id.index >= graph.nodes.size() || graph[id].op == Op::none) continue;
    if (auto wrong = verifyNode(model, g, id.index))
      return tl::unexpected(patch.what + ": " + describe(model, g, id.index) + ": " + *wrong);
  }
#ifndef NDEBUG
  if (auto wrong = verifyGraphs(model, touchedBy(model, patch))) return tl::unexpected(patch.what + ": " + *wrong);
#endif
  return {};
}

tl::expected<void, std::string> apply(Model& model, const Patch& patch) {
  Uses uses(model);
  for (const GraphEdit& edit : patch.edits) {
    if (edit.graph.index >= model.graphs.size() ||
        !apply(*model.dims, model.graphs[edit.graph.index], uses.graphs[edit.graph.index], edit))
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
