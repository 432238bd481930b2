// Prepares the tokens for the parser: sets comments aside, makes brackets match, and bounds nesting.
#include <algorithm>
#include <optional>

#include "frontend/foreign_syntax.h"
#include "frontend/syntax_codes.h"
#include "frontend/tokens.h"

namespace axle {

using antlr4::Token;
using grammar::AxLexer;

namespace {

constexpr Message<arg::Number> tooManyOpen{codes::nestedTooDeeply, "nested too deeply",
                                           "more than {} brackets and conditions are open here"};
constexpr Message<arg::Code> listGoesOn{codes::syntax, "expected `,` or {} before `;`"};
constexpr Message<arg::Code> unknownCharacters{codes::unknownCharacter, "unknown characters {}",
                                               "not part of the language"};
constexpr Message<Phrase> unknownCharacter{codes::unknownCharacter, "unknown character {}", "not part of the language"};
constexpr Message<arg::Code> unknownQuotes{codes::unknownCharacter, "unknown quotes {}", "not part of the language"};
constexpr Message<> unterminatedString{codes::unterminatedString, "unterminated string",
                                       "the closing `\"` is missing on this line"};

constexpr std::size_t statementsPerWindow = 16;
constexpr std::size_t maxEarlyErrors = 100;  // further ones are dropped

// Characters of other languages, and what to write instead.
struct Spelling {
  std::string_view wrong;
  Format<> help;
};
constexpr Spelling spellings[] = {
    {"&", "write `and`"},
    {"|", "write `or`"},
    {"!", "write `not`, or `!=` for unequal"},
    {"^", "a power is written `pow(a, b)`"},
    {"'", "strings stand in double quotes"},
    {"`", "strings stand in double quotes"},
    {"\xe2\x80\x9c", "strings stand in straight double quotes"},
    {"\xe2\x80\x9d", "strings stand in straight double quotes"},
    {"\xc3\x97", "write `*`"},
    {"\xe2\x88\x92", "write `-`"},
    {"\xe2\x89\xa4", "write `<=`"},
    {"\xe2\x89\xa5", "write `>=`"},
    {"\xe2\x89\xa0", "write `!=`"},
    {"\xe2\x86\x92", "write `->`"},
    {".", "a number has digits on both sides of its point, as in `0.5`"},
};

std::size_t closerOf(std::size_t opener) {
  return opener == AxLexer::LPAREN ? AxLexer::RPAREN : opener == AxLexer::LBRACK ? AxLexer::RBRACK : AxLexer::RBRACE;
}

std::string_view spellingOf(std::size_t bracket) {
  switch (bracket) {
    case AxLexer::LPAREN:
      return "(";
    case AxLexer::RPAREN:
      return ")";
    case AxLexer::LBRACK:
      return "[";
    case AxLexer::RBRACK:
      return "]";
    case AxLexer::LBRACE:
      return "{";
    default:
      return "}";
  }
}

bool endsOpName(std::size_t type) {
  return type == AxLexer::NAME || (type >= AxLexer::EQ && type <= AxLexer::PERCENT) || type == AxLexer::AND ||
         type == AxLexer::OR || type == AxLexer::NOT;
}

// A line of the text: the offset of its first character, and the number of blanks and tabs at its beginning.
struct Line {
  std::size_t start = 0, indent = 0;
};

std::vector<Line> linesOf(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t start = 0, end = 0; end != text.npos; start = end + 1) {
    end = text.find_first_of("\r\n", start);
    lines.push_back({start, std::min(text.find_first_not_of(" \t", start), text.size()) - start});
  }
  return lines;
}

class Balancer {
 public:
  Balancer(RawTokens& raw, bool byLayout) : raw_(raw), byLayout_(byLayout), lines_(linesOf(raw.text())) {}
  Balanced run();

 private:
  struct Opener {
    Token* token;
    std::size_t indent = 0;  // of the token's line
    bool endsLine = false;
    bool parameters = false;
    bool separated = false;  // its `;` has been seen
    int heads = 0;           // `if` and `match` still without their block
  };

