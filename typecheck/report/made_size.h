// Finds what made a size that fails: follows the value that has it from the operator that fails back through names,
// operators and calls, to the one that takes no such size.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct MadeSize {
  Span place;               // an application, or a size written in a type
  std::string owner;        // the `param`, or the parameter, whose type has the size; empty for an application
  std::vector<Span> calls;  // the followed calls that lead to it from the function that fails, outermost first
  std::optional<Span> ofBoth = std::nullopt;  // what makes both sizes, in the calls that are their places
  std::optional<Span> alias = std::nullopt;   // the nearest statement on the way that gives a value another name
};

// The places of the values that meet at a place: the operands of an application, or what a function returns.
std::vector<Span> operandsAt(const Modules& modules, Span place);

// What made the two different sizes of a conflict at an operator, a call, or the type of a result, which declares the
// first. Nothing for a size that no operand has, or that inference found for a name in a type.
std::pair<std::optional<MadeSize>, std::optional<MadeSize>> whatMade(Checked& checked, const Conflict& conflict,
                                                                     const Reason& reason);

}  // namespace axle
