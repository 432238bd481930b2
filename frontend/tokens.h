// Source text -> the token list that the generated parser reads: comments set aside, brackets balanced, nesting
// bounded. Internal to frontend/.
#pragma once

#include <antlr4-runtime.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "axle_grammar/AxLexer.h"
#include "frontend/diagnostic.h"

namespace axle {

// The maximum number of brackets and `if` or `match` heads open at once: the parser recurses that deep.
inline constexpr int maxNesting = 500;

// The bytes of a source as ANTLR characters, one each, so that token positions are byte offsets.
class ByteStream : public antlr4::CharStream {
 public:
  explicit ByteStream(std::string_view text) : text_(text) {}
  void consume() override {
    if (at_ < text_.size()) ++at_;
  }
  std::size_t LA(ssize_t i) override;
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t index) override { at_ = std::min(index, text_.size()); }
  std::size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& interval) override;
  std::string toString() const override { return std::string(text_); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The source that tokens name to ANTLR, which asks each of them for it. Counts no lines: code that needs lines counts
// them itself.
class TokenOrigin : public antlr4::TokenSource {
 public:
  explicit TokenOrigin(antlr4::CharStream* bytes) : bytes_(bytes) {}
  std::unique_ptr<antlr4::Token> nextToken() override { return nullptr; }
  std::size_t getLine() const override { return 0; }
  std::size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream* getInputStream() override { return bytes_; }
  std::string getSourceName() override { return {}; }
  antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

 private:
  antlr4::CharStream* bytes_;
};

// The tokens that the parser sees; the last one is EOF. The parser reads a window of them, which also ends in EOF.
class TokenList : public antlr4::TokenStream {
 public:
  TokenList(antlr4::TokenSource* source, std::vector<antlr4::Token*> tokens)
      : source_(source), tokens_(std::move(tokens)) {}
  // Inserts before the token at `at`, in the window.
  void insert(std::size_t at, antlr4::Token* token);
  // Starts reading at `begin`; `end` is one past the last token to read.
  void setWindow(std::size_t begin, std::size_t end);
  std::size_t windowEnd() const { return end_; }
  const std::vector<antlr4::Token*>& tokens() const { return tokens_; }

  antlr4::Token* LT(ssize_t k) override;
  antlr4::Token* get(std::size_t index) const override { return tokens_[index]; }
  antlr4::TokenSource* getTokenSource() const override { return source_; }
  void consume() override {
    if (at_ < end_) ++at_;
  }
  std::size_t LA(ssize_t k) override { return LT(k)->getType(); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t index) override { at_ = std::min(index, end_); }
  std::size_t size() override { return end_; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  antlr4::TokenSource* source_;
  std::vector<antlr4::Token*> tokens_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// An error found before parsing: in brackets, characters or strings. A bracket error is withdrawn if the parser finds
// an earlier error in the same statement. A syntax error after an early error in the same statement is a consequence of
// it.
struct EarlyError {
  std::uint32_t offset;  // where it was noticed
  bool withdrawable;
  Diagnostic diagnostic;
};

// The result of one pass over the raw tokens.
struct Balanced {
  std::vector<antlr4::Token*> tokens;  // brackets match; the last one is EOF
  std::vector<EarlyError> earlyErrors;
  std::vector<std::size_t> windowEnds;       // one past the `;` at which a window of top-level statements ends
  std::vector<std::uint32_t> statementEnds;  // offsets of the `;` of all top-level statements
  std::unordered_set<const antlr4::Token*> parameterSeparators;
  std::unordered_map<const antlr4::Token*, std::string> docs;
  bool bracesMatch = true;
  bool nestedTooDeeply = false;
};

// Owns the tokens of the lexer and those that recovery makes.
class RawTokens {
 public:
  // The text must be valid UTF-8 and outlive the tokens.
  RawTokens(std::string_view text, SourceId source);

  std::string_view text() const { return text_; }
  SourceId source() const { return source_; }
  std::size_t count() const { return tokens_.size(); }  // of the lexer's tokens, including EOF
  antlr4::Token* operator[](std::size_t index) const { return tokens_[index]; }
  // Makes a token that is not in the text: an empty one at `begin`, or one that covers the text up to `end`.
  antlr4::Token* synthetic(std::size_t type, std::uint32_t begin);
  antlr4::Token* synthetic(std::size_t type, std::uint32_t begin, std::uint32_t end);
  Span span(const antlr4::Token* token) const;
  antlr4::TokenSource* origin() { return &origin_; }

 private:
  antlr4::Token* add(std::size_t type, std::size_t channel, std::size_t begin, std::size_t end);

  std::string_view text_;
  SourceId source_;
  ByteStream bytes_;
  TokenOrigin origin_;
  std::deque<antlr4::CommonToken> owned_;
  std::vector<antlr4::Token*> tokens_;  // of the text
};

// Sets comments aside and makes brackets match (bracket_balance.cc). With `byLayout` (the second pass, for texts whose
// braces do not match), indentation decides where a brace is missing or superfluous.
Balanced balance(RawTokens& raw, bool byLayout);

class Tokens {
 public:
  Tokens(std::string_view text, SourceId source);

  TokenList& list() { return list_; }
  const RawTokens& raw() const { return raw_; }
  // Lets the parser read the next few top-level statements; false if none are left.
  bool nextWindow();
  std::vector<EarlyError>& earlyErrors() { return balanced_.earlyErrors; }
  // The spans of statements that did not parse, including their `;`.
  void addBroken(Span statement) { broken_.push_back(statement); }
  std::vector<Span> takeBroken() { return std::exchange(broken_, {}); }
  const std::vector<std::uint32_t>& statementEnds() const { return balanced_.statementEnds; }
  bool nestedTooDeeply() const { return balanced_.nestedTooDeeply; }
  // Whether the `;` separates a function's positional parameters from its static ones.
  bool separatesParameters(const antlr4::Token* token) const { return balanced_.parameterSeparators.count(token) > 0; }
  // Returns the text of the `///` lines before the token.
  std::string doc(const antlr4::Token* token) const;
  antlr4::Token* synthetic(std::size_t type, std::uint32_t offset) { return raw_.synthetic(type, offset); }
  // The span of EOF is after the last token.
  Span span(const antlr4::Token* token) const;

 private:
  RawTokens raw_;
  Balanced balanced_;
  TokenList list_;
  std::vector<Span> broken_;
  std::size_t window_ = 0;
  std::size_t inserted_ = 0;  // number of tokens that recovery inserted into the list
};

}  // namespace axle
