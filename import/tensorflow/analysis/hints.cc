#include "import/tensorflow/analysis/hints.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace axle::tensorflow {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<Type> typeSpelled(std::string_view name) {
  for (int type = 1; type < typeCount; ++type)
    if (spelling(static_cast<Type>(type)) == name) return static_cast<Type>(type);
  return typeNamed(name);
}

bool isName(std::string_view text) {
  auto isLetter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  return !text.empty() && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](unsigned char c) { return isLetter(c) || std::isdigit(c); });
}

// Parses the formula of a streamed size, in the language's own syntax, into steps.
class FormulaReader {
 public:
  FormulaReader(std::string_view text, std::vector<HintStep>& steps) : rest_(text), steps_(steps) {}

  bool readAll() { return readSum(0) && next() == '\0'; }

 private:
  static constexpr int mostNested = 64;

  char next() {
    rest_ = trimmed(rest_);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool add(DimOp op) {
    steps_.push_back({op, 0, {}});
    return true;
  }
  std::string_view takeWhile(auto belongs) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), belongs);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }

  bool readSum(int depth) {
    if (depth > mostNested || !readProduct(depth)) return false;
    while (next() == '+' || next() == '-') {
      const DimOp op = take('+') ? DimOp::add : (take('-'), DimOp::sub);
      if (!readProduct(depth) || !add(op)) return false;
    }
    return true;
  }
  bool readProduct(int depth) {
    static constexpr std::pair<char, DimOp> operations[] = {{'*', DimOp::mul}, {'/', DimOp::div}, {'%', DimOp::mod}};
    if (!readPrimary(depth)) return false;
    while (true) {
      const auto row = std::find_if(std::begin(operations), std::end(operations),
                                    [&](const auto& operation) { return operation.first == next(); });
      if (row == std::end(operations)) return true;
      take(row->first);
      if (!readPrimary(depth) || !add(row->second)) return false;
    }
  }
  bool readPrimary(int depth) {
    if (take('(')) return readSum(depth + 1) && take(')');
    const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto isLetter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (isDigit(static_cast<unsigned char>(next()))) {
      const std::string_view digits = takeWhile(isDigit);
      steps_.push_back({DimOp::constant, 0, {}});
      return std::from_chars(digits.data(), digits.data() + digits.size(), steps_.back().value).ec == std::errc();
    }
    const std::string_view word = takeWhile(isLetter);
    if (!isName(word)) return false;
    if (next() == '(') return readCall(word, depth);
    steps_.push_back({DimOp::symbol, 0, std::string(word)});
    return true;
  }
  bool readCall(std::string_view function, int depth) {
    static constexpr std::pair<std::string_view, DimOp> functions[] = {
        {"max", DimOp::max}, {"min", DimOp::min}, {"ceildiv", DimOp::ceildiv}};
    const auto row =
        std::find_if(std::begin(functions), std::end(functions), [&](const auto& f) { return f.first == function; });
    return row != std::end(functions) && take('(') && readSum(depth + 1) && take(',') && readSum(depth + 1) &&
           take(')') && add(row->second);
  }

  std::string_view rest_;
  std::vector<HintStep>& steps_;
};

tl::expected<HintSize, std::string> parseFormula(std::string_view text) {
  HintSize size;
  size.isStreamed = true;
  if (!FormulaReader(text, size.formula).readAll())
    return tl::unexpected(
        fmt::format("`~{}` is no formula of a streamed size: `~(2*T + 1)`, with +, -, *, /, %, "
                    "`ceildiv`, `min` and `max`",
                    text));
  const auto names = size.names();
  if (names.empty())
    return tl::unexpected(fmt::format("`~{}` is no streamed size, which has a name: `~T`, `~(2*T)`", text));
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name != names.front(); }))
    return tl::unexpected(fmt::format("`~{}` has two names, `{}` and another one: a stream has one", text, names[0]));
  return size;
}

tl::expected<HintSize, std::string> parseSize(std::string_view text) {
  HintSize size;
  if (text == "?" || text == "-1") return size;
  size.isStreamed = text.starts_with('~');
  if (size.isStreamed) text.remove_prefix(1);
  if (size.isStreamed && text.starts_with('(')) return parseFormula(text);
  if (isName(text)) {
    size.name = text;
    return size;
  }
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (size.isStreamed)
    return tl::unexpected(fmt::format("`~{}` is no streamed size, which has a name: `~T`, `~(2*T)`", text));
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return tl::unexpected(fmt::format("`{}` is no size: a number, a name, or `?`", text));
  size.value = value;
  return size;
}

// Returns the end of the size at the start of the text: a comma outside of parentheses.
std::size_t endOfSize(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] == ',' && open <= 0) return at;
  }
  return text.npos;
}

}  // namespace

std::vector<std::string> HintSize::names() const {
  std::vector<std::string> all;
  if (!name.empty()) all.push_back(name);
  for (const HintStep& step : formula)
    if (step.op == DimOp::symbol) all.push_back(step.name);
  return all;
}

tl::expected<Hint, std::string> parseHint(const std::string& option, const std::string& tensor, std::string_view fact) {
  Hint hint;
  hint.option = option;
  hint.tensor = tensor;
  std::string_view rest = trimmed(fact);
  if (std::size_t blank = rest.find_first_of(" ["); blank > 0)
    if (auto type = typeSpelled(rest.substr(0, blank))) {
      hint.type = type;
      rest = blank == rest.npos ? std::string_view() : trimmed(rest.substr(blank));
      if (rest.empty()) return hint;
    }
  if (rest.empty()) return tl::unexpected(std::string("there is no shape behind the `=`"));
  if (rest == "..") return hint;
  if (isName(rest))  // more often a mistake than a size
    return tl::unexpected(fmt::format("`{0}` is no element type; a shape of one size is `[{0}]`", rest));
  if (rest.front() == '[') {
    if (rest.back() != ']' || rest.size() < 2) return tl::unexpected(fmt::format("`{}` has no closing `]`", rest));
    rest = trimmed(rest.substr(1, rest.size() - 2));
  }
  hint.shape.emplace();
  while (!rest.empty()) {
    const std::size_t comma = endOfSize(rest);
    auto size = parseSize(trimmed(rest.substr(0, comma)));
    if (!size) return tl::unexpected(size.error());
    hint.shape->push_back(std::move(*size));
    if (comma == rest.npos) break;
    rest = trimmed(rest.substr(comma + 1));
    if (rest.empty()) return tl::unexpected(std::string("a size is missing behind the last comma"));
  }
  return hint;
}

}  // namespace axle::tensorflow