  void take(Token* token, std::size_t next);
  void keep(Token* token);
  void open(Token* token, std::size_t next);
  void close(Token* token);
  std::size_t matchOf(const Token* closer);
  std::size_t braceByLayout(const Token* closer, std::size_t nearest);
  void endStatement(Token* token, std::size_t next);
  bool closedLater(std::size_t next) const;
  void closeDownTo(std::size_t depth, const Token* noticed);
  void countHead(int change, const Token* token);
  bool opensParameters() const;
  bool startsTopLevel(const Token* token, std::size_t next) const;
  void document(const Token* token);
  std::size_t unknown(std::size_t index);
  std::size_t otherQuotes(std::size_t index, const std::optional<Phrase>& help);
  void unterminated(Token* token, std::size_t next);
  void addError(Diagnostic diagnostic, bool withdrawable);

  std::string_view text() const { return raw_.text(); }
  const Line& lineOf(const Token* token) const;
  std::size_t lineStart(const Token* token) const { return lineOf(token).start; }
  std::size_t indent(const Token* token) const { return lineOf(token).indent; }
  bool startsLine(const Token* token) const { return lineStart(token) + indent(token) == token->getStartIndex(); }
  std::size_t typeBehind(std::size_t next) const;  // of the first token at or after `next` that is not a comment
  Span endOf(const Token* token) const;            // the span of EOF is after the last token
  std::optional<Span> commentClosing(const Token* opener) const;

