#include "tools/repl/statements.h"

#include <algorithm>

#include "frontend/parser.h"
#include "frontend/syntax_codes.h"
#include "frontend/text_tokens.h"

namespace axle::repl {

namespace {

constexpr std::string_view blanks = " \t\r\n\f";

bool opens(std::string_view token) { return token == "(" || token == "[" || token == "{"; }
bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

// Adds or removes open brackets. A closing bracket also closes brackets left open within; one that closes nothing is
// ignored.
void nest(std::vector<char>& open, std::string_view token) {
  if (opens(token)) open.push_back(token[0]);
  if (!closes(token)) return;
  const char opener = token == ")" ? '(' : token == "]" ? '[' : '{';
  auto found = std::find(open.rbegin(), open.rend(), opener);
  if (found != open.rend()) open.erase(found.base() - 1, open.end());
}

// Returns the tokens of a text; none if it is not valid text.
std::vector<TextToken> tokensOf(std::string_view text) { return textTokens(text).value_or(std::vector<TextToken>()); }

// Whether the error is at the end of `if c { 1 }` outside of all brackets, whose `else` may still follow.
bool lacksElse(const Diagnostic& error, std::string_view statement) {
  const Span* at = std::get_if<Span>(&error.primary.place);
  if (error.code != &codes::badElse || !at || !statement.ends_with('}')) return false;
  std::vector<char> open;
  for (const TextToken& token : tokensOf(statement.substr(0, at->begin))) nest(open, token.text);
  return open.empty();
}

// Returns the first syntax error of a statement, if there is one.
std::optional<Diagnostic> firstError(const std::string& statement, bool isDefinition) {
  SourceMap sources;
  Diagnostics found;
  ast::Module module;
  module.source = sources.add("", statement);
  if (isDefinition)
    parseModule(sources, module.source, "", found);
  else
    parseValue(sources, {Span{module.source, 0, static_cast<std::uint32_t>(statement.size())}}, module, found);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

std::optional<std::vector<Statement>> statementsOf(std::string_view text) {
  const auto tokens = textTokens(text);
  if (!tokens) return std::nullopt;
  std::vector<Statement> statements;
  std::vector<char> open;
  bool hasBegun = false;
  std::size_t words = 0;  // of the statement, without its documentation
  std::string_view first;
  for (const TextToken& token : *tokens) {
    nest(open, token.text);
    if (open.empty() && token.text == ";") {
      hasBegun = false;
      words = 0;
      continue;
    }
    if (!hasBegun) statements.push_back({token.begin, token.end, false});
    hasBegun = true;
    Statement& now = statements.back();
    if (!token.isDoc || words == 0) now.end = token.end;
    if (token.isDoc) continue;
    if (words == 0) {
      first = token.text;
      now.isDefinition = first == "import" || first == "param" || first == "@" || first == "op";
    }
    now.isDefinition |= words == 1 && first == "fn" && token.text != "(";
    now.isDefinition |= open.empty() && token.text == "=";
    ++words;
  }
  return statements;
}

void EntryText::add(std::string_view line) {
  text_ += line;
  const auto tokens = textTokens(line);  // no token continues on the next line
  isText_ &= tokens.has_value();
  if (tokens)
    for (const TextToken& token : *tokens) nest(open_, token.text);
  state_ = stateNow();
}

EntryText::State EntryText::stateNow() const {
  if (!isText_) return State::whole;
  if (!open_.empty()) return State::open;
  if (trimmed(text_).starts_with(':')) return State::whole;
  const std::vector<TextToken> tokens = tokensOf(text_);
  if (tokens.empty() || tokens.back().text == ";") return State::whole;
  const Statement last = statementsOf(text_)->back();
  if (std::all_of(tokens.begin(), tokens.end(), [&](const TextToken& t) { return t.begin < last.begin || t.isDoc; }))
    return State::open;
  const std::string statement = text_.substr(last.begin, last.end - last.begin);
  const auto error = firstError(statement, last.isDefinition);
  const Span* at = error ? std::get_if<Span>(&error->primary.place) : nullptr;
  if (at && at->begin >= statement.size()) return State::open;
  return error && lacksElse(*error, statement) ? State::lacksElse : State::whole;
}

bool EntryText::endsBefore(std::string_view line) const {
  const std::vector<TextToken> tokens = tokensOf(line);
  return state_ == State::lacksElse && !tokens.empty() && tokens.front().text != "else";
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::pair<std::string_view, std::string_view> firstWord(std::string_view text) {
  text = trimmed(text);
  std::size_t end = std::min(text.find_first_of(blanks), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::size_t findOutside(std::string_view text, std::string_view mark) {
  std::vector<char> open;
  for (const TextToken& token : tokensOf(text)) {
    if (open.empty() && token.text == mark) return token.begin;
    nest(open, token.text);
  }
  return std::string_view::npos;
}

std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  std::vector<char> open;
  std::size_t begin = 0;
  for (const TextToken& token : tokensOf(text)) {
    nest(open, token.text);
    if (!open.empty() || token.text != ",") continue;
    parts.push_back(trimmed(text.substr(begin, token.begin - begin)));
    begin = token.end;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

std::vector<Annotation> annotationsIn(std::string_view text) {
  std::vector<Annotation> found;
  std::vector<bool> areCalls;  // of the open brackets
  const std::vector<TextToken> tokens = tokensOf(text);
  const auto textAt = [&](std::size_t i) { return i < tokens.size() ? tokens[i].text : std::string_view(); };
  std::string_view name;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TextToken& token = tokens[i];
    const std::string_view last = textAt(i - 1), before = textAt(i - 2);  // none before the first
    const bool inType = !name.empty();
    if (inType && areCalls.size() == depth && (token.text == "," || token.text == ")")) {
      found.push_back({name, trimmed(text.substr(begin, token.begin - begin))});
      name = {};
    } else if (!inType && token.text == ":" && !areCalls.empty() && areCalls.back() &&
               (before == "(" || before == ",")) {
      name = last;
      begin = token.end;
      depth = areCalls.size();
    }
    if (opens(token.text)) areCalls.push_back(token.text == "(" && last != "fn" && before != "fn");
    if (closes(token.text) && !areCalls.empty()) areCalls.pop_back();
  }
  return found;
}

}  // namespace axle::repl
