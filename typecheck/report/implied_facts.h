// Which facts of a list need not be shown, because others of the list say them too.
#pragma once

#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// The facts without the stated ones that follow from the rest: without `m >= 1` beside `m >= 7`. A fact follows only
// from inequalities with no more quotients, so that a divisor's `k >= 1` stays beside `n % k == 0`; of equivalent ones
// the first stays. Decided without Z3; a long list by normal forms alone, and a very long one stays as it is.
std::vector<DimFact> withoutImplied(Solver& solver, std::vector<DimFact> facts);

}  // namespace axle
