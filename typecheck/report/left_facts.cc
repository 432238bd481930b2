#include "typecheck/report/left_facts.h"

#include <algorithm>
#include <set>
#include <string>

#include "typecheck/report/guess_words.h"

namespace axle {
namespace {

struct FactWords {
  std::set<std::string> names, numbers;
};

FactWords factWords(std::string_view text) {
  static const std::set<std::string> functions{"where", "ceildiv", "max", "min"};
  FactWords found;
  for (const std::string& word : wordsOf(text)) {
    const bool isNumber = word.find_first_not_of("0123456789") == word.npos;
    if (isNumber) found.numbers.insert(word);
    if (!isNumber && isPartOfName(word[0]) && !functions.contains(word)) found.names.insert(word);
  }
  return found;
}

// Whether a fact only says what is allowed of quotients and remainders.
bool saysWhatDivides(std::string_view fact, Dividing allowed) {
  constexpr int largest = 64;
  const auto [names, numbers] = factWords(fact);
  for (const std::string& number : numbers)
    if (number.size() > 2 || std::stoi(number) > largest) return false;
  const bool divides = fact.find_first_of("%/") != fact.npos || fact.find("ceildiv") != fact.npos;
  return divides && (allowed == Dividing::ofSizes || (allowed == Dividing::ofOneSize && names.size() == 1));
}

}  // namespace

bool leavesMore(std::string_view type, const MayLeave& may) {
  const std::size_t where = type.find(" where ");
  if (where == type.npos) return false;
  const std::set<std::string> shown = factWords(type.substr(0, where)).names;
  auto isOfHiddenSize = [&](std::string_view fact) {
    const std::set<std::string> names = factWords(fact).names;
    return !std::ranges::includes(shown, names);
  };
  // An equation of shapes, `a # [b, n] == [b, n]` or `a # b == a`, only says that an open parameter broadcasts.
  std::size_t fact = where;
  int depth = 0;
  for (std::size_t i = where; i <= type.size(); ++i) {
    const char ch = i < type.size() ? type[i] : ',';
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (ch != ',' || depth != 0) continue;
    const std::string_view text = type.substr(fact, i - fact);
    const bool isEquation = !may.equations && text.find("==") != text.npos && text.find_first_of("[#@") == text.npos;
    const bool isLeft = isEquation || text.find('%') != text.npos;
    if (isLeft && !saysWhatDivides(text, may.dividing) && !(may.ofHiddenSizes && isOfHiddenSize(text))) return true;
    fact = i + 1;
  }
  return false;
}

}  // namespace axle
