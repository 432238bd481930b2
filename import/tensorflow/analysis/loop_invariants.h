// Finds loop states that keep their shape: an iteration that begins with the shape of the start ends with it, so by
// induction every iteration does. An iteration must begin with the start's shape, because the shape that a body
// computes from an open size is often a new one (it may be broadcast). There are two ways to start with it:
// - the analysis assumes that every state keeps its shape, and is repeated without the states that do not;
// - if the start was not known in time, or an assumption led to an error, one iteration is followed separately
//   (loop_iterations.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct Iteration;
struct Loop;

// The states of loops that are assumed to keep the shape of their start: all except those known to change it, or none.
// A state is named by its loop and number.
struct LoopShapeAssumptions {
  bool areMade = false;
  std::set<std::string> changing, changingRank;
};

struct InvariantShapes {
  LoopShapeAssumptions assumptions;
  struct State {
    std::string name;
    TypedId value;
  };
  std::vector<State> assumed;                // the states that are assumed to keep their shape
  std::map<std::string, std::size_t> count;  // by loop: the number of states named so far
};

// Returns the shape of a state that is assumed to keep the shape of its start; an unknown shape if its rank is known to
// change. None if nothing is assumed: then each of its sizes is open.
std::optional<Shape> invariantShape(Analysis& analysis, const OutletFact& start, const PartialShape* declared,
                                    const std::string& loop);

// Records the state to which the last shape from `invariantShape` belongs.
void recordAssumedState(InvariantShapes& invariants, TypedId state);

// Whether a state of this loop is assumed to keep its shape but does not.
bool breaksAssumption(Analysis& analysis, const Loop& loop);

// A state that an iteration changes: its values in the program.
struct ChangingState {
  TypedId start, state, next;
};
std::vector<ChangingState> changingStates(const Loop& loop, const OutletFacts& next);

// Whether an iteration that began with the shapes of the loop's start ends with them.
bool keepsShapes(GraphTyper& typer, const Loop& loop, const Iteration& first);
// Gives the states of a loop that keeps its shapes the shapes of the start.
void fixShapes(GraphTyper& typer, const Loop& loop);

// Adds the states that are assumed to keep their shape but do not. Call it after `run`. Returns false if there
// are none.
bool addChangingStates(Analysis& analysis, LoopShapeAssumptions& to);

}  // namespace axle::tensorflow
