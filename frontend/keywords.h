// Keywords and names, for code that reads or writes source text without parsing it.
#pragma once

#include <span>
#include <string_view>

namespace axle {

// All keywords of the lexer, including `op`, which only stdlib/core.ax may use.
std::span<const std::string_view> keywords();

// Whether the character can be part of a name: letters, digits, `_`, `'`, and the dot between two words.
bool isNamePart(char c);

// Whether the name occurs in the text by itself, not only within longer names.
bool containsName(std::string_view text, std::string_view name);

// Whether a definition may have this name: it is neither a keyword nor an element type.
bool isName(std::string_view text);

}  // namespace axle
