// The facts of a scheme that callers can establish.
#pragma once

#include <vector>

#include "typecheck/checked.h"

namespace axle {

// Whether a size is known only at run time, so that callers cannot establish facts about it: the run checks them.
bool ofTheRun(Checked& checked, Dim d);

// The facts that hold wherever a type of the scheme is used; none without a scheme.
std::vector<DimFact> factsOf(Checked& checked, const Scheme* scheme);

}  // namespace axle
