#include "frontend/foreign_syntax.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "axle_grammar/AxParser.h"
#include "frontend/lower_case.h"

namespace axle {

using grammar::AxParser;

namespace {

// A pattern of tokens: `before` precedes the wrong token, `at` begins with it. NAME and STRING match any name or
// string.
struct ForeignRow {
  std::optional<Wanted> wanted;  // none: any
  std::string_view before, at;
  Format<> help;
  bool onOneLine = false;  // does not match a wrong token that begins a line: that would be a separate statement
};

constexpr Format<> aFunction = "a function is written `name = fn (x) { ... }`";
constexpr Format<> aLambda = "a function is written `fn (x) { ... }`";
constexpr Format<> aBinding = "a binding is written `name = value`";
constexpr Format<> aBody = "a function's body is written in braces: `fn (x) { ... }`";
constexpr Format<> aChoice = "a choice is written `if c { a } else { b }`; of elements, `select(c, a, b)`";
constexpr Format<> aComment = "a comment begins with `//`";
constexpr Format<> aConstant = "bindings do not change: give the new value another name";
constexpr Format<> anIteration = "iteration is `map`, `reduce`, `loop` or `while`";
constexpr Format<> aMatrixProduct = "the matrix product is `matmul(a, b)`";
constexpr Format<> aPower = "a power is written `pow(a, b)`";
constexpr Format<> aTuple = "a parameter is one name: the body takes a tuple apart, by `first, second = pair;`";
constexpr Format<> aSize = "write `_` or a name for an open size; `?k` is a size that only the run knows";

// The first matching row gives the help.
constexpr ForeignRow foreignRows[] = {
    {Wanted::operatorDeclaration, "", "", noOperators},
    {{}, "", "#", aComment},
    {{}, "", "/ *", aComment},
    {{}, "/", "*", aComment},
    {{}, "\"\"", "STRING", "a comment begins with `//`, documentation with `///`"},
    {{}, "*", "*", aPower},
    {{}, "+", "=", aConstant},
    {{}, "-", "=", aConstant},
    {{}, "*", "=", aConstant},
    {{}, "/", "=", aConstant},
    {{}, "= >", "", aLambda},
    {{}, "", "= >", aLambda},
    {{}, "?", ",", aSize},
    {{}, "?", "]", aSize},
    {{}, "", "for", anIteration},
    {{}, "", "or", "facts are separated by `,` and all hold: there is no `or` between them"},
    {{}, "", "and", "facts are separated by `,` and all hold: there is no `or` between them"},
    {Wanted::end, "return", "", "a block's value is its last expression, without `return`"},
    {Wanted::end, "let", "", aBinding},
    {Wanted::end, "var", "", aBinding},
    {Wanted::end, "val", "", aBinding},
    {Wanted::end, "const", "", aBinding},
    {Wanted::end, "def", "", aFunction},
    {Wanted::end, "func", "", aFunction},
    {Wanted::end, "function", "", aFunction},
    {Wanted::end, "lambda", "", aLambda},
    {Wanted::end, "class", "", "a layer is a function, `layer = fn (x, w) { ... }`; its weights are `param`s"},
    {Wanted::end, "for", "", anIteration},
    {Wanted::end, "while", "", anIteration},
    {Wanted::end, "assert", "", "facts about sizes follow a function's parameters, after `where`"},
    {Wanted::end, "from", "", "a module is imported whole, by `import name`"},
    {Wanted::end, "use", "NAME", "a module is imported by `import name`", true},
    {Wanted::end, "import NAME", ",", "each module has an `import` of its own: `import nn; import rnn;`"},
    {{}, "import", "STRING", "a module is imported by its name, without quotes: `import nn`"},
    {Wanted::end, "", "as", "a module is imported by its own name: `import name`"},
    {Wanted::end, "", "elif", "write `else if`"},
    {Wanted::end, "", "is", "to compare, write `==`"},
    {Wanted::end, "", "if", aChoice, true},
    {Wanted::end, "", "?", aChoice},
    {Wanted::end, "", "->", aLambda},
    {Wanted::end, "", "@", aMatrixProduct, true},
    {Wanted::argument, "", "@", aMatrixProduct},
    {Wanted::end, "", ": =", aBinding},
    {Wanted::argument, "", ":",
     "types stand at parameters and results: call `fn (x) : f32 [n] { ... }` to give a value a type"},
    {Wanted::end, "", ":", "types stand at parameters and at a function's result, not at bindings"},
    {Wanted::end, "param NAME", "NAME", "a type is written after a `:`, as in `param w : f32 [3]`"},
    {Wanted::end, "", "=", "each binding has one `=`; to compare, write `==`"},
    {Wanted::expression, "", "where (", "elements are chosen by `select(c, a, b)`; `where` is for facts about sizes"},
    {Wanted::expression, "", "param", "weights are declared outside of functions, at the top level"},
    {Wanted::expression, "", "import", "modules are imported outside of functions, at the top level"},
    {Wanted::type, "", "[", "an element type stands before the sizes, as in `f32 [n, 28]`"},
    {Wanted::parameter, "(", "(", aTuple},
    {Wanted::parameter, ",", "(", aTuple},
    {Wanted::parameter, "", "=", "a parameter with a default value is static: it is written after a `;`"},
    {Wanted::parameter, "NAME", "<", "sizes stand in brackets, as in `f32 [n, 28]`"},
    {Wanted::parameter, "NAME", "NAME", "a parameter's type is written after it, as in `x : f32 [n]`"},
    {Wanted::opening, "", "", "parameters stand in parentheses: `fn (x) { ... }`"},
    {Wanted::defaultValue, "", "",
     "a static parameter has a default value, as in `axis = 0`; a parameter without one is written before the `;`"},
    {Wanted::tensorName, "", "",
     "the values of a `param` come from a file of weights, where the string is its name; what is computed is bound "
     "without `param`"},
    {Wanted::functionBody, "", "->", "a result's type is written after a `:`, as in `fn (x) : f32 [n] { ... }`"},
    {Wanted::functionBody, "", "=", aBody},
    {Wanted::functionBody, "", "NAME", aBody},
    {Wanted::branch, "", "=", "to compare, write `==`"},
    {Wanted::fact, "", "=", "to compare, write `==`"},
    {Wanted::branch, "", ":", "each side of an `if` is written in braces: `if c { a } else { b }`"},
};

std::vector<std::string_view> wordsOf(std::string_view pattern) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < pattern.size();) {
    std::size_t end = std::min(pattern.find(' ', at), pattern.size());
    words.push_back(pattern.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool fits(std::string_view word, const antlr4::Token* token) {
  if (word == "NAME") return token->getType() == AxParser::NAME;
  if (word == "STRING") return token->getType() == AxParser::STRING;
  return token->getType() != antlr4::Token::EOF && token->getText() == word;
}

bool fits(const ForeignRow& row, const SyntaxPlace& place) {
  if ((row.wanted && *row.wanted != place.wanted) || (row.onOneLine && place.startsLine)) return false;
  const std::vector<std::string_view> before = wordsOf(row.before), at = wordsOf(row.at);
  if (before.size() > place.at || place.at + at.size() > place.tokens.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!fits(before[i], place.tokens[place.at - before.size() + i])) return false;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!fits(at[i], place.tokens[place.at + i])) return false;
  return true;
}

// `Import nn;`
std::optional<Phrase> keywordInLowerCase(const SyntaxPlace& place) {
  static constexpr std::string_view keywords[] = {"fn", "if", "else", "match", "import", "param", "op", "not"};
  if (place.wanted != Wanted::end || place.at == 0) return std::nullopt;
  const std::string written = place.tokens[place.at - 1]->getText(), word = lowerCase(written);
  bool isKeyword = std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
  if (!isKeyword || word == written) return std::nullopt;
  return Phrase("keywords are in lower case: {}", arg::Code{word});
}

bool isOneOf(const antlr4::Token* token, std::string_view texts) {
  return token->getType() != antlr4::Token::EOF && token->getText().size() == 1 &&
         texts.find(token->getText()[0]) != texts.npos;
}

// How many tokens from an index on, going by `step`, are a name or number with calls or indices, or in parentheses; 0
// where they are something else.
std::size_t operandLength(const std::vector<antlr4::Token*>& tokens, std::ptrdiff_t from, std::ptrdiff_t step) {
  const std::string_view opening = step > 0 ? "([" : ")]", closing = step > 0 ? ")]" : "([";
  const auto end = step > 0 ? static_cast<std::ptrdiff_t>(tokens.size()) : std::ptrdiff_t{-1};
  auto isWord = [&](std::ptrdiff_t i) {
    const std::size_t type = tokens[static_cast<std::size_t>(i)]->getType();
    return type == AxParser::NAME || type == AxParser::NUMBER;
  };
  std::ptrdiff_t i = from;
  bool hasWord = i != end && step > 0 && isWord(i);
  if (hasWord) i += step;
  for (int depth = 0; i != end; i += step) {
    const antlr4::Token* token = tokens[static_cast<std::size_t>(i)];
    if (depth == 0 && !isOneOf(token, opening)) break;
    depth += isOneOf(token, opening) - isOneOf(token, closing);
    if (depth == 0 && step > 0 && !hasWord) {  // a group ends with its parenthesis
      i += step;
      break;
    }
  }
  if (step < 0 && i != end && isWord(i)) i += step;
  return static_cast<std::size_t>((i - from) * step);
}

// The operands of an operator between them, as `f(a, b)`; none where they are not simple.
std::optional<Phrase> asCall(const SyntaxPlace& place, std::string_view function, std::size_t operatorBegin) {
  const auto at = static_cast<std::ptrdiff_t>(place.at);
  const auto begin = static_cast<std::ptrdiff_t>(operatorBegin);
  const std::size_t before = operandLength(place.tokens, begin - 1, -1),
                    behind = operandLength(place.tokens, at + 1, 1);
  if (before == 0 || behind == 0) return std::nullopt;
  auto textOf = [&](std::size_t first, std::size_t count) {
    antlr4::Token* start = place.tokens[first];
    const antlr4::Token* last = place.tokens[first + count - 1];
    return start->getInputStream()->getText(antlr4::misc::Interval(start->getStartIndex(), last->getStopIndex()));
  };
  const std::string left = textOf(operatorBegin - before, before), right = textOf(place.at + 1, behind);
  return Phrase("{}", arg::Code{std::string(function) + "(" + left + ", " + right + ")"});
}

// The names in parentheses from an index on, as a statement that takes a tuple apart; none where there is anything
// else.
std::optional<Phrase> asPattern(const std::vector<antlr4::Token*>& tokens, std::size_t open) {
  std::string names;
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::size_t type = tokens[i]->getType();
    depth += (type == AxParser::LPAREN) - (type == AxParser::RPAREN);
    if (depth == 0 && !names.empty()) return Phrase("{}", arg::Code{names + " = parts;"});
    if (depth == 0 ||
        (type != AxParser::NAME && type != AxParser::COMMA && type != AxParser::LPAREN && type != AxParser::RPAREN))
      return std::nullopt;
    if (i > open) names += tokens[i]->getText() + (type == AxParser::COMMA ? " " : "");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Phrase> helpForForeignSyntax(const SyntaxPlace& place) {
  for (const ForeignRow& row : foreignRows) {
    if (!fits(row, place)) continue;
    if (row.at == "@")
      if (const auto call = asCall(place, "matmul", place.at)) return Phrase("the matrix product is {}", *call);
    if (row.before == "*" && row.at == "*")
      if (const auto call = asCall(place, "pow", place.at - 1)) return Phrase("a power is written {}", *call);
    if (row.wanted == Wanted::parameter && row.at == "(")
      if (const auto pattern = asPattern(place.tokens, place.at))
        return Phrase("a parameter is one name, as {}: the body takes a tuple apart, by {}", arg::Name{"parts"},
                      *pattern);
    return row.help;
  }
  return keywordInLowerCase(place);
}

std::optional<Phrase> helpForForeignCall(std::string_view function) {
  if (function == "print" || function == "println" || function == "printf")
    return Phrase("programs print nothing: `axc repl` shows any value, and `axc run` the results");
  if (function == "assert") return Phrase("facts about sizes follow a function's parameters, after `where`");
  return std::nullopt;
}

std::optional<Phrase> helpForForeignSuffix(std::string_view suffix) {
  if (suffix.starts_with('_')) return Phrase("digits are written without `_` between them");
  if (suffix.size() > 1 && (suffix[0] == 'x' || suffix[0] == 'b' || suffix[0] == 'o' || suffix[0] == 'X'))
    return Phrase("numbers are decimal");
  if (suffix == "l" || suffix == "L" || suffix == "u" || suffix == "U")
    return Phrase("a number's type follows from its use");
  return std::nullopt;
}

std::optional<Lookalike> lookalike(std::string_view text) {
  struct Invisible {
    std::string_view bytes;
    Format<> name;
    bool isBlank;
  };
  static constexpr Invisible invisible[] = {
      {"\xc2\xa0", "U+00A0, a no-break space", true},   {"\xc2\xad", "U+00AD, a soft hyphen", false},
      {"\xe2\x80\x83", "U+2003, an em space", true},    {"\xe2\x80\x89", "U+2009, a thin space", true},
      {"\xe2\x80\xaf", "U+202F, a narrow space", true}, {"\xe3\x80\x80", "U+3000, a wide space", true},
      {"\xe2\x80\x8b", "U+200B, of no width", false},   {"\xe2\x80\x8c", "U+200C, of no width", false},
      {"\xe2\x80\x8d", "U+200D, of no width", false},   {"\xe2\x81\xa0", "U+2060, of no width", false},
      {"\xef\xbb\xbf", "U+FEFF, of no width", false},
  };
  for (const Invisible& row : invisible)
    if (text.starts_with(row.bytes))
      return Lookalike{row.name, row.isBlank ? Phrase("write a blank") : Phrase("delete it")};
  // The full-width forms U+FF01 to U+FF5E of ASCII characters.
  if (text.size() < 3 || text[0] != '\xef') return std::nullopt;
  const int second = static_cast<unsigned char>(text[1]), third = static_cast<unsigned char>(text[2]);
  const int ascii = 0x20 + (second - 0xbc) * 0x40 + third - 0x80;
  if ((second != 0xbc && second != 0xbd) || ascii <= 0x20 || ascii >= 0x7f) return std::nullopt;
  return Lookalike{std::nullopt, Phrase("write {}", arg::Code{std::string(1, static_cast<char>(ascii))})};
}

}  // namespace axle
