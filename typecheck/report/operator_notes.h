// Notes on conflicts of particular operators, in the operator's own terms.
#pragma once

#include <string>

#include "frontend/diagnostic.h"
#include "typecheck/checked.h"

namespace axle {

// Adds notes and guessed fixes to the diagnostic of `conflict`, and narrows its primary place to the wrong argument if
// that is known.
void addOperatorNotes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& diagnostic);

// Where a tensor is wanted, says which argument is a tuple, of how many parts, and where it is bound. Returns whether
// it did.
bool labelTuple(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& diagnostic);

// Marks the statements that give names in a failing application one of the two element types that do not fit.
void labelDefinitions(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& diagnostic);

// Puts the shapes of operands in the place of those that unification compared: these no value has where some sizes were
// not known yet, or where an operator broadcasts.
void nameOperands(Checked& checked, const Reason& reason, Conflict& conflict);

// A signature of several lines without its result and its static parameters, which `axc ops` shows: but for the axes,
// which decide the sizes that are compared.
std::string onOneLine(const std::string& signature);

}  // namespace axle
