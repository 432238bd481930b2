// Where a static argument of an operator was given, if functions hand it on.
#pragma once

#include <optional>

#include "typecheck/checked.h"
#include "typecheck/solver/conflicts.h"

namespace axle {

// The argument `padding="SAME"` of the outermost use through which the operator of the reason got what the conflict
// tells is wrong. None where the operator itself was given it, and where a default value is wrong.
std::optional<Span> givenArgument(const Checked& checked, const Conflict& conflict, const Reason& reason);

}  // namespace axle
