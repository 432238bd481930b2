// Schemes of polymorphic bindings: settled and generalised where they are defined, instantiated at each use.
#pragma once

#include "typecheck/checked.h"

namespace axle {

// The variables that there are at a time.
struct VariableMark {
  std::size_t types, elems, shapes, dims, statics;
};
VariableMark markVariables(const Checked& checked);

// The following two are called at the level of the binding's own variables, before that level is left; `since` is the
// mark before the binding.

// Decides what only waits for a choice. `given` are the types of what comes from outside: parameters, weights.
void settleOpenChoices(Checked& checked, const VariableMark& since, const std::vector<TypeId>& given);
// Quantifies the open variables of that level, and takes the constraints on them out of the solver.
Scheme generalise(Checked& checked, const VariableMark& since, std::vector<DimFact> stated);

// Makes fresh variables of the solver's level for all that `scheme` quantifies. Adds its constraints and stated facts
// to the solver; `use` is the reason that they are asked for.
Instantiation instantiate(Checked& checked, const Scheme& scheme, ReasonId use);
Substitution asSubstitution(const Instantiation& instantiation);

// Whether a variable is open and of this level or a deeper one, given its row of the solution.
template <class Info>
bool isQuantifiable(const Info& info, std::uint32_t level) {
  return !info.binding && info.level >= level && info.level != genericLevel;
}
// Whether a constraint mentions a variable that is quantifiable at the solver's level.
bool mentionsQuantifiable(Checked& checked, const Constraint& constraint);

}  // namespace axle
