// Which facts of a list say something about the sizes that a type shows.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// By fact, whether it says something about the sizes in `shown`, perhaps by way of others. Of other sizes the facts say
// that some numbers fulfil them: `m >= 3` and `m >= k` hold for each k if m is large enough.
std::vector<bool> sayAbout(Solver& solver, const std::vector<DimFact>& facts, const std::set<std::uint32_t>& shown);

}  // namespace axle
