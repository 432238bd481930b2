#include "frontend/layout.h"

#include <algorithm>
#include <array>

namespace axle {

using antlr4::Token;
using grammar::AxParser;

namespace {

using Gap = Layout::Gap;
using Spacing = Layout::Spacing;

// The separators before and after a token in a rule, and the spacing in which the token has none.
struct TokenRow {
  std::size_t rule, token;
  Gap before, after;
  Spacing tight = Spacing::loose;  // loose: no such spacing
};
constexpr TokenRow tokenRows[] = {
    {AxParser::RuleImportItem, AxParser::IMPORT, Gap::none, Gap::blank},
    {AxParser::RuleParamItem, AxParser::PARAM, Gap::none, Gap::blank},
    {AxParser::RuleParamItem, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleParamItem, AxParser::ASSIGN, Gap::blank, Gap::blank},
    {AxParser::RuleBinding, AxParser::ASSIGN, Gap::blank, Gap::none},
    {AxParser::RuleAnnotation, AxParser::COMMA, Gap::none, Gap::blank},
    {AxParser::RuleValue, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleExpression, AxParser::OR, Gap::spaced, Gap::blank},
    {AxParser::RuleConjunction, AxParser::AND, Gap::spaced, Gap::blank},
    {AxParser::RuleComparison, AxParser::NOT, Gap::none, Gap::blank},
    {AxParser::RuleComparison, AxParser::EQ, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleComparison, AxParser::NE, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleComparison, AxParser::LT, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleComparison, AxParser::LE, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleComparison, AxParser::GT, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleComparison, AxParser::GE, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleSum, AxParser::PLUS, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleSum, AxParser::MINUS, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleProduct, AxParser::STAR, Gap::spaced, Gap::blank, Spacing::sizes},
    {AxParser::RuleProduct, AxParser::SLASH, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RuleProduct, AxParser::PERCENT, Gap::spaced, Gap::blank, Spacing::range},
    {AxParser::RulePostfix, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleArguments, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleFunction, AxParser::FN, Gap::none, Gap::blank},
    {AxParser::RuleFunction, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleFunction, AxParser::SEMI, Gap::none, Gap::spaced},
    {AxParser::RuleFunction, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleParameter, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleStaticParameter, AxParser::ASSIGN, Gap::blank, Gap::blank},
    {AxParser::RuleConditional, AxParser::IF, Gap::none, Gap::blank},
    {AxParser::RuleElsePart, AxParser::ELSE, Gap::none, Gap::blank},
    {AxParser::RuleElsePart, AxParser::IF, Gap::none, Gap::blank},
    {AxParser::RuleMatching, AxParser::MATCH, Gap::none, Gap::blank},
    {AxParser::RuleMatching, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleType, AxParser::ARROW, Gap::spaced, Gap::blank},
    {AxParser::RuleSimpleType, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleTypeParameter, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleTypeTail, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleShape, AxParser::HASH, Gap::spaced, Gap::blank},
    {AxParser::RuleBareShape, AxParser::HASH, Gap::spaced, Gap::blank},
    {AxParser::RuleDimArgument, AxParser::HASH, Gap::spaced, Gap::blank},
    {AxParser::RuleAppend, AxParser::AT, Gap::spaced, Gap::blank},
    {AxParser::RuleBareAppend, AxParser::AT, Gap::spaced, Gap::blank},
    {AxParser::RuleArgumentAppend, AxParser::AT, Gap::spaced, Gap::blank},
    {AxParser::RuleBarePart, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleDimList, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleDim, AxParser::PLUS, Gap::spaced, Gap::blank},
    {AxParser::RuleDim, AxParser::MINUS, Gap::spaced, Gap::blank},
    {AxParser::RuleDimProduct, AxParser::SLASH, Gap::spaced, Gap::blank},
    {AxParser::RuleDimProduct, AxParser::PERCENT, Gap::spaced, Gap::blank},
    {AxParser::RuleDimGroup, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RulePrefixForm, AxParser::PLUS, Gap::none, Gap::blank},
    {AxParser::RulePrefixForm, AxParser::STAR, Gap::none, Gap::blank},
    {AxParser::RulePrefixForm, AxParser::SLASH, Gap::none, Gap::blank},
    {AxParser::RulePrefixForm, AxParser::PERCENT, Gap::none, Gap::blank},
    {AxParser::RuleWhereClause, AxParser::WHERE, Gap::none, Gap::blank},
    {AxParser::RuleWhereClause, AxParser::COMMA, Gap::none, Gap::fill},
    {AxParser::RuleFact, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::OR, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::EQ, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::NE, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::LT, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::LE, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::GT, Gap::blank, Gap::blank},
    {AxParser::RuleFact, AxParser::GE, Gap::blank, Gap::blank},
    {AxParser::RuleOpItem, AxParser::OP, Gap::none, Gap::blank},
    {AxParser::RuleOpItem, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleOpItem, AxParser::COMMA, Gap::none, Gap::spaced},
    {AxParser::RuleOpItem, AxParser::SEMI, Gap::none, Gap::spaced},
    {AxParser::RuleOpItem, AxParser::ARROW, Gap::spaced, Gap::blank},
    {AxParser::RuleOpParameter, AxParser::ELLIPSIS, Gap::blank, Gap::none},
    {AxParser::RuleOpAttribute, AxParser::COLON, Gap::blank, Gap::blank},
    {AxParser::RuleOpAttribute, AxParser::ASSIGN, Gap::blank, Gap::blank},
    {AxParser::RuleSort, AxParser::COMMA, Gap::none, Gap::spaced},
};

// The rules that are preceded by a blank within another rule.
struct RuleRow {
  std::size_t outer, inner;
};
constexpr RuleRow ruleRows[] = {
    {AxParser::RuleTypeTail, AxParser::RuleShape},         {AxParser::RuleSimpleType, AxParser::RuleShape},
    {AxParser::RuleTypeArgument, AxParser::RuleBareShape}, {AxParser::RuleDimGroup, AxParser::RuleOperand},
    {AxParser::RulePrefixForm, AxParser::RuleOperand},     {AxParser::RulePrefixForm, AxParser::RuleNegated},
    {AxParser::RuleFunction, AxParser::RuleBlock},         {AxParser::RuleConditional, AxParser::RuleBlock},
    {AxParser::RuleConditional, AxParser::RuleElsePart},   {AxParser::RuleElsePart, AxParser::RuleBlock},
    {AxParser::RuleMatching, AxParser::RuleBlock},
};

constexpr std::size_t tokens = AxParser::UNKNOWN + 1;

const TokenRow& rowOf(std::size_t rule, std::size_t token) {
  static constexpr TokenRow plain{0, 0, Gap::none, Gap::none};
  static constexpr auto table = [] {
    std::array<std::array<std::uint8_t, tokens>, Layout::rulesEnd> made{};
    for (std::size_t i = 0; i < std::size(tokenRows); ++i)
      made[tokenRows[i].rule][tokenRows[i].token] = static_cast<std::uint8_t>(i + 1);
    return made;
  }();
  std::size_t row = table[rule][token];
  return row == 0 ? plain : tokenRows[row - 1];
}

bool blankBefore(std::size_t outer, std::size_t inner) {
  return std::any_of(std::begin(ruleRows), std::end(ruleRows),
                     [&](const RuleRow& row) { return row.outer == outer && row.inner == inner; });
}

bool isOpener(std::size_t type) { return type == AxParser::LPAREN || type == AxParser::LBRACK; }
bool isCloser(std::size_t type) { return type == AxParser::RPAREN || type == AxParser::RBRACK; }

bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

// Whether two tokens would be read as other tokens without a blank between them.
bool wouldJoin(std::string_view before, std::string_view behind) {
  if (before.empty() || behind.empty()) return false;
  char last = before.back(), first = behind.front();
  if (isWord(last) && isWord(first)) return true;
  if (last == '.' || first == '.') return last == first;
  if (last == '/' && first == '/') return true;
  return (first == '=' && std::string_view("=!<>").find(last) != std::string_view::npos) ||
         (last == '-' && first == '>');
}

// The number of line breaks in a text, at most 2.
int countLineBreaks(std::string_view text) {
  int count = 0;
  for (std::size_t i = 0; i < text.size() && count < 2; ++i)
    count += text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
  return count;
}

}  // namespace

// ---- tokens and comments

std::string_view Layout::text(const Token* token) const {
  Span span = raw_.span(token);
  return raw_.text().substr(span.begin, span.end - span.begin);
}

// Advances to a token of the source. The comments before it are added with the next text, or by `comments`.
void Layout::reach(const Token* token) {
  if (reached_ == token) return;
  while (true) {
    const Token* next = raw_[next_++];
    Span span = raw_.span(next);
    int breaks = countLineBreaks(raw_.text().substr(reachedEnd_, span.begin - reachedEnd_));
    bool behind = next_ > 1 && breaks == 0;
    reachedEnd_ = span.end;
    if (next == token) {
      afterEmpty_ = afterEmpty_ || breaks > 1;
      break;
    }
    std::string_view written = text(next);
    written = written.substr(0, written.find_last_not_of(" \t\f") + 1);
    pending_.push_back({written, behind, next->getType() == AxParser::DOC, breaks > 1});
  }
  reached_ = token;
}

void Layout::comments() {
  for (const Comment& comment : pending_) {
    if (comment.afterEmpty && !first_) document_.emptyLine();
    document_.comment(comment.text, comment.trailing);
    first_ = false;
    apart_ = true;
  }
  pending_.clear();
}

void Layout::settle() {
  static constexpr Document::Line lines[] = {Document::Line::soft, Document::Line::fill, Document::Line::spaced,
                                             Document::Line::hard};
  if (gap_ == Gap::blank)
    document_.blank();
  else if (gap_ != Gap::none)
    document_.line(lines[static_cast<std::size_t>(gap_) - static_cast<std::size_t>(Gap::soft)]);
  if (gap_ != Gap::none) apart_ = true;
  gap_ = Gap::none;
}

void Layout::word(std::string_view text) {
  if (!apart_ && wouldJoin(last_, text)) document_.blank();
  document_.text(text);
  last_ = text;
  apart_ = false;
  first_ = text == "(" || text == "[" || text == "{";
}

void Layout::token(const Token* token) {
  reach(token);
  settle();
  comments();
  word(text(token));
  afterEmpty_ = false;
}

// Adds a closing bracket, on a separate line if the group breaks and is not empty; comments before it are indented
// like its contents.
void Layout::close(const Token* token, Gap gap) {
  reach(token);
  if (!pending_.empty()) {
    want(gap);
    settle();
    comments();
  }
  document_.dedent();
  if (first_)
    gap_ = Gap::none;
  else
    want(gap);
  settle();
  word(text(token));
  afterEmpty_ = false;
}

// Begins a group at a token; comments before the token stay outside the group.
Document::Id Layout::openGroup(const Token* first) {
  reach(first);
  settle();
  comments();
  return document_.openGroup();
}

// ---- any rule

Layout::Step Layout::stepOf(std::size_t rule) {
  struct Row {
    std::size_t rule;
    Step step;
  };
  static constexpr Row rows[] = {
      {AxParser::RuleItem, &Layout::annotated},
      {AxParser::RuleParamItem, &Layout::paramItem},
      {AxParser::RuleOpItem, &Layout::opItem},
      {AxParser::RuleStatement, &Layout::annotated},
      {AxParser::RuleBinding, &Layout::binding},
      {AxParser::RuleValue, &Layout::value},
      {AxParser::RuleBlock, &Layout::block},
      {AxParser::RuleExpression, &Layout::chain},
      {AxParser::RuleConjunction, &Layout::chain},
      {AxParser::RuleComparison, &Layout::chain},
      {AxParser::RuleSum, &Layout::chain},
      {AxParser::RuleProduct, &Layout::chain},
      {AxParser::RuleIndexItem, &Layout::range},
      {AxParser::RuleRange, &Layout::range},
      {AxParser::RuleFunction, &Layout::function},
      {AxParser::RuleConditional, &Layout::conditional},
      {AxParser::RuleType, &Layout::chain},
      {AxParser::RuleShape, &Layout::chain},
      {AxParser::RuleAppend, &Layout::chain},
      {AxParser::RuleBareShape, &Layout::chain},
      {AxParser::RuleBareAppend, &Layout::chain},
      {AxParser::RuleDim, &Layout::chain},
      {AxParser::RuleDimProduct, &Layout::chain},
      {AxParser::RuleDimGroup, &Layout::dimGroup},
      {AxParser::RuleDimArgument, &Layout::chain},
      {AxParser::RuleArgumentAppend, &Layout::chain},
      {AxParser::RuleWhereClause, &Layout::whereClause},
  };
  static const std::array<Step, rulesEnd> table = [] {
    std::array<Step, rulesEnd> made{};
    for (const Row& row : rows) made[row.rule] = row.step;
    return made;
  }();
  return table[rule];
}

void Layout::rule(Rule* context) {
  while (context->children.size() == 1 && tokenOf(context->children[0]) == nullptr) {
    Rule* inner = ruleOf(context->children[0]);
    if (blankBefore(context->getRuleIndex(), inner->getRuleIndex())) want(Gap::blank);
    context = inner;
  }
  if (Step step = stepOf(context->getRuleIndex()))
    (this->*step)(context);
  else
    children(context, 0, context->children.size());
}

void Layout::children(Rule* context, std::size_t begin, std::size_t end) {
  while (begin < end)
    if (isOpener(typeOf(context->children[begin])))
      begin = brackets(context, begin);
    else
      child(context, begin++);
}

void Layout::child(Rule* context, std::size_t index) {
  Node* node = context->children[index];
  if (tokenOf(node) != nullptr) return terminal(context, index);
  Rule* inner = ruleOf(node);
  if (blankBefore(context->getRuleIndex(), inner->getRuleIndex()) || isSpaced(inner)) want(Gap::blank);
  rule(inner);
}

void Layout::terminal(Rule* context, std::size_t index) {
  Token* symbol = tokenOf(context->children[index]);
  std::size_t type = symbol->getType();
  const TokenRow& row = rowOf(context->getRuleIndex(), type);
  bool separates = type == AxParser::COMMA || type == AxParser::SEMI;
  if (separates) {
    reach(symbol);  // comments before it are printed after it
    bool isLast = index + 1 == context->children.size();
    std::size_t next = isLast ? std::size_t{AxParser::RPAREN} : typeOf(context->children[index + 1]);
    if (type == AxParser::COMMA && (isCloser(next) || next == AxParser::SEMI)) return;
    word(text(symbol));
    want(fills_ && row.after == Gap::spaced ? Gap::fill : row.after);
    return;
  }
  bool tight = row.tight != Spacing::loose && spacing_ >= row.tight;
  if (!tight) want(row.before);
  token(symbol);
  if (!tight) want(symbol == spacedMinus_ || isSpaced(symbol) ? Gap::blank : row.after);
}

// Whether this is a tuple whose parts are names. A part that is a tuple keeps its line.
bool Layout::isTupleOfNames(Rule* context) {
  if (context->getRuleIndex() != AxParser::RulePostfix || typeOf(context->children.front()) != AxParser::LPAREN)
    return false;
  return std::ranges::all_of(context->children, [](Node* part) {
    if (tokenOf(part) != nullptr) return typeOf(part) != AxParser::LBRACK;
    if (ruleOf(part)->getRuleIndex() == AxParser::RuleArguments) return false;
    while (tokenOf(part) == nullptr && ruleOf(part)->children.size() == 1) part = ruleOf(part)->children.front();
    return typeOf(part) == AxParser::NAME;
  });
}

// Adds the children from an opening bracket to its closing one. Returns the index after the closing one.
std::size_t Layout::brackets(Rule* context, std::size_t open) {
  Token* opener = tokenOf(context->children[open]);
  bool square = opener->getType() == AxParser::LBRACK;
  std::size_t close = open + 1;
  while (typeOf(context->children[close]) != (square ? AxParser::RBRACK : AxParser::RPAREN)) ++close;
  bool isCall = context->getRuleIndex() == AxParser::RulePostfix && open > 0 && !square;
  const Rule* sole = isCall ? soleFunction(ruleOf(context->children[open + 1])) : nullptr;

  Spacing outerSpacing = spacing_;
  bool outerFills = fills_;
  if (square || spacing_ == Spacing::range) spacing_ = Spacing::sizes;
  fills_ = square || isTupleOfNames(context);
  Document::Id group = openGroup(opener);
  token(opener);
  document_.indent();
  want(Gap::soft);
  children(context, open + 1, close);
  this->close(tokenOf(context->children[close]), Gap::soft);
  document_.closeGroup();
  if (sole != nullptr) document_.breakInside(group, functions_[sole].group, functions_[sole].block);
  spacing_ = outerSpacing;
  fills_ = outerFills;
  return close + 1;
}

// Returns the argument that is a function; nullptr if there are none or several.
const Layout::Rule* Layout::soleFunction(Rule* arguments) {
  const Rule* found = nullptr;
  for (Node* node : arguments->children) {
    if (tokenOf(node) != nullptr) continue;
    Node* inner = ruleOf(node)->children.back();
    while (tokenOf(inner) == nullptr && ruleOf(inner)->children.size() == 1) inner = ruleOf(inner)->children[0];
    if (tokenOf(inner) != nullptr || ruleOf(inner)->getRuleIndex() != AxParser::RuleFunction) continue;
    if (found != nullptr) return nullptr;
    found = ruleOf(inner);
  }
  return found;
}

}  // namespace axle
