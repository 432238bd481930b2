// The statements that made the operands of an operator whose ranks differ: where an axis is missing, the mistake is often
// there, and not where the operands meet.
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

// Those of the operands that have fewer axes than another one, of the operator at the diagnostic's primary place. `calls`
// lead there, innermost first: an operand that is a parameter is made where one of them gives it.
std::vector<MadeOperand> madeOperands(Checked& checked, const Diagnostic& failure, const std::vector<Span>& calls);
// Marks those that the error does not mark yet.
void markMade(const std::vector<MadeOperand>& made, Diagnostic& error);

}  // namespace axle
