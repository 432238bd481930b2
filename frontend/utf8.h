// UTF-8: validity, code points, and how wide a terminal shows them.
#pragma once

#include <cstdint>
#include <string_view>

namespace axle {

// Returns the length of the longest prefix that is valid UTF-8 (no surrogates, no overlong forms, up to U+10FFFF).
std::size_t validUtf8(std::string_view text);

struct CodePoint {
  std::uint32_t value;  // U+FFFD for a byte that is not valid UTF-8
  std::size_t bytes;    // at least 1
};
// Returns the code point at an offset within the text.
CodePoint codePointAt(std::string_view text, std::size_t offset);

// Returns the columns that it takes on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji,
// otherwise 1.
int displayWidth(std::uint32_t codePoint);
std::size_t columnsOf(std::string_view text);

}  // namespace axle
