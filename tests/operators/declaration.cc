#include "tests/operators/declaration.h"

#include <algorithm>
#include <cctype>

namespace axle::test {

std::vector<Token> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"')
      end = text.find('"', at + 1) + 1;
    else if (isWord(text[at]))
      while (end < text.size() && (isWord(text[end]) || (text[end] == '.' && std::isdigit(text[at])))) ++end;
    else if (std::string_view("<>=!-").find(text[at]) != std::string_view::npos && end < text.size() &&
             (text[end] == '=' || text.substr(at, 2) == "->"))
      ++end;
    if (!std::isspace(static_cast<unsigned char>(text[at])))
      tokens.push_back({at, end - at, std::string(text.substr(at, end - at))});
    at = end;
  }
  return tokens;
}

Parts partsOf(const std::vector<Token>& tokens) {
  auto find = [&](std::string_view wanted, std::size_t from) {
    int depth = 0;
    for (std::size_t i = from; i < tokens.size(); ++i) {
      if (tokens[i].text == wanted && depth == 0) return i;
      depth += tokens[i].text == "(" || tokens[i].text == "[";
      depth -= tokens[i].text == ")" || tokens[i].text == "]";
    }
    return tokens.size();
  };
  std::size_t open = find(":", 0) + 1, arrow = find("->", open);
  return {open, arrow, find("where", arrow)};
}

Facts factsOf(const std::vector<Token>& tokens, std::size_t where) {
  Facts facts;
  std::size_t begin = where + 1;
  int depth = 0;
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    depth += tokens[i].text == "(" || tokens[i].text == "[";
    depth -= tokens[i].text == ")" || tokens[i].text == "]";
    if ((tokens[i].text == "," && depth == 0) || tokens[i].text == ";") {
      facts.emplace_back(begin, i);
      begin = i + 1;
    }
  }
  return facts;
}

std::string withFacts(std::string_view text, const std::vector<Token>& tokens, std::size_t where, const Facts& kept) {
  std::string out(text.substr(0, where < tokens.size() ? tokens[where].begin : text.size() - 1));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Token &first = tokens[kept[i].first], &last = tokens[kept[i].second - 1];
    out += (i                       ? ", "
            : where < tokens.size() ? "where "
                                    : " where ") +
           std::string(text.substr(first.begin, last.begin + last.length - first.begin));
  }
  return out + ";";
}

std::string with(std::string_view text, const Token& token, const std::string& other) {
  std::string out(text);
  return out.replace(token.begin, token.length, other);
}

std::string openDeclaration(std::string_view text) {
  const std::vector<Token> tokens = tokensOf(text);
  const Parts parts = partsOf(tokens);
  Facts classes;
  for (const auto& [begin, end] : factsOf(tokens, parts.where))
    if (std::any_of(&tokens[begin], &tokens[end], [](const Token& token) { return token.text == ":"; }))
      classes.emplace_back(begin, end);
  std::string out = withFacts(text, tokens, parts.where, classes);
  std::vector<std::pair<std::size_t, std::string>> met;
  std::vector<Token> again;
  int depth = 0;
  for (std::size_t i = parts.open; i < parts.arrow; ++i) {
    const std::string& word = tokens[i].text;
    depth += word == "(" || word == "[";
    depth -= word == ")" || word == "]";
    if (word == "->") return out;  // a function parameter's shapes are kept, to compare others with
    if (word == ";") break;
    // A name of a parameter, or an element type.
    bool elem = depth == 1 && (tokens[i - 1].text == "(" || tokens[i - 1].text == "," || tokens[i - 1].text == ":");
    if (elem || word.size() != 1 || !std::islower(static_cast<unsigned char>(word[0]))) continue;
    if (std::any_of(met.begin(), met.end(), [&](const auto& name) { return name.second == word; }))
      again.push_back(tokens[i]);
    met.emplace_back(i, word);
  }
  for (std::size_t i = again.size(); i-- > 0;) out = with(out, again[i], "other" + std::to_string(i));
  return out;
}

}  // namespace axle::test
