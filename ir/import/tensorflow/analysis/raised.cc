// Control flow as expressions of the typed program: loops whose state is a tuple, choices by a condition.
#include <algorithm>

#include "ir/import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

bool isNode(const Node& node, std::string_view name) {
  return node.op == name || (node.op.starts_with("Ref") && std::string_view(node.op).substr(3) == name);
}

// A list's elements stand for it.
TypedId carried(const OutletFact& fact) { return fact.content ? fact.content : fact.value; }

}  // namespace

bool Analysis::placeControl(Frame& frame, NodeId id) {
  if (auto turns = turns_.find({&frame, id}); turns != turns_.end()) return placeTurns(turns->second);
  if (auto choice = choices_.find({&frame, id}); choice != choices_.end()) return placeChoice(choice->second);
  const Node& node = (*frame.graph)[id];
  if (isNode(node, "Exit"))
    if (auto turns = turnsOf(frame, id)) return placeTurns(std::move(*turns));
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

// The first case is for false or 0, the last one for all numbers that there is none for.
bool Analysis::placeChoice(const Choice& choice) {
  if (!choice.by.value || choice.cases.size() < 2) return false;
  auto by = typer_.typeOf(choice.by.value);
  const TypeTerm type = typer_.solution().types[by];
  if (type.kind != TypeKind::tensor || !typer_.solution().flatten(type.shape).empty() || type.elem.isVar) return false;
  const Elem elem = type.elem.elem;
  const bool isTruth = elem == Elem::boolean;
  if (!isTruth && elem != Elem::i32) return false;
  bool moved = false;
  for (std::size_t port = 0; port < choice.chosen.size(); ++port) {
    if (!carried(choice.chosen[port])) continue;
    std::optional<TypedId> value;
    for (std::size_t k = choice.cases.size(); k-- > 0;) {
      TypedId its = port < choice.cases[k].size() ? carried(choice.cases[k][port]) : TypedId();
      if (!its) return moved;
      if (!value) {
        value = its;
        continue;
      }
      std::optional<TypedId> isOther = choice.by.value;
      if (!isTruth)
        isOther = typer_.apply("!=", choice.at,
                               {choice.by.value, typer_.literal(static_cast<double>(k), Elem::i32, choice.at)}, {});
      if (!isOther) return moved;
      if (shapeBehind(*value) != shapeBehind(its) || !shapeBehind(its)) return moved;
      value = typer_.branch(choice.name, *isOther, *value, its, choice.at);
    }
    if (value) moved |= placeValue(choice.chosen[port], *value, choice.name, choice.at, "the branches");
  }
  return moved;
}

// Of the loop that an Exit leaves: all of its Merges, which stand behind Enters of one frame.
std::optional<Analysis::Turns> Analysis::turnsOf(Frame& frame, NodeId exit) {
  const Graph& graph = *frame.graph;
  auto from = [&](NodeId id, std::size_t input) -> std::optional<NodeId> {
    if (input >= graph[id].inputs.size()) return std::nullopt;
    return graph[id].inputs[input].node;
  };
  auto factAt = [&](Outlet outlet) {
    const std::vector<OutletFact>& facts = frame.facts[outlet.node.index];
    return outlet.port < facts.size() ? facts[outlet.port] : OutletFact();
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
  turns.condition = factAt(Outlet{*test, 0});
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
    turns.starts.push_back(factAt(variable->first.start));
    turns.next.push_back(factAt(variable->first.next));
    turns.states.push_back(factAt(Outlet{NodeId{i}, 0}));
    auto end = exits.find(NodeId{i});
    turns.ends.push_back(end == exits.end() ? OutletFact() : factAt(Outlet{end->second, 0}));
    if (end != exits.end()) tried_.insert({&frame, end->second});
  }
  return turns;
}

// The conditions that decide, by a Switch, whether there is a value: for each the ports that it comes by (1 and 2 for
// false and true, 3 for both).
std::map<Outlet, unsigned> Analysis::switchesBehind(Frame& frame, Outlet outlet) {
  const Graph& graph = *frame.graph;
  std::map<Outlet, unsigned> found;
  std::set<Outlet> seen;
  std::vector<Outlet> open{outlet};
  while (!open.empty()) {
    Outlet at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Node& node = graph[at.node];
    if (isNode(node, "Switch") && node.inputs.size() == 2) found[node.inputs[1]] |= 1U << at.port;
    if (isNode(node, "NextIteration")) continue;
    for (Outlet input : node.inputs) open.push_back(input);
    for (NodeId control : node.controls) open.push_back({control, 0});
  }
  return found;
}

// A Merge of two branches: the condition whose Switch sends one value by its first port, the other by its second.
std::optional<Analysis::Choice> Analysis::choiceOf(Frame& frame, NodeId merge) {
  const Node& node = (*frame.graph)[merge];
  if (node.inputs.size() != 2 || frame.facts[merge.index].empty()) return std::nullopt;
  for (Outlet input : node.inputs)
    if (isNode((*frame.graph)[input.node], "NextIteration")) return std::nullopt;  // a loop's
  auto behindFirst = switchesBehind(frame, node.inputs[0]), behindSecond = switchesBehind(frame, node.inputs[1]);
  std::optional<Outlet> by;
  bool firstIsTrue = false;
  for (const auto& [condition, ports] : behindFirst) {
    auto other = behindSecond.find(condition);
    if (other == behindSecond.end() || (ports | other->second) != 3 || (ports & other->second)) continue;
    if (by) return std::nullopt;  // it is not clear which one
    by = condition;
    firstIsTrue = ports == 2;
  }
  if (!by) return std::nullopt;
  RuleNode n = ruleNode(frame, merge);
  Choice choice;
  const std::vector<OutletFact>& conditions = frame.facts[by->node.index];
  if (by->port >= conditions.size()) return std::nullopt;
  choice.by = conditions[by->port];
  choice.cases = {{n.fact(firstIsTrue ? 1 : 0)}, {n.fact(firstIsTrue ? 0 : 1)}};
  choice.chosen = {frame.facts[merge.index][0]};
  choice.at = n.places.op;
  choice.name = frame.prefix + node.name;
  return choice;
}

}  // namespace axle::tensorflow
