// What an operator's declaration says of how it is written.
#pragma once

#include <cstddef>
#include <string>

#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// Whether a number may stand for the argument as it is: a tensor of any shape that broadcasts, or a scalar. Elsewhere a
// number's shape would be open.
bool takesNumber(const OperatorTable::Entry& op, std::size_t parameter);
// Whether nothing that the operator takes tells the element type of what it gives: it comes from the use.
bool elementIsFromUse(const OperatorTable::Entry& op);
// The attribute's default as text: a literal, or a name. Empty where there is none.
std::string defaultOf(const OperatorTable::Entry& op, std::size_t attribute);
// Whether it is written between its operands, or before its operand.
bool isInfix(const std::string& op);

}  // namespace axle::emit
