// Equations of appended shapes that unification leaves open although one side has a known rank: `s @ s == [2, 2]`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// Tries the ranks that the variables of suspended shape equations for which `choose` holds can have. A rank that is the
// only one under which all equations can hold is taken; where there is none, a conflict is recorded. True if either
// happened. Equations of several possible splits stay suspended.
bool settleRanks(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// A suspended equation of a shape of known rank and one of several possible splits.
struct OpenSplit {
  ReasonId reason;
  Shape known, open;                              // the two sides, resolved
  std::vector<ShapeVar> variables;                // of the open side, each once
  std::vector<std::vector<std::size_t>> choices;  // ranks for the variables under which all equations can hold
};
// The first one; none where all equations are finished. After many trials what is left counts as possible.
std::optional<OpenSplit> firstOpenSplit(Solver& solver);
// Gives the variables these ranks, and solves what follows.
void takeSplit(Solver& solver, const OpenSplit& split, const std::vector<std::size_t>& ranks);

}  // namespace axle
