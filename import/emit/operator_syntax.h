// How calls of an operator are written, by its declaration.
#pragma once

#include <cstddef>
#include <string>

#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// Whether the argument may be a number literal: it is a scalar, or a tensor of any shape that broadcasts. Elsewhere the
// shape of a literal could not be inferred.
bool takesNumber(const OperatorTable::Entry& op, std::size_t parameter);
// Whether the result's element type does not follow from the arguments, but from the use.
bool elementIsFromUse(const OperatorTable::Entry& op);
// The attribute's default as text: a literal or a name. Empty where there is none.
std::string defaultOf(const OperatorTable::Entry& op, std::size_t attribute);
// Whether it is written between its operands, or before its only operand.
bool isInfix(const std::string& op);

}  // namespace axle::emit
