// Equations of appended shapes that unification leaves open although one side has a known rank: `s @ s == [2, 2]`.
#pragma once

#include <functional>

#include "typecheck/solver/solver.h"

namespace axle {

// Tries the ranks that the variables of suspended shape equations for which `choose` holds can have. A rank that is the
// only one under which all equations can hold is taken; where there is none, a conflict is recorded. True if either
// happened. Equations of several possible splits stay suspended.
bool settleRanks(Solver& solver, const std::function<bool(const Constraint&)>& choose);

}  // namespace axle
