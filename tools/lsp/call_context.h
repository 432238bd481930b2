// What kind of word is expected at a place of a text, read backwards from there: the text is mostly broken when one
// asks, so nothing is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace axle::lsp {

inline constexpr std::string_view operatorKeyword = "op";  // which only stdlib/core.ax may use

enum class TextKind : std::uint8_t { code, string, comment };
// Of the place behind `before`. Strings and comments end with their line.
TextKind textKindAfter(std::string_view before);

enum class TypePart : std::uint8_t { none, type, size };
// Which part of a type the next word is: only parts of a type stand between it and a `:`.
TypePart typePartAfter(std::string_view before);

// The call whose brackets are open at a place.
struct OpenCall {
  std::string callee;
  std::size_t argument = 0;
  std::string named;  // before the `=` of the argument; empty where there is none
};
std::optional<OpenCall> openCallAt(std::string_view before);

}  // namespace axle::lsp
