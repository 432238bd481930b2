// Tests the cases: each declaration of core.ax is changed in every meaningful place, one at a time, and some case of
// its operator must then fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/operators/case_file.h"
#include "tests/operators/declaration.h"
#include "tests/sanitized.h"

namespace axle::test {
namespace {

using Mutants = std::vector<std::string>;

// Changes facts: omits each, widens a class, moves a bound by one.
void breakFacts(std::string_view text, const std::vector<Token>& tokens, std::size_t where, Mutants& out) {
  const Facts facts = factsOf(tokens, where);
  for (std::size_t f = 0; f < facts.size(); ++f) {
    Facts kept = facts;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(f));
    out.push_back(withFacts(text, tokens, where, kept));
    const Token& last = tokens[facts[f].second - 1];
    if (last.text == "float" || last.text == "int") out.push_back(with(text, last, "num"));
    if (last.text == "num") out.push_back(with(text, last, "float"));
    for (std::size_t i = facts[f].first; i < facts[f].second; ++i) {
      const std::string& word = tokens[i].text;
      if (word == "<=" || word == ">=")
        for (const char* other : {"!=", word == "<=" ? "<" : ">"}) out.push_back(with(text, tokens[i], other));
      bool index = tokens[i - 1].text == "[" && tokens[i + 1].text == "]";
      if (std::isdigit(word[0]) && (!index || tokens[i - 2].text != "size"))
        out.push_back(with(text, tokens[i], std::to_string(std::stoi(word) + 1)));
    }
  }
}

// Changes defaults: to another number, the opposite bool, another word.
void breakDefaults(std::string_view text, const std::vector<Token>& tokens, std::size_t arrow, Mutants& out) {
  for (std::size_t i = 0; i + 1 < arrow; ++i) {
    if (tokens[i].text != "=") continue;
    for (std::size_t at = i + 1; at < arrow; ++at) {
      const Token& value = tokens[at];
      if (value.text == "true" || value.text == "false")
        out.push_back(with(text, value, value.text == "true" ? "false" : "true"));
      else if (value.text == "\"valid\"")
        out.push_back(with(text, value, "\"same\""));
      else if (std::isdigit(value.text[0]))
        out.push_back(with(text, value, value.text == "0" ? "1" : "2"));
      if (value.text == "," || value.text == ")" || value.text == "]") break;
    }
  }
}

// Changes attributes: omits one, omits a word of a list, counts an axis from the wrong end.
void breakAttributes(std::string_view text, const std::vector<Token>& tokens, std::size_t open, std::size_t arrow,
                     Mutants& out) {
  std::size_t begin = arrow;
  int depth = 0;
  auto cut = [&](std::size_t from, std::size_t to) {
    std::string kept(text);
    out.push_back(kept.erase(tokens[from].begin, tokens[to].begin - tokens[from].begin));
  };
  for (std::size_t i = open; i < arrow; ++i) {
    depth += tokens[i].text == "(" || tokens[i].text == "[";
    depth -= tokens[i].text == ")" || tokens[i].text == "]";
    if (depth == 1 && tokens[i].text == ";") begin = i + 1;
    if (begin == arrow) continue;
    bool ends = (depth == 1 && tokens[i].text == ",") || (depth == 0 && tokens[i].text == ")");
    if (ends && i > begin) {
      bool last = tokens[i].text == ")";
      cut(last ? begin - 1 : begin, last ? i : i + 1);
      begin = i + 1;
    }
    if (tokens[i].text == "word")
      for (std::size_t at = i + 2; tokens[at - 1].text != ")"; at += 2)
        tokens[at + 1].text == "," ? cut(at, at + 2) : cut(at - 1, at + 1);
    if (tokens[i].text == "axis" && tokens[i + 1].text == "(") {
      Token both{tokens[i + 2].begin, tokens[i + 5].begin - tokens[i + 2].begin, ""};
      out.push_back(with(text, both, tokens[i + 4].text + ", " + tokens[i + 2].text));
    }
  }
}

// Whether a name is that of a shape: it is appended, broadcast, or follows an element type.
bool isShape(const std::vector<Token>& tokens, std::size_t i) {
  auto isName = [](const std::string& word) {
    return word.size() == 1 && std::islower(static_cast<unsigned char>(word[0]));
  };
  static const std::set<std::string> elems{"t", "i", "u", "c", "bool", "i64", "u64"}, operators{"@", "#"};
  const std::string &before = tokens[i - 1].text, &after = tokens[i + 1].text;
  return isName(tokens[i].text) && (operators.count(before) || operators.count(after) || elems.count(before));
}

// Changes the result: replaces each element type, size and shape.
void breakResult(std::string_view text, const std::vector<Token>& tokens, std::size_t from, std::size_t to,
                 Mutants& out) {
  static const std::set<std::string> elems{"bool", "i64", "u64"};
  for (std::size_t i = from; i < to; ++i) {
    const std::string& word = tokens[i].text;
    bool called = i + 1 < to && tokens[i + 1].text == "(", indexed = i + 1 < to && tokens[i + 1].text == "[";
    if (elems.count(word))
      out.push_back(with(text, tokens[i], "u32"));
    else if (std::isdigit(word[0]))
      out.push_back(with(text, tokens[i], std::to_string(std::stoi(word) + 1)));
    else if (word == "+" || word == "-" || word == "*" || word == "/")
      out.push_back(with(text, tokens[i], word == "+" ? "-" : "+"));
    else if (word == "max" || word == "min" || word == "ceildiv")
      out.push_back(with(text, tokens[i], word == "max" ? "min" : "max"));
    else if (word == "t" && !called)
      out.push_back(with(text, tokens[i], "u32"));
    else if (word == "?")
      out.push_back(
          with(text, {tokens[i].begin, tokens[i + 1].begin + tokens[i + 1].length - tokens[i].begin, ""}, "9"));
    else if (isShape(tokens, i) && i > from)
      out.push_back(with(text, tokens[i], "[9]"));
    else if (std::isalpha(static_cast<unsigned char>(word[0])) && !called && !indexed && i > from &&
             (tokens[i - 1].text == "[" || tokens[i - 1].text == ","))
      out.push_back(with(text, tokens[i], "9"));
  }
}

// Changes parameters: renames one use of a repeated name, so that two sizes need not be equal any more.
void breakParameters(std::string_view text, const std::vector<Token>& tokens, std::size_t open, std::size_t arrow,
                     Mutants& out) {
  for (std::size_t i = open; i < arrow; ++i) {
    const std::string& word = tokens[i].text;
    if (word == ";") break;  // attributes follow
    bool name = word.size() == 1 && std::islower(static_cast<unsigned char>(word[0])) && tokens[i + 1].text != ":";
    auto same = [&](const Token& t) { return t.text == word; };
    bool before = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(open),
                              tokens.begin() + static_cast<std::ptrdiff_t>(i), same);
    if (name && before && tokens[i - 1].text != "..") out.push_back(with(text, tokens[i], "zz"));
    if (word == "bool" || word == "u64" || word == "i64") out.push_back(with(text, tokens[i], "zz"));
    if (std::isdigit(word[0])) out.push_back(with(text, tokens[i], std::to_string(std::stoi(word) + 1)));
  }
}

