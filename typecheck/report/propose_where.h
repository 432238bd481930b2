// Proposes a clause for `where` from which an open fact follows: the shortest one of a small table that implies the
// fact and that some sizes satisfy; the solver checks both.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct Proposer {
  Checked& checked;
  // Prints facts as users would write them.
  std::function<std::vector<std::string>(const std::vector<DimFact>&)> print;
  std::function<bool(DimVar)> isNamed;  // whether the clause may mention the variable

  // A proposal for each fact of `left`, in its order, given the stated facts and the facts before it.
  std::vector<std::optional<Proposal>> proposals(const std::vector<DimFact>& stated,
                                                 const std::vector<DimFact>& left) const;
};

}  // namespace axle
