// Finds the value that one size needs for a failing fact to hold.
#pragma once

#include <cstdint>
#include <optional>

#include "typecheck/solver/constraint.h"
#include "typecheck/types/solution.h"

namespace axle {

struct NeededSize {
  DimVar size;
  FactRelation relation;  // ge, le or eq
  std::int64_t bound;
};

// Returns a bound on one size that is equivalent to the fact, given the numbers of the fact's other sizes: `h >= 17`
// for `h >= 8*r - 7` with r = 3. None if a size is not a number, if the fact compares only names and numbers, or if no
// bound on one size is equivalent.
std::optional<NeededSize> neededSize(Solution& solution, const DimComparison& fact);

}  // namespace axle
