// What a user may state after `where` so that a fact that is left open follows: the shortest clause of a small table
// that suffices and that some sizes satisfy, both checked by the solver's tiers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct Proposer {
  Checked& checked;
  // Facts as they would be written.
  std::function<std::vector<std::string>(const std::vector<DimFact>&)> print;
  std::function<bool(DimVar)> isNamed;  // may stand in the clause

  // For each fact of `left`, in its order, given what is stated already and the facts before it.
  std::vector<std::optional<Proposal>> proposals(const std::vector<DimFact>& stated,
                                                 const std::vector<DimFact>& left) const;
};

}  // namespace axle
