#include "import/tensorflow/analysis/loop_iterations.h"

#include <algorithm>
#include <set>
#include <utility>

#include "import/builder/control_shapes.h"
#include "import/builder/structured_control.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/dataflow_control.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/analysis/visit_nodes.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostIterations = 256;
constexpr std::size_t mostFollowed = 50'000;  // nodes, in all followed iterations together

// ---- one iteration of a loop of Enters

struct LoopNodes {
  std::vector<bool> isWithin;  // by node: depends on a state in an iteration; includes Merges
  std::vector<bool> isTested;  // by node within: the condition depends on it
  std::set<NodeId> merges;
};

// Finds the nodes of a loop. Nodes are in topological order, except for back edges.
LoopNodes nodesOf(const Graph& graph, const Loop& loop) {
  LoopNodes nodes;
  nodes.isWithin.resize(graph.nodes.size());
  nodes.isTested.resize(graph.nodes.size());
  std::set<NodeId> exits;
  for (const Loop::StateNodes& state : loop.nodes) {
    nodes.merges.insert(state.merge);
    if (state.exit) exits.insert(*state.exit);
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (nodes.merges.count(NodeId{i})) {
      nodes.isWithin[i] = true;
      continue;
    }
    if (exits.count(NodeId{i}) || node.op == "Const") continue;
    const auto isInside = [&](NodeId from) {
      return nodes.isWithin[from.index] && (!isNode(graph[from], "NextIteration") || isNode(node, "Merge"));
    };
    nodes.isWithin[i] =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](Outlet input) { return isInside(input.node); }) ||
        std::any_of(node.controls.begin(), node.controls.end(), isInside);
  }
  std::vector<NodeId> open{loop.node};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (nodes.isTested[at.index] || !nodes.isWithin[at.index] || nodes.merges.count(at)) continue;
    nodes.isTested[at.index] = true;
    for (Outlet input : graph[at].inputs) open.push_back(input.node);
  }
  return nodes;
}

// Opens a frame for one iteration of a loop. Facts of nodes outside the loop are those of the loop's frame.
Frame& openIteration(Analysis& analysis, const Loop& loop, const OutletFacts& states, const LoopNodes& nodes) {
  const Frame& outer = *loop.frame;
  Frame& inner = openFrame(analysis, *outer.graph, *outer.places, outer.prefix);
  inner.facts = outer.facts;
  inner.fromCall = outer.fromCall;
  inner.arguments = outer.arguments;
  inner.depth = outer.depth;
  inner.caller = outer.caller;
  inner.call = outer.call;
  for (std::size_t i = 0; i < loop.nodes.size(); ++i)
    inner.facts[loop.nodes[i].merge.index] = {states[i],
                                              scalarFact(analysis.typer, loop.name, Type::i32, std::nullopt, loop.at)};
  inner.isCopied.resize(outer.graph->nodes.size());
  for (std::uint32_t i = 0; i < inner.isCopied.size(); ++i)
    inner.isCopied[i] = !nodes.isWithin[i] || nodes.merges.count(NodeId{i});
  return inner;
}

// Visits the nodes of the loop once more, in a new frame: first those that the condition depends on.
std::optional<Iteration> followEnterIteration(Analysis& analysis, const Loop& loop, const OutletFacts& states) {
  const Graph& graph = *loop.frame->graph;
  analysis.visitedNodes += graph.nodes.size();
  const LoopNodes nodes = nodesOf(graph, loop);
  Frame& inner = openIteration(analysis, loop, states, nodes);
  const auto visitNodes = [&](bool areTested) {
    const auto isAsked = [&](std::uint32_t i) { return !inner.isCopied[i] && nodes.isTested[i] == areTested; };
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (isAsked(i)) inner.facts[i].clear();
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (isAsked(i)) visit(analysis, inner, NodeId{i});
  };
  visitNodes(true);
  Iteration iteration{inner.factOf({loop.node, 0}), {}};
  if (isTrue(analysis.typer, iteration.condition) == false) return iteration;
  visitNodes(false);
  for (const Loop::StateNodes& state : loop.nodes) iteration.next.push_back(inner.factOf({state.next, 0}));
  return iteration;
}

std::optional<Iteration> followIteration(Analysis& analysis, const Loop& loop, const OutletFacts& states) {
  std::map<VariableId, TypedId> outside = analysis.variables.assigned;
  const bool before = std::exchange(analysis.loops.isFollowingIteration, true);
  auto iteration =
      loop.isWhile() ? followWhileIteration(analysis, loop, states) : followEnterIteration(analysis, loop, states);
  analysis.loops.isFollowingIteration = before;
  analysis.variables.assigned = std::move(outside);
  return iteration;
}

// ---- inference from iterations

// Returns all loops, in the order of frames and nodes. The starts of a While are those that are known by now.
std::vector<Loop> allLoops(Analysis& analysis) {
  std::vector<Loop> loops;
  for (Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i) {
      const Node& node = frame.graph->nodes[i];
      if (auto loop = analysis.loops.byWhile.find({&frame, NodeId{i}}); loop != analysis.loops.byWhile.end()) {
        loops.push_back(loop->second);
        for (std::size_t k = 0; k < node.inputs.size(); ++k) loops.back().starts[k] = frame.factOf(node.inputs[k]);
      }
      if (frame.backEdges.empty() || !isNode(node, "Exit")) continue;
      auto loop = loopOfExit(frame, NodeId{i});
      if (!loop || !frame.backEdges.count(loop->nodes[0].next)) continue;
      const bool isNew =
          std::none_of(loops.begin(), loops.end(), [&](const Loop& other) { return other.site() == loop->site(); });
      if (isNew) loops.push_back(std::move(*loop));
    }
  return loops;
}

