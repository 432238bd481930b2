#include "frontend/top_level_statements.h"

#include <algorithm>
#include <unordered_map>

#include "axle_grammar/AxLexer.h"
#include "frontend/parser.h"

namespace axle {

namespace {

using grammar::AxLexer;

std::size_t openerOf(std::size_t closer) {
  return closer == AxLexer::RPAREN ? AxLexer::LPAREN : closer == AxLexer::RBRACK ? AxLexer::LBRACK : AxLexer::LBRACE;
}

// Whether the token begins an unindented line that looks like a statement: `import nn`, `param w`, `fn f`, `@inline`,
// `a =`, `a, b =`.
bool beginsStatement(std::string_view text, const std::vector<LineTokens::Token>& tokens, std::size_t index) {
  const std::size_t begin = tokens[index].begin;
  if (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r') return false;
  const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
  auto type = [&](std::size_t i) { return i < tokens.size() && tokens[i].begin < end ? tokens[i].type : 0; };
  auto isName = [&](std::size_t i) { return type(i) == AxLexer::NAME || type(i) == AxLexer::HOLE; };
  if (type(index) == AxLexer::AT) return true;
  if (type(index) == AxLexer::IMPORT || type(index) == AxLexer::PARAM || type(index) == AxLexer::FN)
    return isName(index + 1);
  std::size_t at = index;
  while (isName(at) && type(at + 1) == AxLexer::COMMA) at += 2;
  return isName(at) && type(at + 1) == AxLexer::ASSIGN;
}

// Appends the end of each statement. Returns false if brackets do not match. With `byLayout`, a line that begins a
// statement ends the previous one, even inside open brackets.
bool splitStatements(const LineTokens& lines, bool byLayout, std::vector<std::uint32_t>& ends) {
  const std::vector<LineTokens::Token>& tokens = lines.tokens();
  std::vector<std::size_t> open;
  bool matches = true, isEmpty = true;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t type = tokens[i].type;
    if (byLayout && !open.empty() && beginsStatement(lines.text(), tokens, i)) {
      ends.push_back(tokens[i].begin);
      open.clear();
    }
    isEmpty = false;
    if (type == AxLexer::LPAREN || type == AxLexer::LBRACK || type == AxLexer::LBRACE) {
      open.push_back(type);
    } else if (type == AxLexer::RPAREN || type == AxLexer::RBRACK || type == AxLexer::RBRACE) {
      auto opener = std::find(open.rbegin(), open.rend(), openerOf(type));
      matches &= opener == open.rbegin() && opener != open.rend();
      if (opener != open.rend()) open.erase(opener.base() - 1, open.end());
    } else if (type == AxLexer::SEMI && open.empty()) {
      ends.push_back(tokens[i].end);
      isEmpty = true;
    }
  }
  // Tokens after the last statement form a separate piece; comments and blanks belong to the last piece.
  const auto end = static_cast<std::uint32_t>(lines.text().size());
  if (!isEmpty || ends.empty())
    ends.push_back(end);
  else
    ends.back() = end;
  return matches && open.empty();
}

std::vector<std::uint32_t> endsOf(const LineTokens& lines) {
  std::vector<std::uint32_t> ends;
  if (splitStatements(lines, false, ends)) return ends;
  ends.clear();
  splitStatements(lines, true, ends);
  return ends;
}

}  // namespace

std::vector<std::uint32_t> pieceEnds(std::string_view text) {
  LineTokens lines;
  lines.update(text);
  return endsOf(lines);
}

std::shared_ptr<const Piece> ModulePieces::parse(std::string_view text) {
  auto piece = std::make_shared<Piece>();
  piece->source = sources_.add(path_, std::string(text));
  std::size_t slash = path_.rfind('/') + 1, dot = path_.rfind('.');
  piece->module =
      parseModule(sources_, piece->source,
                  path_.substr(slash, dot == std::string::npos || dot < slash ? dot : dot - slash), piece->diagnostics);
  LineTokens lines;
  lines.update(text);
  for (const LineTokens::Token& token : lines.tokens())
    if (token.type == AxLexer::NAME) piece->mentions.emplace_back(lines.text(token));
  std::sort(piece->mentions.begin(), piece->mentions.end());
  piece->mentions.erase(std::unique(piece->mentions.begin(), piece->mentions.end()), piece->mentions.end());
  return piece;
}

void ModulePieces::update(std::string_view text) {
  const std::vector<PlacedPiece> old = std::move(pieces_);
  pieces_.clear();
  std::uint32_t begin = 0;
  std::vector<std::string_view> parts;
  lines_.update(text);
  for (std::uint32_t end : endsOf(lines_)) {
    pieces_.push_back({nullptr, begin});
    parts.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  auto isSame = [&](std::size_t before, std::size_t now) {
    return sources_.text(old[before].piece->source) == parts[now];
  };
  std::size_t first = 0, oldEnd = old.size(), end = parts.size();
  for (; first < std::min(oldEnd, end) && isSame(first, first); ++first) pieces_[first].piece = old[first].piece;
  for (; oldEnd > first && end > first && isSame(oldEnd - 1, end - 1); --oldEnd, --end)
    pieces_[end - 1].piece = old[oldEnd - 1].piece;
  std::unordered_multimap<std::string_view, std::size_t> moved;  // the pieces in between, by their texts
  for (std::size_t i = first; i < oldEnd; ++i) moved.emplace(sources_.text(old[i].piece->source), i);
  std::size_t next = first;  // pieces keep their order
  for (std::size_t i = first; i < end; ++i) {
    std::size_t found = oldEnd;
    auto [one, last] = moved.equal_range(parts[i]);
    for (; one != last; ++one)
      if (one->second >= next) found = std::min(found, one->second);
    if (found < oldEnd) next = found + 1;
    pieces_[i].piece = found < oldEnd ? old[found].piece : parse(parts[i]);
  }
}

}  // namespace axle
