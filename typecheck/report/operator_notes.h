// What an operator's conflict says besides what all conflicts say, in the operator's own words.
#pragma once

#include "frontend/diagnostic.h"
#include "typecheck/checked.h"

namespace axle {

// Adds notes and guesses of mends to the diagnostic of a program's text that `conflict` became, and narrows its primary
// place to the argument that is wrong, where that is known.
void addOperatorNotes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& diagnostic);

}  // namespace axle
