// Finds the kind of word expected at a place of a text by reading backwards from there. The text is usually broken at
// that time, so nothing is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace axle::lsp {

inline constexpr std::string_view operatorKeyword = "op";  // which only stdlib/core.ax may use

enum class TextKind : std::uint8_t { code, string, comment };
// Returns the kind of text at the end of `before`. Strings and comments end with their line.
TextKind textKindAfter(std::string_view before);

enum class TypePart : std::uint8_t { none, type, size };
// Returns which part of a type the next word is. It is one if only parts of a type are between it and a `:`.
TypePart typePartAfter(std::string_view before);

// The call whose brackets are open at a place.
struct OpenCall {
  std::string callee;
  std::size_t argument = 0;
  std::string named;  // the name before the `=` of the argument, if there is one
};
std::optional<OpenCall> openCallAt(std::string_view before);

}  // namespace axle::lsp
