#include "frontend/tokens.h"

#include <algorithm>

#include "grammar/lexer_table.h"

namespace axle {

using antlr4::Token;

std::size_t ByteStream::LA(ssize_t i) {
  if (i == 0) return 0;
  std::size_t at = i > 0 ? at_ + static_cast<std::size_t>(i - 1) : at_ - static_cast<std::size_t>(-i);
  return at < text_.size() ? static_cast<unsigned char>(text_[at]) : antlr4::IntStream::EOF;
}

std::string ByteStream::getText(const antlr4::misc::Interval& interval) {
  if (interval.a < 0 || interval.b < interval.a || static_cast<std::size_t>(interval.a) >= text_.size()) return {};
  return std::string(
      text_.substr(static_cast<std::size_t>(interval.a), static_cast<std::size_t>(interval.b - interval.a + 1)));
}

Token* TokenList::LT(ssize_t k) {
  if (k == 0) return nullptr;
  if (k < 0) return static_cast<std::size_t>(-k) > at_ ? nullptr : tokens_[at_ - static_cast<std::size_t>(-k)];
  std::size_t index = at_ + static_cast<std::size_t>(k) - 1;
  return index < end_ ? tokens_[index] : tokens_.back();
}

void TokenList::insert(std::size_t at, Token* token) {
  tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(at), token);
  ++end_;
}

void TokenList::setWindow(std::size_t begin, std::size_t end) {
  at_ = begin;
  end_ = end;
}

RawTokens::RawTokens(std::string_view text, SourceId source)
    : text_(text), source_(source), bytes_(text), origin_(&bytes_) {
  static constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
  // A part of a long text is preceded by blanks in place of the text before it.
  const std::size_t begin = text.find_first_not_of(' ', text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0);
  for (std::size_t at = begin; at < text.size();) {
    const grammar::Lexeme lexeme = grammar::readLexeme(text, at);
    const std::size_t channel = lexeme.token.isHidden ? Token::HIDDEN_CHANNEL : Token::DEFAULT_CHANNEL;
    if (!lexeme.token.isSkipped) tokens_.push_back(add(lexeme.token.type, channel, at, lexeme.end));
    at = lexeme.end;
  }
  tokens_.push_back(add(Token::EOF, Token::DEFAULT_CHANNEL, text.size(), text.size()));
}

Token* RawTokens::add(std::size_t type, std::size_t channel, std::size_t begin, std::size_t end) {
  std::pair<antlr4::TokenSource*, antlr4::CharStream*> origin(&origin_, &bytes_);
  return &owned_.emplace_back(origin, type, channel, begin, end - 1);
}

Token* RawTokens::synthetic(std::size_t type, std::uint32_t begin) { return synthetic(type, begin, begin); }

Token* RawTokens::synthetic(std::size_t type, std::uint32_t begin, std::uint32_t end) {
  return add(type, Token::DEFAULT_CHANNEL, begin, end);
}

Span RawTokens::span(const Token* token) const {
  return {source_, static_cast<std::uint32_t>(token->getStartIndex()),
          static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

namespace {

Balanced balanced(RawTokens& raw) {
  Balanced first = balance(raw, false);
  if (first.bracesMatch || first.nestedTooDeeply) return first;
  Balanced second = balance(raw, true);
  return second.bracesMatch ? std::move(first) : std::move(second);
}

}  // namespace

Tokens::Tokens(std::string_view text, SourceId source)
    : raw_(text, source), balanced_(balanced(raw_)), list_(raw_.origin(), balanced_.tokens) {}

std::string Tokens::doc(const Token* token) const {
  auto found = balanced_.docs.find(token);
  return found == balanced_.docs.end() ? std::string() : found->second;
}

Span Tokens::span(const Token* token) const {
  if (token->getType() != Token::EOF) return raw_.span(token);
  const std::vector<Token*>& tokens = list_.tokens();
  std::uint32_t end =
      tokens.size() < 2 ? static_cast<std::uint32_t>(raw_.text().size()) : raw_.span(tokens[tokens.size() - 2]).end;
  return {raw_.source(), end, end};
}

// Parse trees are large: windows of a few statements keep them in the cache, and only one window is parsed again after
// an error.
bool Tokens::nextWindow() {
  std::size_t last = list_.tokens().size() - 1;
  std::size_t begin = list_.windowEnd();
  if (begin >= last) return false;
  inserted_ = list_.tokens().size() - balanced_.tokens.size();
  std::size_t end = window_ < balanced_.windowEnds.size() ? balanced_.windowEnds[window_++] + inserted_ : last;
  list_.setWindow(begin, end);
  return true;
}

}  // namespace axle
