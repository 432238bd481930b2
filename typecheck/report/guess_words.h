// The words of a text: its names, numbers and signs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

using Words = std::vector<std::string>;

bool isPartOfName(char c);
// Without blanks.
Words wordsOf(std::string_view text);
// The text with another word for each of its names and numbers; all else stays, blanks too.
std::string withWords(std::string_view text, const std::function<std::string(const std::string&)>& change);

}  // namespace axle
