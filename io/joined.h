// Builds a text of several pieces. `joined({"axis ", axis, " of ", name})` takes a third of the code that `+` takes.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace axle {

// A text or an integer. The text must outlive the piece.
class TextPiece {
 public:
  // NOLINTBEGIN(google-explicit-constructor): callers pass a text or a number as a piece
  TextPiece(const char* text) : TextPiece(std::string_view(text)) {}
  TextPiece(const std::string& text) : TextPiece(std::string_view(text)) {}
  TextPiece(std::string_view text) : text_(text.data() == nullptr ? "" : text.data()), number_(text.size()) {}
  template <std::signed_integral T>
    requires(!std::same_as<T, char>)
  TextPiece(T number) : number_(static_cast<std::uint64_t>(std::int64_t{number})), isSigned_(true) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>)
  TextPiece(T number) : number_(number) {}
  // NOLINTEND(google-explicit-constructor)

  void appendTo(std::string& text) const;

 private:
  const char* text_ = nullptr;  // null for an integer
  std::uint64_t number_ = 0;    // the size of a text, or the value of an integer
  bool isSigned_ = false;
};

std::string joined(std::initializer_list<TextPiece> pieces);

}  // namespace axle
