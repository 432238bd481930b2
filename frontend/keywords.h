// Words of the language, for those who read or write text that is no module.
#pragma once

#include <span>
#include <string_view>

namespace axle {

// Of the lexer; `op` is among them, which only stdlib/core.ax may say.
std::span<const std::string_view> keywords();

// Whether a name may have it: letters, digits, `_`, `'`, and the dot between two words.
bool isNamePart(char c);

// Whether a definition may have the name: it is neither a keyword nor an element type.
bool isName(std::string_view text);

}  // namespace axle
