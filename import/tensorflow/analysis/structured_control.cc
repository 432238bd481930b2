// Control flow as expressions of the typed program: loops whose state is a tuple, choices by a condition.
#include <algorithm>
#include <bit>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::uint32_t mostCases = 32;

}  // namespace

bool isNode(const Node& node, std::string_view name) {
  return node.op == name || (node.op.starts_with("Ref") && std::string_view(node.op).substr(3) == name);
}

bool Analysis::placeControl(Frame& frame, NodeId id) {
  if (auto turns = turns_.find({&frame, id}); turns != turns_.end()) return placeTurns(turns->second);
  if (auto choices = choices_.find({&frame, id}); choices != choices_.end()) {
    bool moved = false;
    for (const Choice& choice : choices->second) moved |= placeChoice(choice);
    return moved;
  }
  const Node& node = (*frame.graph)[id];
  if (isNode(node, "Exit"))
    if (auto turns = turnsOf(frame, id)) {
      for (const Turns::Place& place : turns->merges)
        if (place.exit) tried_.insert({&frame, *place.exit});
      return placeTurns(std::move(*turns));
    }
  if (isNode(node, "Merge"))
    if (auto choice = choiceOf(frame, id)) return placeChoice(*choice);
  return false;
}

std::optional<std::vector<Dim>> Analysis::shapeBehind(TypedId value) {
  OutletFact fact;
  fact.type = Type::f32;  // the parts of a complex one count as an axis here
  fact.value = value;
  auto shape = resolvedShape(fact);
  if (!shape) return std::nullopt;
  std::vector<Dim> dims;
  for (const ShapePart& part : *shape) dims.push_back(typer_.solution().resolve(part.dim));
  return dims;
}

// All states are of one type from turn to turn, or there is no such loop in the language.
bool Analysis::placeTurns(Turns turns) {
  if (!turns.condition.value) return false;
  std::vector<TypedId> states, next, starts;
  std::vector<const OutletFact*> ends;
  for (std::size_t i = 0; i < turns.states.size(); ++i) {
    TypedId state = carried(turns.states[i]), start = carried(turns.starts[i]);
    if (!state || state == start) continue;  // an invariant, or no value
    TypedId then = i < turns.next.size() ? carried(turns.next[i]) : TypedId();
    if (!start || !then || !typer_.isOpaque(state)) return false;
    auto before = shapeBehind(start), after = shapeBehind(then);
    if (!before || before != after) return false;
    for (TypedId value : {state, then})
      if (!typer_.unify(typer_.typeOf(start), typer_.typeOf(value), turns.at, "the loop")) return false;
    states.push_back(state);
    next.push_back(then);
    starts.push_back(start);
    ends.push_back(i < turns.ends.size() ? &turns.ends[i] : nullptr);
  }
  std::vector<TypedId> results =
      typer_.loop(turns.name, states, turns.condition.value, std::move(next), std::move(starts), turns.at);
  if (results.size() != ends.size()) return false;
  bool moved = false;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (ends[i]) moved |= placeValue(*ends[i], results[i], turns.name, turns.at, "the loop");
  return moved;
}

bool Analysis::placeChoice(const Choice& choice) {
  const std::size_t count = choice.cases.size();
  const auto chosen = chosenOf(choice.by, count);
  const OutletFact& by = numberOf(choice.by);
  if (!by.value || count < 2) return false;
  const TypeTerm type = typer_.solution().types[typer_.typeOf(by.value)];
  if (type.kind != TypeKind::tensor || !typer_.solution().flatten(type.shape).empty() || type.elem.isVar) return false;
  const Elem elem = type.elem.elem;
  bool moved = false;
  for (std::size_t port = 0; port < choice.chosen.size(); ++port) {
    if (!carried(choice.chosen[port])) continue;
    auto at = [&](std::size_t k) { return port < choice.cases[k].size() ? carried(choice.cases[k][port]) : TypedId(); };
    TypedId value = at(chosen.value_or(count - 1));
    for (std::size_t k = count - 1; value && !chosen && k-- > 0;) {
      const TypedId its = at(k);
      std::optional<TypedId> isOther = by.value;
      if (elem != Elem::boolean)
        isOther =
            typer_.apply("!=", choice.at, {by.value, typer_.literal(static_cast<double>(k), elem, choice.at)}, {});
      const bool fits = its && isOther && shapeBehind(its) && shapeBehind(value) == shapeBehind(its);
      value = fits ? typer_.branch(choice.name, *isOther, value, its, choice.at) : TypedId();
    }
    if (value) moved |= placeValue(choice.chosen[port], value, choice.name, choice.at, "the branches");
  }
  return moved;
}

OutletFact Analysis::factAt(const Frame& frame, Outlet outlet) const {
  const std::vector<OutletFact>& facts = frame.facts[outlet.node.index];
  return outlet.port < facts.size() ? facts[outlet.port] : OutletFact();
}

