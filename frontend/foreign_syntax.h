// Help for syntax of other languages: tells how to write the same in Axle. Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/message.h"

namespace axle {

// What the parser expected at the wrong token.
enum class Wanted {
  other,
  end,         // of a statement
  expression,  // or a statement
  type,
  parameter,  // or the token after one
  argument,   // or the token after one
  opening,    // the `(` of a function's parameters
  defaultValue,
  functionBody,
  branch,  // of an `if` or `match`
  tensorName,
  fact,
  operatorDeclaration,
};

struct SyntaxPlace {
  const std::vector<antlr4::Token*>& tokens;
  std::size_t at;  // the index of the wrong token
  Wanted wanted;
  bool startsLine;
};

// Suggests how to write what was probably meant; none if no known syntax of another language explains the token.
std::optional<Phrase> helpForForeignSyntax(const SyntaxPlace& place);

// For `a // b`.
inline constexpr Format<> slashesBeginComment =
    "`//` begins a comment; a quotient that is rounded down is `floor_div(a, b)`";

// For an `op` declaration in a program.
inline constexpr Format<> noOperators =
    "programs declare no operators; a function is written `scaled = fn (x; factor = 2.0) { ... };`";

// Like helpForForeignSyntax, for a call that is a statement.
std::optional<Phrase> helpForForeignCall(std::string_view function);

// Like helpForForeignSyntax, for a number with an unknown suffix.
std::optional<Phrase> helpForForeignSuffix(std::string_view suffix);

// A character outside ASCII that looks like an ASCII character or is invisible.
struct Lookalike {
  std::optional<Phrase> name;  // set for an invisible character
  Phrase help;                 // what to write instead
};
// Looks up the first character of a text.
std::optional<Lookalike> lookalike(std::string_view text);

}  // namespace axle
