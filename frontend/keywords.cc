#include "frontend/keywords.h"

#include <algorithm>
#include <array>
#include <string>

#include "axle_grammar/AxLexer.h"
#include "frontend/tokens.h"
#include "io/elem.h"

namespace axle {

using grammar::AxLexer;

std::span<const std::string_view> keywords() {
  constexpr std::size_t first = AxLexer::FN, count = AxLexer::LOWEST - AxLexer::FN + 1;
  static const std::array<std::string, count> texts = [] {
    ByteStream nothing{std::string_view()};
    const AxLexer lexer(&nothing);
    std::array<std::string, count> found;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string quoted(lexer.getVocabulary().getLiteralName(first + i));
      found[i] = quoted.substr(1, quoted.size() - 2);
    }
    return found;
  }();
  static const std::array<std::string_view, count> words = [] {
    std::array<std::string_view, count> found;
    std::copy(texts.begin(), texts.end(), found.begin());
    return found;
  }();
  return words;
}

bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'' ||
         c == '.';
}

bool containsName(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !isNamePart(text[at - 1])) && (end == text.size() || !isNamePart(text[end]))) return true;
  }
  return false;
}

bool isName(std::string_view text) {
  const RawTokens tokens(text, {});
  return tokens.count() == 2 && tokens[0]->getType() == AxLexer::NAME && tokens.span(tokens[0]).begin == 0 &&
         tokens.span(tokens[0]).end == text.size() && !elemNamed(text);
}

}  // namespace axle