// Of the loop that an Exit leaves: all of its Merges, which stand behind Enters of one frame.
std::optional<Analysis::Turns> Analysis::turnsOf(Frame& frame, NodeId exit) {
  const Graph& graph = *frame.graph;
  auto from = [&](NodeId id, std::size_t input) -> std::optional<NodeId> {
    if (input >= graph[id].inputs.size()) return std::nullopt;
    return graph[id].inputs[input].node;
  };
  // The Enter of a Merge, and its NextIteration.
  struct Variable {
    Outlet start, next;
  };
  auto variableOf = [&](NodeId merge) -> std::optional<std::pair<Variable, std::string>> {
    if (!isNode(graph[merge], "Merge") || graph[merge].inputs.size() != 2) return std::nullopt;
    std::optional<Outlet> start, next;
    std::string name;
    for (Outlet input : graph[merge].inputs) {
      if (isNode(graph[input.node], "Enter")) {
        start = input;
        if (const auto* frameName = graph[input.node].get<std::string>("frame_name")) name = *frameName;
      }
      if (isNode(graph[input.node], "NextIteration")) next = input;
    }
    if (!start || !next) return std::nullopt;
    return std::pair(Variable{*start, *next}, name);
  };
  auto leaves = from(exit, 0);
  if (!leaves || !isNode(graph[*leaves], "Switch")) return std::nullopt;
  auto merge = from(*leaves, 0), test = from(*leaves, 1);
  auto its = merge ? variableOf(*merge) : std::nullopt;
  if (!its || !test || !isNode(graph[*test], "LoopCond")) return std::nullopt;
  Turns turns;
  turns.frame = &frame;
  turns.node = *test;
  turns.condition = factAt(frame, Outlet{*test, 0});
  turns.at = (*frame.places)[*test].op;
  turns.name = frame.prefix + graph[exit].name;
  std::map<NodeId, NodeId> exits;  // by Merge
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (!isNode(graph[NodeId{i}], "Exit")) continue;
    auto way = from(NodeId{i}, 0);
    if (way && isNode(graph[*way], "Switch") && from(*way, 0)) exits.emplace(*from(*way, 0), NodeId{i});
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    auto variable = variableOf(NodeId{i});
    if (!variable || variable->second != its->second) continue;
    turns.starts.push_back(factAt(frame, variable->first.start));
    turns.next.push_back(factAt(frame, variable->first.next));
    turns.states.push_back(factAt(frame, Outlet{NodeId{i}, 0}));
    auto end = exits.find(NodeId{i});
    turns.ends.push_back(end == exits.end() ? OutletFact() : factAt(frame, Outlet{end->second, 0}));
    turns.merges.push_back({NodeId{i}, variable->first.next.node, {}});
    if (end != exits.end()) turns.merges.back().exit = end->second;
  }
  return turns;
}

// Whether an Enter brings it into a loop.
bool Analysis::isWithinLoop(const Frame& frame, Outlet outlet) {
  const Graph& graph = *frame.graph;
  std::set<Outlet> seen;
  std::vector<Outlet> open{outlet};
  while (!open.empty()) {
    Outlet at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Node& node = graph[at.node];
    if (isNode(node, "Enter")) return true;
    if (isNode(node, "Exit")) continue;
    for (Outlet input : node.inputs) open.push_back(input);
  }
  return false;
}

// What a value was before Identities, and Switches that hand it on.
Outlet Analysis::beforeSwitches(const Frame& frame, Outlet outlet) {
  const Graph& graph = *frame.graph;
  for (;;) {
    const Node& node = graph[outlet.node];
    const bool passes = node.fed.empty() && !node.inputs.empty() &&
                        (isNode(node, "Switch") || node.op == "_SwitchN" || isNode(node, "Identity"));
    if (!passes) return outlet;
    outlet = node.inputs[0];
  }
}

// The conditions that decide, by a Switch, whether there is a value: for each, by bits, the ports that it comes by.
std::map<Outlet, unsigned> Analysis::switchesBehind(const Frame& frame, Outlet outlet) {
  const Graph& graph = *frame.graph;
  std::map<Outlet, unsigned> found;
  std::set<Outlet> seen;
  std::vector<Outlet> open{outlet};
  while (!open.empty()) {
    Outlet at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Node& node = graph[at.node];
    const bool chooses = isNode(node, "Switch") || node.op == "_SwitchN";
    if (chooses && node.inputs.size() == 2 && at.port < mostCases)
      found[beforeSwitches(frame, node.inputs[1])] |= 1U << at.port;
    if (isNode(node, "NextIteration")) continue;
    for (Outlet input : node.inputs) open.push_back(input);
    for (NodeId control : node.controls) open.push_back({control, 0});
  }
  return found;
}

// The condition whose Switch sends each of a Merge's inputs by a port of its own. Where several do, each of them tells,
// wherever the Merge gives anything.
std::optional<std::pair<Outlet, std::vector<std::uint32_t>>> Analysis::chooserOf(const Frame& frame, NodeId merge) {
  const Node& node = (*frame.graph)[merge];
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
    return std::pair(condition, std::move(order));
  }
  return std::nullopt;
}

std::optional<Analysis::Choice> Analysis::choiceOf(Frame& frame, NodeId merge) {
  const Node& node = (*frame.graph)[merge];
  if (frame.facts[merge.index].empty()) return std::nullopt;
  for (Outlet input : node.inputs)
    if (isNode((*frame.graph)[input.node], "NextIteration")) return std::nullopt;  // a loop's
  auto chooser = chooserOf(frame, merge);
  if (!chooser) return std::nullopt;
  RuleNode n = ruleNode(frame, merge);
  Choice choice{{&frame, chooser->first}, {}, {frame.facts[merge.index][0]}, n.places.op, frame.prefix + node.name};
  for (std::uint32_t input : chooser->second) choice.cases.push_back({n.fact(input)});
  return choice;
}

}  // namespace axle::tensorflow
