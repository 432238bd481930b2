#include "import/tensorflow/analysis/dataflow_control.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow {
namespace {

constexpr std::uint32_t mostCases = 32;

bool isSwitch(const Node& node) { return isNode(node, "Switch") || node.op == "_SwitchN"; }

// ---- the nodes of a loop

std::optional<NodeId> inputNode(const Graph& graph, NodeId id, std::size_t input) {
  const std::vector<Outlet>& inputs = graph[id].inputs;
  return input < inputs.size() ? std::optional(inputs[input].node) : std::nullopt;
}

// A state of a loop: the inputs of its Merge, from an Enter and from a NextIteration.
struct StateInputs {
  Outlet start, next;
  std::string loop;  // the name of the Enter's frame
};

std::optional<StateInputs> stateInputs(const Graph& graph, NodeId merge) {
  if (!isNode(graph[merge], "Merge") || graph[merge].inputs.size() != 2) return std::nullopt;
  std::optional<Outlet> start, next;
  std::string loop;
  for (Outlet input : graph[merge].inputs) {
    const Node& node = graph[input.node];
    if (isNode(node, "Enter")) {
      start = input;
      if (const auto* name = node.get<std::string>("frame_name")) loop = *name;
    }
    if (isNode(node, "NextIteration")) next = input;
  }
  if (!start || !next) return std::nullopt;
  return StateInputs{*start, *next, std::move(loop)};
}

// Returns the Exits of a graph, by the Merge of their state.
std::map<NodeId, NodeId> exitsByMerge(const Graph& graph) {
  std::map<NodeId, NodeId> exits;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (!isNode(graph[NodeId{i}], "Exit")) continue;
    const auto leaves = inputNode(graph, NodeId{i}, 0);
    if (!leaves || !isNode(graph[*leaves], "Switch")) continue;
    if (const auto merge = inputNode(graph, *leaves, 0)) exits.emplace(*merge, NodeId{i});
  }
  return exits;
}

// ---- the nodes of a branch

// Returns the outlet whose value Identities and Switches pass on.
Outlet beforeSwitches(const Frame& frame, Outlet outlet) {
  for (;;) {
    const Node& node = frame[outlet.node];
    const bool handsOn = node.fed.empty() && !node.inputs.empty() && (isSwitch(node) || isNode(node, "Identity"));
    if (!handsOn) return outlet;
    outlet = node.inputs[0];
  }
}

// ---- facts

Outcome switchFacts(StructuralNode& n) {
  if (n.count() < 1) return Outcome::unknown;
  // A selector of known shape is checked at the end (conditions.h).
  const bool isOpen = n.isTensor(1) && !resolvedShape(n.t, n.fact(1));
  if (isOpen && !requireShape(n, 1, {}, n.places.inputs[1])) return Outcome::failed;
  n.facts.assign(n.outletTypes().size(), n.fact(0));
  return Outcome::done;
}

// Types a Merge: one of a loop gives a state; any other gives one of its inputs, and the number of that input.
Outcome mergeFacts(StructuralNode& n) {
  const auto label = [&](std::size_t i) { return fmt::format("`{}`", outletLabel(n.frame, n.node.inputs[i])); };
  const auto isBackEdge = [&](const Outlet& from) { return isNode(n.frame[from.node], "NextIteration"); };
  OutletFacts cases;
  CaseNames names{outletLabel(n.frame, {n.id, 0}), {}};
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!isBackEdge(n.node.inputs[i])) {
      cases.push_back(n.fact(i));
      names.cases.push_back(label(i));
    }
  if (cases.empty()) return Outcome::unknown;
  const bool isLoop = cases.size() < n.count();
  std::optional<std::int64_t> taken;
  Selector by;
  if (auto selector = isLoop ? std::nullopt : mergeSelector(n.frame, n.id)) {
    by = {&n.frame, selector->condition};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cases[i] = n.fact(selector->inputs[i]);
      names.cases[i] = label(selector->inputs[i]);
    }
    if (auto selected = selectedCase(n.analysis, by, cases.size())) taken = selector->inputs[*selected];
  }
  OutletFact fact = mergeCases(n.analysis, std::move(cases), by, n.name, n.places.name, std::move(names));
  if (isLoop) {
    OutletFact state = loopState(n.analysis, fact, nullptr, n.name, n.places.name);
    for (const Outlet& from : n.node.inputs)
      if (isBackEdge(from)) n.frame.backEdges[from.node].push_back({fact, state});
    fact = std::move(state);
  }
  const auto index = taken ? std::optional(n.t.constant(*taken)) : std::nullopt;
  n.facts = {std::move(fact), scalarFact(n.t, n.name, Type::i32, index, n.places.name)};
  return Outcome::done;
}

Outcome nextIterationFacts(StructuralNode& n) {
  if (n.count() < 1) return Outcome::unknown;
  n.facts = {n.fact(0)};
  if (auto edges = n.frame.backEdges.find(n.id); edges != n.frame.backEdges.end())
    for (const auto& [start, state] : edges->second) closeState(n.analysis, {start, state, n.fact(0), n.places.op});
  return Outcome::done;
}

