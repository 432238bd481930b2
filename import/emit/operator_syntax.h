// Determines how to write calls of an operator, from its declaration.
#pragma once

#include <cstddef>
#include <string>

#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// Whether the argument may be a number literal: it is a scalar, or a tensor of any shape that broadcasts. The shape of
// a literal could not be inferred elsewhere.
bool takesNumber(const OperatorTable::Entry& op, std::size_t parameter);
// Whether the result's element type follows from its use instead of the arguments.
bool elementIsFromUse(const OperatorTable::Entry& op);
// Returns the attribute's default as text: a literal or a name. Empty if there is none.
std::string defaultOf(const OperatorTable::Entry& op, std::size_t attribute);
// Whether the operator is written between its operands, or before its only operand.
bool isInfix(const std::string& op);

}  // namespace axle::emit
