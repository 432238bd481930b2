#include "frontend/text_tokens.h"

#include "frontend/tokens.h"
#include "frontend/utf8.h"

namespace axle {

using grammar::AxLexer;

std::optional<std::vector<TextToken>> textTokens(std::string_view text) {
  if (validUtf8(text) != text.size() || text.find('\0') != text.npos) return std::nullopt;
  RawTokens raw(text, {});
  std::vector<TextToken> out;
  out.reserve(raw.count());
  for (std::size_t i = 0; i + 1 < raw.count(); ++i) {  // the last one is EOF
    const std::size_t type = raw[i]->getType();
    if (type == AxLexer::COMMENT) continue;
    const Span at = raw.span(raw[i]);
    out.push_back({at.begin, at.end, text.substr(at.begin, at.end - at.begin), type == AxLexer::DOC});
  }
  return out;
}

}  // namespace axle