// Types an Exit, which gives the state of the iteration whose condition is false.
Outcome exitFacts(StructuralNode& n) {
  if (n.count() < 1) return Outcome::unknown;
  OutletFact start;
  for (const auto& [_, edges] : n.frame.backEdges)
    for (const Frame::BackEdge& edge : edges)
      if (programValue(edge.state) == programValue(n.fact(0))) start = edge.start;
  n.facts = {loopExit(n.analysis, start, n.fact(0), n.name, n.places.name)};
  return Outcome::done;
}

// Visits an outlet and those that it is computed from, each once. `visit` returns the outlets to visit next.
template <class Visit>
void visitBehind(Outlet outlet, const Visit& visit) {
  std::set<Outlet> seen;
  std::vector<Outlet> open{outlet};
  while (!open.empty()) {
    const Outlet at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const std::vector<Outlet> next = visit(at);
    open.insert(open.end(), next.begin(), next.end());
  }
}

}  // namespace

std::optional<Loop> loopOfExit(Frame& frame, NodeId exit) {
  const Graph& graph = *frame.graph;
  const auto leaves = inputNode(graph, exit, 0);
  if (!leaves || !isNode(graph[*leaves], "Switch")) return std::nullopt;
  const auto merge = inputNode(graph, *leaves, 0), condition = inputNode(graph, *leaves, 1);
  const auto own = merge ? stateInputs(graph, *merge) : std::nullopt;
  if (!own || !condition || !isNode(graph[*condition], "LoopCond")) return std::nullopt;
  Loop loop;
  loop.frame = &frame;
  loop.node = *condition;
  loop.condition = frame.factOf({*condition, 0});
  loop.at = frame.at(*condition).op;
  loop.name = frame.nameOf(exit);
  const std::map<NodeId, NodeId> exits = exitsByMerge(graph);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const auto state = stateInputs(graph, NodeId{i});
    if (!state || state->loop != own->loop) continue;
    loop.starts.push_back(frame.factOf(state->start));
    loop.next.push_back(frame.factOf(state->next));
    loop.states.push_back(frame.factOf({NodeId{i}, 0}));
    const auto end = exits.find(NodeId{i});
    loop.exits.push_back(end == exits.end() ? OutletFact() : frame.factOf({end->second, 0}));
    loop.nodes.push_back({NodeId{i}, state->next.node, {}});
    if (end != exits.end()) loop.nodes.back().exit = end->second;
  }
  return loop;
}

bool isWithinLoop(const Frame& frame, Outlet outlet) {
  bool isWithin = false;
  visitBehind(outlet, [&](Outlet at) {
    const Node& node = frame[at.node];
    isWithin = isWithin || isNode(node, "Enter");
    return isWithin || isNode(node, "Exit") ? std::vector<Outlet>() : node.inputs;
  });
  return isWithin;
}

std::map<Outlet, unsigned> switchesBehind(const Frame& frame, Outlet outlet) {
  std::map<Outlet, unsigned> found;
  visitBehind(outlet, [&](Outlet at) {
    const Node& node = frame[at.node];
    if (isSwitch(node) && node.inputs.size() == 2 && at.port < mostCases)
      found[beforeSwitches(frame, node.inputs[1])] |= 1U << at.port;
    if (isNode(node, "NextIteration")) return std::vector<Outlet>();
    std::vector<Outlet> next = node.inputs;
    for (NodeId control : node.controls) next.push_back({control, 0});
    return next;
  });
  return found;
}

std::optional<MergeSelector> mergeSelector(const Frame& frame, NodeId merge) {
  const Node& node = frame[merge];
  if (node.inputs.size() < 2) return std::nullopt;
  std::vector<std::map<Outlet, unsigned>> behind;
  for (Outlet input : node.inputs) behind.push_back(switchesBehind(frame, input));
  for (const auto& [condition, _] : behind[0]) {
    std::map<int, std::uint32_t> inputs;  // by port
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i)
      if (auto its = behind[i].find(condition); its != behind[i].end() && std::has_single_bit(its->second))
        inputs.emplace(std::countr_zero(its->second), i);
    if (inputs.size() < node.inputs.size() || inputs.rbegin()->first >= static_cast<int>(inputs.size())) continue;
    std::vector<std::uint32_t> order;
    for (const auto& [port, input] : inputs) order.push_back(input);
    return MergeSelector{condition, std::move(order)};
  }
  return std::nullopt;
}

std::optional<Branch> branchOfMerge(Frame& frame, NodeId merge) {
  const Node& node = frame[merge];
  if (frame.facts[merge.index].empty()) return std::nullopt;
  for (Outlet input : node.inputs)
    if (isNode(frame[input.node], "NextIteration")) return std::nullopt;
  const auto selector = mergeSelector(frame, merge);
  if (!selector) return std::nullopt;
  Branch branch{
      {&frame, selector->condition}, {}, {frame.facts[merge.index][0]}, frame.at(merge).op, frame.nameOf(merge)};
  for (std::uint32_t input : selector->inputs) branch.cases.push_back({frame.factOf(node.inputs[input])});
  return branch;
}

std::span<const StructuralOperator> dataflowControlOperators() {
  static constexpr StructuralOperator rows[] = {
      {"Exit", exitFacts},        {"Merge", mergeFacts},    {"NextIteration", nextIterationFacts},
      {"RefExit", exitFacts},     {"RefMerge", mergeFacts}, {"RefNextIteration", nextIterationFacts},
      {"RefSwitch", switchFacts}, {"Switch", switchFacts},  {"_SwitchN", switchFacts},
  };
  return rows;
}

}  // namespace axle::tensorflow
