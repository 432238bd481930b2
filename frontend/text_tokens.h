// A text's tokens, for who must know where pieces of a program begin and end before they are parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace axle {

struct Lexeme {
  std::uint32_t begin = 0, end = 0;
  std::string_view text;
  bool isDoc = false;  // `///` with its line; other comments are none
};

// As the parser reads them. None where that is no text: it is not UTF-8, or holds a NUL.
std::optional<std::vector<Lexeme>> lexemes(std::string_view text);

}  // namespace axle
