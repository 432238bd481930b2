// Equations of appended shapes that unification leaves open although one side has a known rank: `s @ s == [2, 2]`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// Tries the possible ranks of the variables of suspended shape equations for which `choose` holds. If all equations can
// hold under only one rank, takes it; if under none, records a conflict. True if either happened. Equations with
// several possible splits stay suspended.
bool settleRanks(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// A suspended equation between a shape of known rank and a shape with several possible splits.
struct OpenSplit {
  ReasonId reason;
  Shape known, open;                              // the two sides, resolved
  std::vector<ShapeVar> variables;                // of the open side, without duplicates
  std::vector<std::vector<std::size_t>> choices;  // ranks for the variables under which all equations can hold
};
// Returns the first open split; none if all equations are solved. After many trials, the remaining ranks count as
// possible.
std::optional<OpenSplit> firstOpenSplit(Solver& solver);
// Gives the variables these ranks, and solves the consequences.
void takeSplit(Solver& solver, const OpenSplit& split, const std::vector<std::size_t>& ranks);

// Gives an operand of a suspended broadcast the rank that its result asks of it: `s` of `s @ [n] # r == [m]` has no
// sizes; if `choose` holds for its variables, `s` of `[n] # s == [b, n]` has two, because the other operand has fewer.
// True if one got its rank; there may be a conflict then.
bool takeBroadcastRanks(Solver& solver, const std::function<bool(ShapeVar)>& choose);

}  // namespace axle
