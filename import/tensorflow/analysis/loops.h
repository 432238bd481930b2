// Loops: While, whose condition and body are functions, and the facts about the states of any loop.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"
#include "import/tensorflow/analysis/loop_invariants.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

// A state of a loop: before it, in an iteration, and the value that the iteration computes.
struct LoopState {
  OutletFact start, state, next;
  Span at;
};
// The value of a state after the loop. Where the state's sizes are open, it has sizes of its own: the loop may be
// unrolled.
struct LoopExit {
  OutletFact start, state, exit;
  Span at;
};

// One iteration from given states. `next` is empty if the condition is known to be false.
struct Iteration {
  OutletFact condition;
  OutletFacts next;
};

struct Loop {
  Frame* frame = nullptr;
  NodeId node;                              // a While, or the LoopCond of a loop of Enters
  OutletFacts starts, states, next, exits;  // by state
  OutletFact condition;
  Span at;
  std::string name;
  // Of a While: the variables that its body may assign, which are its last states, and the values of all variables when
  // it starts.
  std::vector<VariableId> variables;
  std::map<VariableId, TypedId> assigned;
  // Of a loop of Enters, by state: the nodes from which it comes and by which it leaves the loop.
  struct StateNodes {
    NodeId merge, next;
    std::optional<NodeId> exit;
  };
  std::vector<StateNodes> nodes;

  bool isWhile() const { return nodes.empty(); }
  Site site() const { return {frame, node}; }
};

// The attempts to infer a loop's shapes by following iterations (loop_iterations.h).
struct IterationTrial {
  std::optional<Iteration> first;  // from states with the shapes of the loop's start
  bool isFollowed = false;         // the first iteration was followed
  bool isInvariant = false;        // it keeps the shapes, so every iteration does
  bool isUnrolled = false;         // or unrolling was tried
};

struct Loops {
  std::deque<LoopState> states;
  std::deque<LoopExit> exits;
  std::map<Site, Loop> byWhile;
  InvariantShapes invariants;
  std::map<Site, IterationTrial> trials;
  std::set<Site> unrolled;  // a While, or Exits
  bool isFollowingIteration = false;
};

// Returns the state of a loop in an iteration, given its start and what the node declares (null for nothing). Each size
// is a new one, as it may change from iteration to iteration, unless it is assumed to stay.
OutletFact loopState(Analysis& analysis, const OutletFact& start, const PartialShape* declared, const std::string& name,
                     Span at);
// Returns the state after the loop: another value of a similar type.
OutletFact loopExit(Analysis& analysis, const OutletFact& start, const OutletFact& state, const std::string& name,
                    Span at);
// Adds a state with the value that an iteration computes.
void closeState(Analysis& analysis, LoopState state);

// Gives states and exits the sizes that are known by now. Returns whether something was learnt.
bool inferLoopStates(Analysis& analysis);

std::span<const StructuralOperator> loopOperators();

// Follows one iteration of a While from these states. None if that fails.
std::optional<Iteration> followWhileIteration(Analysis& analysis, const Loop& loop, const OutletFacts& states);

}  // namespace axle::tensorflow
