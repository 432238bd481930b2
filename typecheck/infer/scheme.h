// Schemes of polymorphic bindings: settles and generalises them at the definition, and instantiates them at each use.
#pragma once

#include "typecheck/checked.h"

namespace axle {

// The numbers of variables at some point.
struct VariableMark {
  std::size_t types, elems, shapes, dims, statics;
};
VariableMark markVariables(const Checked& checked);

// Call the following two at the level of the binding's own variables, before leaving that level; `since` is the mark
// from before the binding.

// Decides constraints that wait for a choice. `given` are the types that come from outside: parameters, weights.
void settleOpenChoices(Checked& checked, const VariableMark& since, const std::vector<TypeId>& given);
// Quantifies the open variables of that level, and moves the constraints on them from the solver into the scheme.
Scheme generalise(Checked& checked, const VariableMark& since, std::vector<DimFact> stated);

// Makes fresh variables of the solver's level for all variables that `scheme` quantifies. Adds its constraints and
// stated facts to the solver; `use` is the reason for them.
Instantiation instantiate(Checked& checked, const Scheme& scheme, ReasonId use);
Substitution asSubstitution(const Instantiation& instantiation);
// The type of a binding for this use. What a function of another module makes has its origin there.
TypeId instantiatedType(Checked& checked, TypeId type, const Instantiation& instantiation, ReasonId use);

// Whether a variable is open and of this level or a deeper one, given its row of the solution.
template <class Info>
bool isQuantifiable(const Info& info, std::uint32_t level) {
  return !info.binding && info.level >= level && info.level != genericLevel;
}
// Whether a constraint mentions a variable that is quantifiable at the solver's level.
bool mentionsQuantifiable(Checked& checked, const Constraint& constraint);

}  // namespace axle
