// States of loops that keep their shape: an iteration that begins with the shape of the start ends with it, so by
// induction every iteration does. What a body computes from an open size is often another one (it may be broadcast), so
// the iteration must begin with the start's shape. There are two ways to one:
// - the analysis assumes that every state keeps its shape, and is run again without the states that do not;
// - where the start was not known in time, or an assumption led to an error, one iteration is followed by itself
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

// Which states of loops are assumed to keep the shape that they start with: all but those known to change it, or none.
// States are named by their loop and number.
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
  std::map<std::string, std::size_t> count;  // by loop: how many states have been named
};

// The shape of a state that is assumed to keep what it starts with; unknown for one whose rank is known to change. None
// where each of its sizes is open.
std::optional<Shape> invariantShape(Analysis& analysis, const OutletFact& start, const PartialShape* declared,
                                    const std::string& loop);

// The state whose shape that is.
void recordAssumedState(InvariantShapes& invariants, TypedId state);

// Whether a state of this loop is assumed to keep a shape that it does not keep.
bool breaksAssumption(Analysis& analysis, const Loop& loop);

// The states that an iteration changes: their values in the program.
struct ChangingState {
  TypedId start, state, next;
};
std::vector<ChangingState> changingStates(const Loop& loop, const OutletFacts& next);

// Whether an iteration that was followed from the shapes that the loop starts with ends with them.
bool keepsShapes(GraphTyper& typer, const Loop& loop, const Iteration& first);
// Gives the states of a loop that keeps its shapes the shapes of the start.
void fixShapes(GraphTyper& typer, const Loop& loop);

// After `run`: adds the states that are assumed to keep their shape and do not. False where all do.
bool addChangingStates(Analysis& analysis, LoopShapeAssumptions& to);

}  // namespace axle::tensorflow
