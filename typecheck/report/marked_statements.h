// Statements that an error marks because the mistake may be there, and not where the operands meet: those that made
// operands whose ranks differ, and those whose values nothing uses.
#pragma once

#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "typecheck/checked.h"

namespace axle {

struct MadeOperand {
  std::string name;
  Span value;  // a call or an operator's application, behind the `=` of a statement or given to a call
};

// Those of the operands that have fewer axes than another one, of the operator at the diagnostic's primary place.
// `calls` lead there, innermost first: an operand that is a parameter is made where one of them gives it.
std::vector<MadeOperand> madeOperands(Checked& checked, const Diagnostic& failure, const std::vector<Span>& calls);
// Marks those that the error does not mark yet.
void markMade(const std::vector<MadeOperand>& made, Diagnostic& error);

// Marks the names that the function with the error binds and does not use: what is wrong is often that another one
// stands in the place of one of them. Of many, none tells anything.
void markUnused(Checked& checked, Diagnostic& error);

}  // namespace axle
