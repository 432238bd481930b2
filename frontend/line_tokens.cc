#include "frontend/line_tokens.h"

#include <algorithm>

#include "frontend/tokens.h"

namespace axle {

namespace {

bool endsLine(char c) { return c == '\n' || c == '\r'; }

}  // namespace

void LineTokens::update(std::string_view text) {
  const std::size_t most = std::min(text.size(), text_.size());
  std::size_t begin = 0, end = 0;  // numbers of unchanged bytes at both ends, in whole lines
  while (begin < most && text[begin] == text_[begin]) ++begin;
  while (begin > 0 && !endsLine(text[begin - 1])) --begin;
  while (end < most - begin && text[text.size() - 1 - end] == text_[text_.size() - 1 - end]) ++end;
  auto beginsLine = [](std::string_view whole, std::size_t offset) {
    return offset == 0 || endsLine(whole[offset - 1]);
  };
  while (end > 0 && !(beginsLine(text, text.size() - end) && beginsLine(text_, text_.size() - end))) --end;

  const std::size_t oldEnd = text_.size() - end, newEnd = text.size() - end;
  auto at = [&](std::size_t offset) {
    return std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                            [](const Token& token, std::size_t from) { return token.begin < from; });
  };
  std::vector<Token> all(tokens_.begin(), at(begin));
  const RawTokens changed(text.substr(begin, newEnd - begin), {});
  for (std::size_t i = 0; i + 1 < changed.count(); ++i) {
    if (changed[i]->getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
    const Span span = changed.span(changed[i]);
    const auto from = static_cast<std::uint32_t>(begin);
    all.push_back({changed[i]->getType(), from + span.begin, from + span.end});
  }
  const auto further = static_cast<std::uint32_t>(newEnd) - static_cast<std::uint32_t>(oldEnd);
  for (auto token = at(oldEnd); token != tokens_.end(); ++token)
    all.push_back({token->type, token->begin + further, token->end + further});
  tokens_ = std::move(all);
  text_ = text;
}

}  // namespace axle
