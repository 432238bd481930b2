#include "frontend/literals.h"

#include <charconv>

#include "frontend/foreign_syntax.h"
#include "frontend/syntax_codes.h"

namespace axle {

namespace {

constexpr Message<arg::Code> unknownSuffix{codes::badNumber, "unknown number suffix {}"};
constexpr Message<arg::Code, arg::ElementType> fractionOfInteger{
    codes::badNumber, "{} is not a whole number, so it cannot be of type {}"};
constexpr Message<> numberOutOfRange{codes::badNumber, "number out of range"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Returns the length of the digits with fraction and exponent; sets `whole` to whether the numeral has neither.
std::size_t numeralLength(std::string_view text, bool& whole) {
  std::size_t at = 0;
  auto digits = [&] {
    while (at < text.size() && isDigit(text[at])) ++at;
  };
  digits();
  whole = true;
  if (at + 1 < text.size() && text[at] == '.' && isDigit(text[at + 1])) {
    whole = false;
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && isDigit(text[exponent])) {
      whole = false;
      at = exponent;
      digits();
    }
  }
  return at;
}

// Whether a numeral outside the range of f64 is too small rather than too large.
bool isTiny(std::string_view numeral) {
  std::size_t e = numeral.find_first_of("eE");
  return (e != std::string_view::npos && e + 1 < numeral.size() && numeral[e + 1] == '-') ||
         numeral.find_first_not_of("0.") == std::string_view::npos || numeral.starts_with("0.");
}

}  // namespace

std::optional<Diagnostic> readNumber(std::string_view text, Span span, ast::ExprNumber& number) {
  bool whole = true;
  std::string_view numeral = text.substr(0, numeralLength(text, whole));
  std::string_view suffix = text.substr(numeral.size());

  number.isFloat = !whole;
  if (suffix == "f") {
    number.isFloat = true;
  } else if (!suffix.empty()) {
    std::optional<Elem> elem = elemNamed(suffix);
    if (!elem || !(info(*elem).isFloat || info(*elem).isInt)) {
      std::vector<std::string_view> known;
      for (const ElemInfo& one : elemTable)
        if (one.isFloat || one.isInt) known.push_back(one.name);
      Phrase help = "suffixes are `f` and the numeric element types, as in `3i64`";
      for (const std::string& near : closestNames(suffix, known))
        help = Phrase("did you mean {}? {}", arg::Name{near}, help);
      Diagnostic problem(unknownSuffix, span, arg::Code{suffix});
      problem.addHelp(helpForForeignSuffix(suffix).value_or(help));
      return problem;
    }
    if (!whole && info(*elem).isInt)
      return Diagnostic(fractionOfInteger, span, arg::Code{numeral}, arg::ElementType{suffix});
    number.suffix = elem;
    number.isFloat = info(*elem).isFloat;
  }

  number.form = whole ? ast::NumberForm::integer : ast::NumberForm::real;
  if (whole) {
    auto [end, status] = std::from_chars(numeral.data(), numeral.data() + numeral.size(), number.integer);
    if (status == std::errc::result_out_of_range) {
      if (!number.isFloat)
        return Diagnostic(numberOutOfRange, span)
            .addHelp("whole numbers go up to 18446744073709551615; {} is a float",
                     arg::Code{std::string(numeral.substr(0, 40)) + "f"});
      number.form = ast::NumberForm::real;
      number.integer = 0;
    }
  }
  auto [end, status] = std::from_chars(numeral.data(), numeral.data() + numeral.size(), number.real);
  if (status == std::errc::result_out_of_range) {
    if (!isTiny(numeral))
      return Diagnostic(numberOutOfRange, span).addHelp("f64 goes up to about 1.8e308; infinity is `inf`");
    number.real = 0;
  }
  return std::nullopt;
}

std::optional<EscapeProblem> readString(std::string_view text, std::string& value) {
  std::optional<EscapeProblem> problem;
  for (std::size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      value += text[i];
      continue;
    }
    ++i;
    switch (text[i]) {
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      case '"':
      case '\\':
        value += text[i];
        break;
      default: {
        std::size_t end = i + 1;
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
        if (!problem) problem = EscapeProblem{static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(end)};
        value += text[i];
      }
    }
  }
  return problem;
}

}  // namespace axle
