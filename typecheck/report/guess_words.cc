#include "typecheck/report/guess_words.h"

#include <algorithm>
#include <cctype>

namespace axle {
namespace {

// From a place on: a name or number, or one other character.
std::string_view wordAt(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && isPartOfName(text[end])) ++end;
  return text.substr(begin, std::max(end, begin + 1) - begin);
}

}  // namespace

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

Words wordsOf(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size(); i += wordAt(text, i).size())
    if (!std::isspace(static_cast<unsigned char>(text[i]))) words.emplace_back(wordAt(text, i));
  return words;
}

std::string withWords(std::string_view text, const std::function<std::string(const std::string&)>& change) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += wordAt(text, i).size()) {
    const std::string word(wordAt(text, i));
    out += isPartOfName(text[i]) ? change(word) : word;
  }
  return out;
}

}  // namespace axle