// Whether the shape of a state differs from its start's, or is not known to be the same.
bool hasOpenShapes(GraphTyper& typer, const Loop& loop) {
  const std::vector<ChangingState> states = changingStates(loop, loop.next);
  return std::any_of(states.begin(), states.end(), [&](const ChangingState& its) {
    return !haveSameShape(typer, its.start, its.state) || !haveSameShape(typer, its.start, its.next);
  });
}

// Returns states with the shapes, but not the values, of the loop's start.
OutletFacts statesOfStartShapes(GraphTyper& typer, const Loop& loop) {
  OutletFacts states;
  for (std::size_t i = 0; i < loop.starts.size(); ++i) {
    OutletFact state = loop.starts[i];
    if (programValue(loop.states[i]) != programValue(state)) {
      state.known.reset();
      state.constant.reset();
      if (state.value) state.value = typer.opaque(loop.name, typer.typeOf(state.value), loop.at);
      if (state.content) state.content = typer.opaque(loop.name, typer.typeOf(state.content), loop.at);
    }
    states.push_back(std::move(state));
  }
  return states;
}

// Gives the states the shapes of the start if the first iteration keeps them. Returns whether it does.
bool fixInvariantShapes(GraphTyper& typer, const Loop& loop, IterationTrial& trial) {
  trial.isInvariant = trial.first && keepsShapes(typer, loop, *trial.first);
  if (trial.isInvariant) fixShapes(typer, loop);
  return trial.isInvariant;
}

// Whether the exits can have these values: their ranks agree if they are known.
bool fitExits(GraphTyper& typer, const Loop& loop, const OutletFacts& states) {
  for (std::size_t i = 0; i < loop.exits.size(); ++i) {
    const auto open = resolvedDims(typer, programValue(loop.exits[i]));
    const auto value = resolvedDims(typer, programValue(states[i]));
    if (open && value && open->size() != value->size()) return false;
  }
  return true;
}

void defineExits(Analysis& analysis, const Loop& loop, const OutletFacts& states) {
  for (std::size_t i = 0; i < loop.exits.size(); ++i) {
    if (TypedId value = programValue(states[i]))
      defineOpaque(analysis.typer, programValue(loop.exits[i]), value, loop.name, loop.at, "the loop");
    Outlet exit{loop.node, static_cast<std::uint32_t>(i)};
    if (!loop.isWhile()) {
      if (!loop.nodes[i].exit) continue;
      exit = {*loop.nodes[i].exit, 0};
    }
    analysis.loops.unrolled.insert({loop.frame, exit.node});
    OutletFacts& facts = loop.frame->facts[exit.node.index];
    if (exit.port < facts.size()) facts[exit.port].known = states[i].known;
  }
}

// Follows one iteration after another until the condition is false. Returns false if the condition is unknown, or there
// are too many iterations.
bool unroll(Analysis& analysis, const Loop& loop) {
  OutletFacts states = loop.starts;
  for (std::size_t count = 0; count < mostIterations && analysis.visitedNodes < mostFollowed; ++count) {
    auto iteration = followIteration(analysis, loop, states);
    const auto goesOn = iteration ? isTrue(analysis.typer, iteration->condition) : std::nullopt;
    if (!goesOn) return false;
    if (!*goesOn) {
      if (!fitExits(analysis.typer, loop, states)) return false;
      defineExits(analysis, loop, states);
      return true;
    }
    for (std::size_t i = 0; i < states.size() && i < iteration->next.size(); ++i)
      if (programValue(loop.states[i]) != programValue(loop.starts[i])) states[i] = iteration->next[i];
  }
  return false;
}

// Whether following iterations of the loop may still help. A loop that breaks an assumption is analysed again instead.
bool isOpen(Analysis& analysis, const Loop& loop, const IterationTrial& trial) {
  return !trial.isInvariant && !trial.isUnrolled && analysis.visitedNodes <= mostFollowed &&
         hasOpenShapes(analysis.typer, loop) && !breaksAssumption(analysis, loop);
}

}  // namespace

bool followIterations(Analysis& analysis) {
  if (hasErrors(analysis.diagnostics)) return false;
  bool learnt = false;
  const std::vector<Loop> loops = allLoops(analysis);
  for (const Loop& loop : loops) {
    IterationTrial& trial = analysis.loops.trials[loop.site()];
    if (!isOpen(analysis, loop, trial)) continue;
    if (trial.isFollowed) {
      learnt |= fixInvariantShapes(analysis.typer, loop, trial);
      continue;
    }
    trial.isFollowed = true;
    trial.first = followIteration(analysis, loop, statesOfStartShapes(analysis.typer, loop));
    learnt = true;
  }
  for (const Loop& loop : loops) {
    if (learnt) break;
    IterationTrial& trial = analysis.loops.trials[loop.site()];
    if (!isOpen(analysis, loop, trial)) continue;
    trial.isUnrolled = true;
    learnt = unroll(analysis, loop);
  }
  return learnt;
}

}  // namespace axle::tensorflow