Mutants mutantsOf(std::string_view text) {
  std::vector<Token> tokens = tokensOf(text);
  const auto [open, arrow, where] = partsOf(tokens);
  Mutants out;
  breakParameters(text, tokens, open, arrow, out);
  breakAttributes(text, tokens, open, arrow, out);
  breakDefaults(text, tokens, arrow, out);
  breakResult(text, tokens, arrow + 1, std::min(where, tokens.size() - 1), out);
  if (where < tokens.size()) breakFacts(text, tokens, where, out);
  return out;
}

TEST(Mutation, EveryBrokenSignatureFailsACase) {
  if (isSanitized) GTEST_SKIP() << "says what the cases tell apart, which is the same in every build";
  std::vector<CoreOp> operators(coreOps().begin(), coreOps().end());
  std::size_t noticed = 0;
  for (CoreOp& op : operators) {
    auto isOfIt = [&](const Case& each) { return each.op == op.name; };
    EXPECT_TRUE(std::any_of(cases().begin(), cases().end(), isOfIt)) << op.name << " has no case";
    std::string_view text = op.text;
    const Mutants mutants = mutantsOf(text);
    EXPECT_FALSE(mutants.empty()) << text;
    for (const std::string& mutant : mutants) {
      op.text = mutant;
      bool seen = std::any_of(cases().begin(), cases().end(), [&](const Case& each) {
        return each.op == op.name && !failure(each, operators).empty();
      });
      EXPECT_TRUE(seen) << "nothing tells " << mutant << "\nfrom " << text;
      noticed += seen;
    }
    op.text = text;
  }
  EXPECT_GT(noticed, 7 * operators.size());
}

}  // namespace
}  // namespace axle::test
