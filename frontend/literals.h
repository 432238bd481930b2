// Number and string literals: text -> value. Internal to frontend/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"

namespace axle {

// Reads a NUMBER token into `number` (`form`, `integer`, `real`, `suffix`, `isFloat`). Returns an error if the token is
// malformed.
std::optional<Diagnostic> readNumber(std::string_view text, Span span, ast::ExprNumber& number);

struct EscapeProblem {
  std::uint32_t begin, end;  // in the token's text
};

// Reads a STRING token including its quotes; the closing one may be missing. Returns the place of the first unknown
// escape.
std::optional<EscapeProblem> readString(std::string_view text, std::string& value);

}  // namespace axle
