// The tokens of an edited text; only changed lines are lexed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

// No token goes beyond the end of its line, so the tokens of unchanged lines stay valid.
class LineTokens {
 public:
  struct Token {
    std::size_t type;  // of AxLexer
    std::uint32_t begin, end;
  };
  void update(std::string_view text);
  const std::vector<Token>& tokens() const { return tokens_; }  // without comments and EOF
  std::string_view text() const { return text_; }
  std::string_view text(const Token& token) const { return text().substr(token.begin, token.end - token.begin); }

 private:
  std::string text_;
  std::vector<Token> tokens_;
};

}  // namespace axle
