// Loops whose turns say more than a turn of unknown sizes: what the first turn leaves as it is, every turn does; where
// the shapes change, and the condition is known in each turn, the turns stand one behind the other.
#include <algorithm>
#include <utility>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostTurns = 256;
constexpr std::size_t mostFollowed = 50'000;  // nodes, in all turns that are followed one by one

}  // namespace

std::optional<bool> Analysis::isTrue(const OutletFact& condition) {
  if (!condition.known || condition.known->elements.size() != 1) return std::nullopt;
  auto number = typer_.solution().dims.asConstant(typer_.solution().resolve(condition.known->elements[0]));
  return number ? std::optional(*number != 0) : std::nullopt;
}

std::optional<Analysis::Turn> Analysis::turn(const Turns& loop, const Made& states) {
  std::map<VariableId, TypedId> outside = assigned_;
  const bool before = std::exchange(isOneTurn_, true);
  auto made = loop.merges.empty() ? turnOfFunctions(loop, states) : turnOfEnters(loop, states);
  isOneTurn_ = before;
  assigned_ = std::move(outside);
  return made;
}

// The nodes of the loop are visited once more, in a frame of their own.
std::optional<Analysis::Turn> Analysis::turnOfEnters(const Turns& loop, const Made& states) {
  const Graph& graph = *loop.frame->graph;
  visited_ += graph.nodes.size();
  std::vector<char> isWithin(graph.nodes.size()), isTested(graph.nodes.size());
  std::set<NodeId> merges;
  Frame& inner = open(graph, *loop.frame->places, loop.frame->prefix);
  inner.facts = loop.frame->facts;
  inner.fromCall = loop.frame->fromCall;
  inner.arguments = loop.frame->arguments;
  inner.depth = loop.frame->depth;
  inner.caller = loop.frame->caller;
  inner.call = loop.frame->call;
  std::set<NodeId> exits;
  for (std::size_t i = 0; i < loop.merges.size(); ++i) {
    const NodeId merge = loop.merges[i].merge;
    merges.insert(merge);
    inner.facts[merge.index] = {states[i], scalar(loop.name, Type::i32, std::nullopt, loop.at)};
    if (loop.merges[i].exit) exits.insert(*loop.merges[i].exit);
  }
  // Nodes are in topological order, but for the edges back.
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (merges.count(NodeId{i})) {
      isWithin[i] = true;
      continue;
    }
    if (exits.count(NodeId{i}) || node.op == "Const") continue;
    auto inside = [&](NodeId from) {
      return isWithin[from.index] && (!isNode(graph[from], "NextIteration") || isNode(node, "Merge"));
    };
    isWithin[i] = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Outlet o) { return inside(o.node); }) ||
                  std::any_of(node.controls.begin(), node.controls.end(), inside);
  }
  std::vector<NodeId> asked{loop.node};
  while (!asked.empty()) {
    const NodeId at = asked.back();
    asked.pop_back();
    if (isTested[at.index] || !isWithin[at.index] || merges.count(at)) continue;
    isTested[at.index] = true;
    for (Outlet input : graph[at].inputs) asked.push_back(input.node);
  }
  inner.isCopied.resize(graph.nodes.size());
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) inner.isCopied[i] = !isWithin[i] || merges.count(NodeId{i});
  auto visitThose = [&](bool tested) {
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (isWithin[i] && isTested[i] == tested && !merges.count(NodeId{i})) inner.facts[i].clear();
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (isWithin[i] && isTested[i] == tested && !merges.count(NodeId{i})) visit(inner, NodeId{i});
  };
  visitThose(true);
  Turn turn{factAt(inner, {loop.node, 0}), {}};
  if (isTrue(turn.condition) == false) return turn;
  visitThose(false);
  for (const Turns::Place& place : loop.merges) turn.next.push_back(factAt(inner, {place.next, 0}));
  return turn;
}

// In the order of frames and nodes; those that outputs reach, or not.
std::vector<Analysis::Turns> Analysis::allLoops() {
  std::vector<Turns> loops;
  for (Frame& frame : frames_)
    for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i) {
      if (auto turns = turns_.find({&frame, NodeId{i}}); turns != turns_.end()) {
        loops.push_back(turns->second);
        RuleNode n = ruleNode(frame, NodeId{i});
        for (std::size_t k = 0; k < n.count(); ++k) loops.back().starts[k] = n.fact(k);
      }
      if (frame.loops.empty() || !isNode(frame.graph->nodes[i], "Exit")) continue;
      auto turns = turnsOf(frame, NodeId{i});
      if (!turns || !frame.loops.count(turns->merges[0].next)) continue;
      const bool isNew = std::none_of(loops.begin(), loops.end(), [&](const Turns& other) {
        return other.frame == &frame && other.node == turns->node;
      });
      if (isNew) loops.push_back(std::move(*turns));
    }
  return loops;
}

