#include "typecheck/solver/einsum.h"

#include <algorithm>
#include <map>

namespace axle {
namespace {

using Error = tl::unexpected<std::string>;

tl::expected<EinsumTerm, std::string> parseTerm(std::string_view text) {
  EinsumTerm term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      (term.ellipsis ? term.after : term.before) += c;
    } else if (text.substr(i, 3) == "...") {
      if (term.ellipsis) return Error("a term has more than one `...`");
      term.ellipsis = true;
      i += 2;
    } else if (c != ' ') {
      return Error("terms are letters and `...`");
    }
  }
  return term;
}

}  // namespace

tl::expected<Einsum, std::string> parseEinsum(std::string_view text, std::size_t operands) {
  Einsum equation;
  std::size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  std::map<char, int> counts;
  bool ellipsis = false;
  while (true) {
    std::size_t comma = left.find(',');
    auto term = parseTerm(left.substr(0, comma));
    if (!term) return Error(term.error());
    for (char letter : term->letters()) ++counts[letter];
    ellipsis = ellipsis || term->ellipsis;
    equation.operands.push_back(std::move(*term));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (equation.operands.size() != operands)
    return Error("it is for " + std::to_string(equation.operands.size()) + " operands, but is given " +
                 std::to_string(operands));
  if (arrow == std::string_view::npos) {
    equation.result.ellipsis = ellipsis;
    for (auto [letter, count] : counts)
      if (count == 1) (ellipsis ? equation.result.after : equation.result.before) += letter;
    return equation;
  }
  auto result = parseTerm(text.substr(arrow + 2));
  if (!result) return Error(result.error());
  std::string letters = result->letters();
  for (char letter : letters) {
    if (counts.count(letter) == 0) return Error(std::string("`") + letter + "` is in no operand");
    if (std::count(letters.begin(), letters.end(), letter) > 1)
      return Error(std::string("`") + letter + "` stands twice in the result");
  }
  if (result->ellipsis != ellipsis) return Error("`...` must stand in the result where it stands in an operand");
  equation.result = std::move(*result);
  return equation;
}

}  // namespace axle
