// Finds the operator inside of a function of the program that cannot take what a call gives the function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "typecheck/check.h"

namespace axle {

struct InnerFailure {
  Span place;                // of the operator
  std::string function;      // whose body has it
  std::vector<Span> calls;   // on the way from the failing call to it, without both
  std::string message;       // what a check says of the operator with these arguments
  std::vector<Fix> guesses;  // of changes there that may correct the error
};

// Where `error` marks a call of a function of the root module: what fails inside of it, with all places in the text of
// the root module. The function is checked with the types of the call's arguments in its signature. Nothing where it
// then checks, or where its signature already refuses the arguments.
std::optional<InnerFailure> findInnerFailure(Checked& checked, const CheckOptions& options, const Diagnostic& error);

// Says in the error where the operator is.
void markInnerFailure(const InnerFailure& inner, Diagnostic& error);

}  // namespace axle
