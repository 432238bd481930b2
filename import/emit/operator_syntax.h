// Determines how to write calls of an operator, from its declaration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// Whether the argument may be a number literal: it is a scalar, or a tensor of any shape that broadcasts. The shape of
// a literal could not be inferred elsewhere.
bool takesNumber(const OperatorTable::Entry& op, std::size_t parameter);
// Whether the result's element type follows from its use instead of the arguments.
bool elementIsFromUse(const OperatorTable::Entry& op);
// Returns the attribute's default as text: a literal or a name. Empty if there is none.
std::string defaultOf(const OperatorTable::Entry& op, std::size_t attribute);
// The attributes that are lists of numbers with a list as their default: the strides and dilations of windows.
struct ListAttribute {
  std::string name, otherwise;  // the default as text, `[1, 1]`
};
std::vector<ListAttribute> listAttributes(const OperatorTable::Entry& op);
// Whether the operator is written between its operands, or before its only operand.
bool isInfix(const std::string& op);

}  // namespace axle::emit
