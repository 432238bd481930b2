#include "io/joined.h"

namespace axle {

void TextPiece::appendTo(std::string& text) const {
  if (text_ != nullptr)
    text.append(text_, number_);
  else
    text += isSigned_ ? std::to_string(static_cast<std::int64_t>(number_)) : std::to_string(number_);
}

std::string joined(std::initializer_list<TextPiece> pieces) {
  std::string text;
  for (const TextPiece& piece : pieces) piece.appendTo(text);
  return text;
}

}  // namespace axle
