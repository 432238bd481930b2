// Lower case of ASCII letters; other characters stay.
#pragma once

#include <string>

namespace axle {

constexpr char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lowerCase(std::string text) {
  for (char& c : text) c = lowerCase(c);
  return text;
}

}  // namespace axle
