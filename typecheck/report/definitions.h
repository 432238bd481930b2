// The open variables that printed types show as functions of others: `permute(s, perm)`, `size(s)`, `(s # r)`.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct Definitions {
  // By the variable that is the constraint's result.
  std::map<std::uint32_t, const Constraint*> shapes, dims;
  // Variables whose definitions contain them, through others or by themselves: each is printed by its name, and its
  // definition is a fact.
  std::set<std::uint32_t> statedShapes, statedDims;
};

// The definitions among `constraints`, which must outlive them.
Definitions definitionsAmong(Checked& checked, const std::vector<Constraint>& constraints);

}  // namespace axle
