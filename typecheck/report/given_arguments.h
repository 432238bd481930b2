// Where a static argument of an operator was given, if functions hand it on; calls that are given results of others.
#pragma once

#include <optional>

#include "typecheck/checked.h"
#include "typecheck/solver/conflicts.h"

namespace axle {

// The argument `padding="SAME"` of the outermost use through which the operator of the reason got what the conflict
// tells is wrong. None where the operator itself was given it, and where a default value is wrong.
std::optional<Span> givenArgument(const Checked& checked, const Conflict& conflict, const Reason& reason);

// Whether one of two calls is given what the other one makes, by its name: then the function that both call is not what
// makes their sizes differ.
bool areInARow(const ast::Module& module, Span one, Span other);

}  // namespace axle
