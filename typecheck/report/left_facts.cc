#include "typecheck/report/left_facts.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace axle {
namespace {

// Whether a fact only says what is allowed of quotients and remainders.
bool saysWhatDivides(std::string_view fact, Dividing allowed) {
  constexpr int largest = 64;
  static const std::set<std::string> words{"where", "ceildiv", "max", "min"};
  std::set<std::string> names;
  for (std::size_t i = 0; i < fact.size();) {
    std::size_t end = i;
    while (end < fact.size() && (std::isalnum(static_cast<unsigned char>(fact[end])) || fact[end] == '_')) ++end;
    const std::string word(fact.substr(i, end - i));
    const bool isNumber = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    if (isNumber && (word.size() > 2 || std::stoi(word) > largest)) return false;
    if (!word.empty() && !isNumber && !words.contains(word)) names.insert(word);
    i = std::max(end, i + 1);
  }
  const bool divides = fact.find_first_of("%/") != fact.npos || fact.find("ceildiv") != fact.npos;
  return divides && (allowed == Dividing::ofSizes || (allowed == Dividing::ofOneSize && names.size() == 1));
}

}  // namespace

bool leavesMore(std::string_view type, bool statesEquations, Dividing allowed) {
  const std::size_t where = type.find(" where ");
  if (where == type.npos) return false;
  // An equation of shapes, `a # [b, n] == [b, n]` or `a # b == a`, only says that an open parameter broadcasts.
  std::size_t fact = where;
  int depth = 0;
  for (std::size_t i = where; i <= type.size(); ++i) {
    const char ch = i < type.size() ? type[i] : ',';
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (ch != ',' || depth != 0) continue;
    const std::string_view text = type.substr(fact, i - fact);
    const bool isEquation = !statesEquations && text.find("==") != text.npos && text.find_first_of("[#@") == text.npos;
    if ((isEquation || text.find('%') != text.npos) && !saysWhatDivides(text, allowed)) return true;
    fact = i + 1;
  }
  return false;
}

}  // namespace axle
