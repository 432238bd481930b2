// Splits the text of an operator's declaration in core.ax into its parts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace axle::test {

struct Token {
  std::size_t begin, length;
  std::string text;
};
std::vector<Token> tokensOf(std::string_view text);

// Indices of tokens: of the parenthesis before the parameters, of `->` and of `where` (the number of tokens if there is
// none).
struct Parts {
  std::size_t open, arrow, where;
};
Parts partsOf(const std::vector<Token>& tokens);

// The facts after `where`, as ranges of tokens.
using Facts = std::vector<std::pair<std::size_t, std::size_t>>;
Facts factsOf(const std::vector<Token>& tokens, std::size_t where);
// Returns the declaration with only these of its facts.
std::string withFacts(std::string_view text, const std::vector<Token>& tokens, std::size_t where, const Facts& kept);

// Returns the declaration with one token replaced.
std::string with(std::string_view text, const Token& token, const std::string& other);

// Returns the declaration without facts about sizes, and with a different name for each use of a dimension or shape in
// the parameters, so that only the evaluation checks how arguments relate.
std::string openDeclaration(std::string_view text);

}  // namespace axle::test
