// Drops constraints that others imply, so that a printed type says each thing once.
#pragma once

#include <vector>

#include "typecheck/checked.h"

namespace axle {

// The constraints of a scheme that say the same of the variables in `types` and in its stated facts as all of them do.
// Other variables may have any value: where all that is said of some of them is also said of others, it is said once.
// Of `[n] @ s == [m] @ p` and `[n] @ s == [k] @ q`, with n and s in the types, one is left. Follows a limited number of
// steps.
std::vector<Constraint> withoutImplied(Checked& checked, const Scheme& scheme, const std::vector<TypeId>& types);

}  // namespace axle