// Whether the shape of a state is not, or not known to be, what it was at the start.
bool Analysis::isOpen(const Turns& loop) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    TypedId state = carried(loop.states[i]), start = carried(loop.starts[i]), next = carried(loop.next[i]);
    if (!state || !start || !next || state == start) continue;
    auto before = shapeBehind(start);
    if (!before || before != shapeBehind(state) || before != shapeBehind(next)) return true;
  }
  return false;
}

// Whether a state was taken to keep a shape that it does not keep: then all is analysed once more (steady.cc).
bool Analysis::isAssumed(const Turns& loop) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    auto isIt = [&](const SteadyState& steady) { return steady.state == loop.states[i].value; };
    if (!loop.states[i].value || std::none_of(steady_.begin(), steady_.end(), isIt)) continue;
    auto before = loop.starts[i].value ? shapeBehind(loop.starts[i].value) : std::nullopt;
    auto after = loop.next[i].value ? shapeBehind(loop.next[i].value) : std::nullopt;
    if (!before || before != after) return true;
  }
  return false;
}

// True: something was learnt. Of turns in which something was refused nothing is.
bool Analysis::settleLoops() {
  if (hasErrors(diagnostics_)) return false;
  bool moved = false;
  const std::vector<Turns> loops = allLoops();
  for (const Turns& loop : loops) {
    Attempt& attempt = attempts_[{loop.frame, loop.node}];
    if (attempt.isInvariant || attempt.isTried || visited_ > mostFollowed || !isOpen(loop) || isAssumed(loop)) continue;
    if (attempt.isFollowed) {
      moved |= settleInvariant(loop, attempt);
      continue;
    }
    Made states;
    for (std::size_t i = 0; i < loop.starts.size(); ++i) {
      OutletFact state = loop.starts[i];
      if (carried(loop.states[i]) != carried(state)) {
        state.known.reset();
        state.constant.reset();
        if (state.value) state.value = typer_.opaque(loop.name, typer_.typeOf(state.value), loop.at);
        if (state.content) state.content = typer_.opaque(loop.name, typer_.typeOf(state.content), loop.at);
      }
      states.push_back(std::move(state));
    }
    attempt.isFollowed = true;
    attempt.first = turn(loop, states);
    moved = true;
  }
  for (const Turns& loop : loops) {
    if (moved) break;
    Attempt& attempt = attempts_[{loop.frame, loop.node}];
    if (attempt.isInvariant || attempt.isTried || visited_ > mostFollowed || !isOpen(loop) || isAssumed(loop)) continue;
    attempt.isTried = true;
    moved = unroll(loop);
  }
  return moved;
}

bool Analysis::settleInvariant(const Turns& loop, Attempt& attempt) {
  if (!attempt.first || attempt.first->next.size() != loop.starts.size()) return false;
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    TypedId state = carried(loop.states[i]), start = carried(loop.starts[i]), next = carried(attempt.first->next[i]);
    if (!state || !start || !next || state == start) continue;
    auto before = shapeBehind(start);
    if (!before || before != shapeBehind(next)) return false;
  }
  attempt.isInvariant = true;
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const OutletFact &state = loop.states[i], &start = loop.starts[i];
    if (state.value && start.value)
      typer_.unify(typer_.typeOf(start.value), typer_.typeOf(state.value), loop.at, "the loop");
    if (state.content && start.content)
      typer_.unify(typer_.typeOf(start.content), typer_.typeOf(state.content), loop.at, "the loop");
  }
  return true;
}

bool Analysis::unroll(const Turns& loop) {
  Made states = loop.starts;
  for (std::size_t count = 0; count < mostTurns && visited_ < mostFollowed; ++count) {
    auto made = turn(loop, states);
    auto goesOn = made ? isTrue(made->condition) : std::nullopt;
    if (!goesOn) return false;
    if (*goesOn) {
      for (std::size_t i = 0; i < states.size(); ++i)
        if (carried(loop.states[i]) != carried(loop.starts[i]) && i < made->next.size()) states[i] = made->next[i];
      continue;
    }
    for (std::size_t i = 0; i < loop.ends.size(); ++i) {
      TypedId open = carried(loop.ends[i]), value = carried(states[i]);
      if (!open || !value) continue;
      auto was = shapeBehind(open), is = shapeBehind(value);
      if (was && is && was->size() != is->size()) return false;
    }
    for (std::size_t i = 0; i < loop.ends.size(); ++i) {
      if (TypedId value = carried(states[i])) placeValue(loop.ends[i], value, loop.name, loop.at, "the loop");
      Outlet end{loop.node, static_cast<std::uint32_t>(i)};
      if (!loop.merges.empty() && !loop.merges[i].exit) continue;
      if (!loop.merges.empty()) end = {*loop.merges[i].exit, 0};
      unrolled_.insert({loop.frame, end.node});
      std::vector<OutletFact>& facts = loop.frame->facts[end.node.index];
      if (end.port < facts.size()) facts[end.port].known = states[i].known;
    }
    return true;
  }
  return false;
}

}  // namespace axle::tensorflow
