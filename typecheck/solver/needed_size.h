// What a size would have to be for a fact that fails.
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

// A bound on one size that says the same as the fact, given the numbers that the fact's other sizes are: `h >= 17` of
// `h >= 8*r - 7` where r is 3. None where a size is no number, where the fact compares names and numbers only, and
// where no bound on one size says the same.
std::optional<NeededSize> neededSize(Solution& solution, const DimComparison& fact);

}  // namespace axle
