// A text's tokens, for callers that need token boundaries without parsing: the REPL and completion.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace axle {

struct TextToken {
  std::uint32_t begin = 0, end = 0;
  std::string_view text;
  bool isDoc = false;  // a `///` comment, to the end of its line; other comments are left out
};

// Returns the tokens that the parser would read. None if the text is not UTF-8 or has a NUL.
std::optional<std::vector<TextToken>> textTokens(std::string_view text);

}  // namespace axle
