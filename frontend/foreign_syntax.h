// Help for syntax of other languages: how what was probably meant is written here. Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/message.h"

namespace axle {

// What the parser expected where it found a token that cannot stand there.
enum class Wanted {
  other,
  end,         // of a statement
  expression,  // or a statement
  type,
  parameter,  // or what follows one
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
  std::size_t at;  // the index of the token that cannot stand there
  Wanted wanted;
  bool startsLine;
};

// How what was probably meant is written; nothing where no habit is known that explains the token.
std::optional<Phrase> helpForForeignSyntax(const SyntaxPlace& place);

// For `a // b`.
inline constexpr Format<> slashesBeginComment =
    "`//` begins a comment; a quotient that is rounded down is `floor_div(a, b)`";

// What programs have instead of declarations of operators.
inline constexpr Format<> noOperators =
    "programs declare no operators; a function is written `scaled = fn (x; factor = 2.0) { ... };`";

// The same for a call that stands as a statement.
std::optional<Phrase> helpForForeignCall(std::string_view function);

// The same for a number with such a suffix.
std::optional<Phrase> helpForForeignSuffix(std::string_view suffix);

// A character outside of ASCII that looks like one of ASCII or like nothing.
struct Lookalike {
  std::optional<Phrase> name;  // of a character that cannot be seen
  Phrase help;                 // what to write for it
};
// About the first character of a text.
std::optional<Lookalike> lookalike(std::string_view text);

}  // namespace axle
