// Notes with the types that a failing operator, call or `if` is given.
#pragma once

#include "frontend/diagnostic.h"
#include "typecheck/checked.h"
#include "typecheck/solver/conflicts.h"

namespace axle {

// Notes the types of an operator's arguments, of a call's argument and its parameter, or of branches. Of a call whose
// sizes differ, also those of the arguments that have the same size by their parameters.
void addGivenTypes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d);

}  // namespace axle
