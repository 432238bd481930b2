// Which facts of a list need not be shown, because others of the list say them too.
#pragma once

#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// By fact, whether it follows from those for which the result is false: `m >= 1` beside `m >= 7`, `k >= 0` and
// `n / k >= 0` beside `n % k == 0`. It follows from inequalities with no more quotients, and because the divisors of
// other facts are >= 1; but `k >= 1` itself stays beside `n % k == 0`. Of equivalent facts the first stays. Equations
// are only tried if they are stated. Decided without Z3; a long list by normal forms alone, and of a very long one
// every fact stays.
std::vector<bool> impliedByOthers(Solver& solver, const std::vector<DimFact>& facts);
// The facts without those.
std::vector<DimFact> withoutImplied(Solver& solver, std::vector<DimFact> facts);

}  // namespace axle
