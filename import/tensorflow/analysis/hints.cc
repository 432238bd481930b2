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

tl::expected<HintSize, std::string> parseSize(std::string_view text) {
  HintSize size;
  if (text == "?" || text == "-1") return size;
  size.isStreamed = text.starts_with('~');
  if (size.isStreamed) text.remove_prefix(1);
  if (isName(text)) {
    size.name = text;
    return size;
  }
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (size.isStreamed) return tl::unexpected(fmt::format("`~{}` is no streamed size, which has a name: `~T`", text));
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return tl::unexpected(fmt::format("`{}` is no size: a number, a name, or `?`", text));
  size.value = value;
  return size;
}

}  // namespace

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
  if (isName(rest))  // a slip more often than a size
    return tl::unexpected(fmt::format("`{0}` is no element type; a shape of one size is `[{0}]`", rest));
  if (rest.front() == '[') {
    if (rest.back() != ']' || rest.size() < 2) return tl::unexpected(fmt::format("`{}` has no closing `]`", rest));
    rest = trimmed(rest.substr(1, rest.size() - 2));
  }
  hint.shape.emplace();
  while (!rest.empty()) {
    std::size_t comma = rest.find(',');
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