  RawTokens& raw_;
  bool byLayout_;
  const std::vector<Line> lines_;
  Balanced out_;
  std::vector<Opener> openers_;
  int depth_ = 0;
  int outerHeads_ = 0;
  bool textIsWrong_ = false;  // this statement has a wrong character or string
  std::size_t statements_ = 0;
  std::string pendingDoc_;
  bool hasPendingDoc_ = false;
};

Balanced Balancer::run() {
  for (std::size_t i = 0; i < raw_.count() && !out_.nestedTooDeeply; ++i) {
    Token* token = raw_[i];
    if (token->getType() == AxLexer::DOC)
      document(token);
    else if (token->getType() == AxLexer::UNKNOWN)
      i = unknown(i);
    else if (token->getType() == AxLexer::UNTERMINATED)
      unterminated(token, i + 1);
    else if (token->getType() != AxLexer::COMMENT)
      take(token, i + 1);
  }
  return std::move(out_);
}

// Inserts a token into the list; `next` is the index of the raw token after it.
void Balancer::take(Token* token, std::size_t next) {
  if (byLayout_ && !openers_.empty() && startsTopLevel(token, next)) {
    closeDownTo(0, token);
    endStatement(raw_.synthetic(AxLexer::SEMI, raw_.span(out_.tokens.back()).end), next);
  }
  switch (token->getType()) {
    case AxLexer::LPAREN:
    case AxLexer::LBRACK:
    case AxLexer::LBRACE:
      return open(token, next);
    case AxLexer::RPAREN:
    case AxLexer::RBRACK:
    case AxLexer::RBRACE:
      return close(token);
    case AxLexer::SEMI:
      return endStatement(token, next);
    case AxLexer::IF:
    case AxLexer::MATCH:
      countHead(1, token);
      return keep(token);
    case Token::EOF:
      closeDownTo(0, token);
      return keep(token);
    default:
      return keep(token);
  }
}

void Balancer::keep(Token* token) {
  if (hasPendingDoc_) {
    out_.docs[token] = std::move(pendingDoc_);
    pendingDoc_.clear();
    hasPendingDoc_ = false;
  }
  out_.tokens.push_back(token);
}

void Balancer::document(const Token* token) {
  std::string_view line = text().substr(token->getStartIndex() + 3, token->getStopIndex() - token->getStartIndex() - 2);
  if (line.starts_with(' ')) line.remove_prefix(1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  if (hasPendingDoc_) pendingDoc_ += '\n';
  pendingDoc_ += line;
  hasPendingDoc_ = true;
}

// ---- layout

const Line& Balancer::lineOf(const Token* token) const {
  auto behind = std::ranges::upper_bound(lines_, token->getStartIndex(), {}, &Line::start);
  return behind[-1];
}

std::size_t Balancer::typeBehind(std::size_t next) const {
  while (raw_[next]->getType() == AxLexer::COMMENT || raw_[next]->getType() == AxLexer::DOC) ++next;
  return raw_[next]->getType();
}

// Whether a token begins an unindented line that looks like a top-level statement.
bool Balancer::startsTopLevel(const Token* token, std::size_t next) const {
  std::size_t type = token->getType();
  bool form = type == AxLexer::IMPORT || type == AxLexer::PARAM || type == AxLexer::OP || type == AxLexer::AT;
  if (type == AxLexer::NAME) form = typeBehind(next) == AxLexer::ASSIGN;
  if (type == AxLexer::FN) form = typeBehind(next) == AxLexer::NAME;
  return form && indent(token) == 0 && startsLine(token);
}

// Returns the index plus 1 of the `{` that a `}` closes according to indentation; 0 for none. `nearest` is the same
// number for the innermost `{`.
std::size_t Balancer::braceByLayout(const Token* closer, std::size_t nearest) {
  if (nearest == 0) return 0;
  const Opener& inner = openers_[nearest - 1];
  if (!startsLine(closer)) return inner.endsLine ? 0 : nearest;
  std::size_t column = indent(closer);
  for (std::size_t i = nearest; i > 0; --i)
    if (openers_[i - 1].token->getType() == AxLexer::LBRACE && openers_[i - 1].indent == column) return i;
  return inner.indent < column ? 0 : nearest;
}

// ---- brackets

void Balancer::countHead(int change, const Token* token) {
  int& heads = openers_.empty() ? outerHeads_ : openers_.back().heads;
  if (heads + change < 0) return;
  heads += change;
  depth_ += change;
  if (depth_ <= maxNesting || out_.nestedTooDeeply) return;
  out_.nestedTooDeeply = true;
  addError(
      Diagnostic(tooManyOpen, raw_.span(token), arg::Number{maxNesting}).addHelp("give inner parts names of their own"),
      false);
}

// Whether the next `(` opens the parameters of a function or of an operator.
bool Balancer::opensParameters() const {
  const std::vector<Token*>& tokens = out_.tokens;
  auto type = [&](std::size_t back) {
    return back > tokens.size() ? Token::EOF : tokens[tokens.size() - back]->getType();
  };
  return type(1) == AxLexer::FN || (type(1) == AxLexer::NAME && type(2) == AxLexer::FN) ||
         (type(1) == AxLexer::COLON && endsOpName(type(2)) && type(3) == AxLexer::OP);
}

void Balancer::open(Token* token, std::size_t next) {
  Opener opener{token};
  if (token->getType() == AxLexer::LBRACE) {
    countHead(-1, token);
    textIsWrong_ = false;
  } else if (token->getType() == AxLexer::LPAREN) {
    opener.parameters = opensParameters();
  }
  if (byLayout_) {
    opener.indent = indent(token);
    opener.endsLine = raw_[next]->getType() == Token::EOF || lineStart(raw_[next]) != lineStart(token) ||
                      raw_[next]->getType() == AxLexer::COMMENT;
  }
  openers_.push_back(opener);
  keep(token);
  ++depth_;
  countHead(0, token);
}

// Returns the index plus 1 of the bracket that a closing bracket closes; 0 for none. `)` and `]` do not close a bracket
// outside the current block; by layout they do if the block was opened on the same line.
std::size_t Balancer::matchOf(const Token* closer) {
  std::size_t match = openers_.size();
  while (match > 0) {
    const Token* opener = openers_[match - 1].token;
    if (closerOf(opener->getType()) == closer->getType()) break;
    bool reachesOut = byLayout_ && lineStart(opener) == lineStart(closer);
    if (opener->getType() == AxLexer::LBRACE && !reachesOut) return 0;
    --match;
  }
  return byLayout_ && closer->getType() == AxLexer::RBRACE ? braceByLayout(closer, match) : match;
}

void Balancer::close(Token* token) {
  std::size_t match = matchOf(token);
  bool brace = token->getType() == AxLexer::RBRACE;
  if (match == 0) {
    if (brace) out_.bracesMatch = false;
    if (!textIsWrong_ || brace)
      addError(Diagnostic(unmatchedBracket, raw_.span(token), arg::Code{spellingOf(token->getType())}), true);
    return;
  }
  closeDownTo(match, token);
  depth_ -= 1 + openers_.back().heads;
  openers_.pop_back();
  keep(token);
  if (brace) textIsWrong_ = false;
}

// Whether the innermost open bracket, `(` or `[`, is closed on this line before the next statement.
bool Balancer::closedLater(std::size_t next) const {
  std::size_t closer = closerOf(openers_.back().token->getType());
  const std::size_t lineEnd = text().find_first_of("\r\n", raw_[next - 1]->getStartIndex());
  int depth = 0;
  for (; raw_[next]->getType() != Token::EOF && raw_[next]->getStartIndex() < lineEnd; ++next) {
    std::size_t type = raw_[next]->getType();
    if (depth == 0 && type == closer) return true;
    if (type == AxLexer::SEMI || type == AxLexer::LBRACE) return false;
    if (type == AxLexer::LPAREN || type == AxLexer::LBRACK) ++depth;
    if ((type == AxLexer::RPAREN || type == AxLexer::RBRACK || type == AxLexer::RBRACE) && --depth < 0) return false;
  }
  return false;
}

void Balancer::endStatement(Token* token, std::size_t next) {
  textIsWrong_ = false;
  std::size_t open = openers_.size();
  bool inBrackets = open > 0 && openers_.back().token->getType() != AxLexer::LBRACE;
  if (inBrackets && openers_.back().parameters && !openers_.back().separated) {
    openers_.back().separated = true;
    out_.parameterSeparators.insert(token);
    return keep(token);
  }
  if (inBrackets && closedLater(next)) {
    const std::string_view closer = spellingOf(closerOf(openers_.back().token->getType()));
    Span at = raw_.span(token);
    addError(Diagnostic(listGoesOn, at, arg::Code{closer}), true);
    return keep(raw_.synthetic(AxLexer::COMMA, at.begin, at.end));
  }
  while (open > 0 && openers_[open - 1].token->getType() != AxLexer::LBRACE) --open;
  closeDownTo(open, token);
  int& heads = openers_.empty() ? outerHeads_ : openers_.back().heads;
  depth_ -= heads;
  heads = 0;
  keep(token);
  if (!openers_.empty()) return;
  out_.statementEnds.push_back(raw_.span(token).begin);
  if (++statements_ % statementsPerWindow == 0) out_.windowEnds.push_back(out_.tokens.size());
}

Span Balancer::endOf(const Token* token) const {
  if (token->getType() != Token::EOF || out_.tokens.empty()) return raw_.span(token);
  std::uint32_t end = raw_.span(out_.tokens.back()).end;
  return {raw_.source(), end, end};
}

// Returns the first comment after the opening bracket that follows code on its line and has more closing brackets of
// its kind than opening ones.
std::optional<Span> Balancer::commentClosing(const Token* opener) const {
  const char opens = spellingOf(opener->getType())[0], closes = spellingOf(closerOf(opener->getType()))[0];
  for (std::size_t i = 0; i < raw_.count(); ++i) {
    if (raw_[i]->getType() != AxLexer::COMMENT || raw_[i]->getStartIndex() < opener->getStartIndex()) continue;
    const std::string comment = raw_[i]->getText();
    const bool isMore =
        std::count(comment.begin(), comment.end(), closes) > std::count(comment.begin(), comment.end(), opens);
    if (isMore && !startsLine(raw_[i])) return raw_.span(raw_[i]);
  }
  return std::nullopt;
}

// Closes all brackets open above `depth`, as if their closing brackets were before `noticed`. Reports the innermost
// one.
void Balancer::closeDownTo(std::size_t depth, const Token* noticed) {
  bool first = true;
  while (openers_.size() > depth) {
    Opener opener = openers_.back();
    openers_.pop_back();
    depth_ -= 1 + opener.heads;
    std::size_t type = opener.token->getType();
    if (type == AxLexer::LBRACE) out_.bracesMatch = false;
    bool explained = !out_.earlyErrors.empty() && out_.earlyErrors.back().offset >= raw_.span(opener.token).begin;
    if (first && !explained) {
      const arg::Code bracket{spellingOf(type)}, closer{spellingOf(closerOf(type))};
      Diagnostic diagnostic(unclosedBracket, endOf(noticed), bracket, closer);
      diagnostic.addLabel(raw_.span(opener.token), "opened here");
      if (auto comment = commentClosing(opener.token))
        diagnostic.addLabel(*comment, "a comment, with a {} in it", closer).addHelp(slashesBeginComment);
      addError(std::move(diagnostic), true);
      out_.earlyErrors.back().offset = raw_.span(out_.tokens.back()).end;  // `noticed` may be in the next statement
    }
    first = false;
    out_.tokens.push_back(raw_.synthetic(closerOf(type), raw_.span(out_.tokens.back()).end));
  }
}

// ---- characters and strings

void Balancer::addError(Diagnostic diagnostic, bool withdrawable) {
  if (out_.earlyErrors.size() >= maxEarlyErrors) return;
  const std::uint32_t offset = std::get<Span>(diagnostic.primary.place).begin;
  out_.earlyErrors.push_back({offset, withdrawable, std::move(diagnostic)});
}

// Returns the text for a message: control characters escaped, a long text cut.
std::string shown(std::string_view written) {
  static constexpr char digits[] = "0123456789abcdef";
  static constexpr std::size_t longest = 40;
  std::string out;
  for (std::size_t i = 0; i < written.size(); ++i) {
    auto c = static_cast<unsigned char>(written[i]);
    if (i >= longest && (c & 0xc0) != 0x80) return out + "...";
    if (c < 0x20 || c == 0x7f)
      out += {'\\', 'x', digits[c >> 4], digits[c & 15]};
    else
      out += written[i];
  }
  return out;
}

// Reports characters that do not begin a token, one error for a sequence of them. Returns the index of the last one.
std::size_t Balancer::unknown(std::size_t index) {
  std::size_t last = index;
  while (raw_[last + 1]->getType() == AxLexer::UNKNOWN &&
         raw_[last + 1]->getStartIndex() == raw_[last]->getStopIndex() + 1)
    ++last;
  Span run = join(raw_.span(raw_[index]), raw_.span(raw_[last]));
  std::string_view written = text().substr(run.begin, run.end - run.begin);
  std::optional<Phrase> help;
  for (const Spelling& spelling : spellings)
    if (!help && written.starts_with(spelling.wrong)) help = spelling.help;
  const std::optional<Lookalike> looks = lookalike(written);
  if (looks) help = looks->help;
  const std::ptrdiff_t count =
      std::count_if(written.begin(), written.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; });
  const std::size_t closing = otherQuotes(index, help);
  if (closing != 0) return closing;
  textIsWrong_ = true;
  const arg::Code characters{shown(written)};
  Diagnostic diagnostic = looks && looks->name ? Diagnostic(unknownCharacter, run, *looks->name)
                          : count > 1          ? Diagnostic(unknownCharacters, run, characters)
                                               : Diagnostic(unknownCharacter, run, Phrase("{}", characters));
  if (help) diagnostic.addHelp(*help);
  addError(std::move(diagnostic), false);
  return last;
}

// Reads text in another kind of quotes as a string. Returns the index of its last token; 0 if there is none.
std::size_t Balancer::otherQuotes(std::size_t index, const std::optional<Phrase>& help) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"'", "'"}, {"`", "`"}, {"\xe2\x80\x9c", "\xe2\x80\x9d"}, {"\xe2\x80\x98", "\xe2\x80\x99"}};
  const std::size_t begin = raw_[index]->getStartIndex();
  for (const auto& [opens, closes] : kinds) {
    if (!text().substr(begin).starts_with(opens)) continue;
    std::string_view line = text().substr(begin, text().find_first_of("\r\n", begin) - begin);
    const std::size_t at = line.find(closes, opens.size());
    if (at == line.npos) return 0;
    const std::size_t end = begin + at + closes.size();
    std::size_t last = index;
    while (raw_[last]->getStopIndex() + 1 < end) ++last;
    if (raw_[last]->getStopIndex() + 1 != end) return 0;
    const Span whole{raw_.source(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    Diagnostic diagnostic(unknownQuotes, whole, arg::Code{opens});
    if (help) diagnostic.addHelp(*help);
    addError(std::move(diagnostic), false);
    keep(raw_.synthetic(AxLexer::STRING, whole.begin, whole.end));
    return last;
  }
  return 0;
}

// Ends a string without its closing quote at the end of the line, excluding trailing brackets, `,` and `;`, which were
// probably not meant to be part of it.
void Balancer::unterminated(Token* token, std::size_t next) {
  static constexpr std::string_view tail = ")]};, \t";
  Span whole = raw_.span(token);
  std::uint32_t end = whole.end;
  while (end > whole.begin + 1 && tail.find(text()[end - 1]) != std::string_view::npos) --end;
  textIsWrong_ = true;
  addError(Diagnostic(unterminatedString, Span{whole.source, whole.begin, end}), false);
  keep(raw_.synthetic(AxLexer::STRING, whole.begin, end));
  for (std::uint32_t i = end; i < whole.end; ++i) {
    static constexpr std::size_t types[] = {AxLexer::RPAREN, AxLexer::RBRACK, AxLexer::RBRACE, AxLexer::SEMI,
                                            AxLexer::COMMA};
    std::size_t kind = tail.find(text()[i]);
    if (kind < std::size(types)) take(raw_.synthetic(types[kind], i, i + 1), next);
  }
}

}  // namespace

Balanced balance(RawTokens& raw, bool byLayout) { return Balancer(raw, byLayout).run(); }

}  // namespace axle
