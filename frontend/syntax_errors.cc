#include "frontend/syntax_errors.h"

#include <algorithm>

#include "axle_grammar/AxParser.h"
#include "frontend/foreign_syntax.h"
#include "frontend/syntax_codes.h"

namespace axle {

using antlr4::Token;
using grammar::AxParser;

namespace {

bool isStatement(std::size_t rule) { return rule == AxParser::RuleStatement || rule == AxParser::RuleItem; }

bool startsStatement(std::size_t type) {
  return type == AxParser::NAME || type == AxParser::HOLE || type == AxParser::FN || type == AxParser::IF ||
         type == AxParser::MATCH || type == AxParser::AT || type == AxParser::IMPORT || type == AxParser::PARAM ||
         type == AxParser::OP || type == AxParser::NUMBER;
}

bool isKeyword(std::size_t type) { return type >= AxParser::FN && type <= AxParser::LOWEST; }

// The noun that messages use for a rule.
struct RuleNoun {
  std::size_t rule;
  Format<> noun;
};
constexpr RuleNoun nouns[] = {
    {AxParser::RuleProgram, "a binding"},
    {AxParser::RuleItem, "a binding"},
    {AxParser::RuleStatement, "an expression"},
    {AxParser::RuleBinding, "an expression"},
    {AxParser::RuleValue, "an expression"},
    {AxParser::RuleBlock, "an expression"},
    {AxParser::RuleExpression, "an expression"},
    {AxParser::RuleSection, "an expression"},
    {AxParser::RuleConjunction, "an expression"},
    {AxParser::RuleComparison, "an expression"},
    {AxParser::RuleSum, "an expression"},
    {AxParser::RuleProduct, "an expression"},
    {AxParser::RulePrefix, "an expression"},
    {AxParser::RulePostfix, "an expression"},
    {AxParser::RuleArguments, "an argument"},
    {AxParser::RuleArgument, "an argument"},
    {AxParser::RuleFunction, "a parameter"},
    {AxParser::RuleOpItem, "a type or an attribute"},
    {AxParser::RuleIndexItem, "an index"},
    {AxParser::RuleAnnotationArgument, "a string or a name"},
    {AxParser::RuleType, "a type"},
    {AxParser::RuleSimpleType, "a type"},
    {AxParser::RuleTypeParameter, "a type"},
    {AxParser::RuleTypeTail, "a shape"},
    {AxParser::RuleTypeArgument, "a type"},
    {AxParser::RuleShape, "a shape"},
    {AxParser::RuleAppend, "a shape"},
    {AxParser::RuleShapePart, "a shape"},
    {AxParser::RuleBareShape, "a shape"},
    {AxParser::RuleBareAppend, "a shape"},
    {AxParser::RuleBarePart, "a shape"},
    {AxParser::RuleListedDim, "a dimension"},
    {AxParser::RuleDim, "a dimension"},
    {AxParser::RuleDimProduct, "a dimension"},
    {AxParser::RuleDimPrefix, "a dimension"},
    {AxParser::RuleDimPrimary, "a dimension"},
    {AxParser::RuleDimAtom, "a dimension"},
    {AxParser::RuleDimSuffix, "a dimension"},
    {AxParser::RuleDimGroup, "a dimension or a shape"},
    {AxParser::RuleOperand, "a dimension"},
    {AxParser::RuleNegated, "a dimension"},
    {AxParser::RuleDimList, "a dimension"},
    {AxParser::RuleDimArgument, "a dimension or a shape"},
    {AxParser::RuleArgumentAppend, "a dimension or a shape"},
    {AxParser::RuleCallArgument, "a dimension or a shape"},
    {AxParser::RulePrefixForm, "a dimension"},
    {AxParser::RuleFactOnly, "a fact such as `n >= 1`"},
    {AxParser::RuleValueOnly, "an expression"},
    {AxParser::RuleTypeOnly, "a type"},
    {AxParser::RuleShapeOnly, "a shape"},
    {AxParser::RuleFact, "a fact such as `n >= 1`"},
    {AxParser::RuleOpName, "an operator or a name"},
    {AxParser::RuleOpParameter, "a type or an attribute"},
    {AxParser::RuleSortArgument, "a name or a number"},
};

Format<> nounOf(std::size_t rule) {
  for (const RuleNoun& row : nouns)
    if (row.rule == rule) return row.noun;
  return "something else";
}

// Returns the name that messages use for a token if it is the only one expected.
Phrase nameOf(std::size_t type, std::size_t rule, const antlr4::dfa::Vocabulary& vocabulary) {
  switch (type) {
    case AxParser::RPAREN:
      return "`,` or `)`";
    case AxParser::RBRACK:
      return "`,` or `]`";
    case AxParser::STRING:
      return "a string";
    case AxParser::NAME:
      if (rule == AxParser::RuleParameter) return "a parameter's name";
      if (rule == AxParser::RuleImportItem) return "a module's name";
      return rule == AxParser::RuleSort ? Phrase("a sort") : Phrase("a name");
    default:
      break;
  }
  std::string literal = vocabulary.getLiteralName(type);
  if (literal.size() > 2) return Phrase("{}", arg::Code{literal.substr(1, literal.size() - 2)});
  return nounOf(rule);
}

bool isSection(std::size_t type) {
  return (type >= AxParser::EQ && type <= AxParser::PLUS) || (type >= AxParser::STAR && type <= AxParser::PERCENT) ||
         type == AxParser::AND || type == AxParser::OR;
}

bool has(const antlr4::misc::IntervalSet& expected, std::size_t type) { return expected.contains(type); }

bool startsExpression(const antlr4::misc::IntervalSet& expected) {
  return has(expected, AxParser::NUMBER) && has(expected, AxParser::LBRACK);
}

// Whether the rest of a line looks like `// 2;`: a comment that ends in `;` was probably meant as a division.
bool isMistakenDivision(std::string_view rest) {
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  const std::size_t begin = rest.find_first_not_of(" \t"), end = rest.find_last_not_of(" \t");
  return begin != rest.npos && rest.substr(begin).starts_with("//") && rest[end] == ';';
}

bool isWithin(const antlr4::RuleContext* context, std::size_t rule) {
  while (context != nullptr && context->getRuleIndex() != rule)
    context = static_cast<const antlr4::RuleContext*>(context->parent);
  return context != nullptr;
}

// Whether this is in a function's body rather than in its parameters.
bool isWithinBody(const antlr4::RuleContext* context) {
  while (context != nullptr && context->getRuleIndex() != AxParser::RuleBlock &&
         context->getRuleIndex() != AxParser::RuleFunction)
    context = static_cast<const antlr4::RuleContext*>(context->parent);
  return context != nullptr && context->getRuleIndex() == AxParser::RuleBlock;
}

// Returns what was expected here, in the categories that the help for foreign syntax uses.
Wanted wantedIn(const antlr4::RuleContext* context, const antlr4::misc::IntervalSet& expected, std::string_view noun) {
  const std::size_t rule = context->getRuleIndex();
  if (isWithin(context, AxParser::RuleOpItem)) return Wanted::operatorDeclaration;
  if (noun == "an expression" || noun == "a binding") return Wanted::expression;
  if (noun == "a type") return Wanted::type;
  if (noun.starts_with("a fact")) return Wanted::fact;
  if (rule == AxParser::RuleStaticParameter) return Wanted::defaultValue;
  if (rule == AxParser::RuleParamItem && noun == "a string") return Wanted::tensorName;
  if (rule == AxParser::RuleFunction && noun == "`(`") return Wanted::opening;
  if (has(expected, AxParser::LBRACE)) {
    const auto* above = static_cast<const antlr4::RuleContext*>(context->parent);
    const bool isFunction =
        rule == AxParser::RuleFunction || rule == AxParser::RuleWhereClause ||
        (rule == AxParser::RuleBlock && above != nullptr && above->getRuleIndex() == AxParser::RuleFunction);
    return isFunction ? Wanted::functionBody : Wanted::branch;
  }
  if (!has(expected, AxParser::RPAREN)) return Wanted::other;
  if (isWithinBody(context)) return Wanted::argument;
  return isWithin(context, AxParser::RuleFunction) ? Wanted::parameter : Wanted::other;
}

}  // namespace

Token* SyntaxErrors::recoverInline(antlr4::Parser* parser) { throw antlr4::InputMismatchException(parser); }

void SyntaxErrors::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  if (reported_) return;
  reported_ = true;
  Token* offending = error.getOffendingToken();
  antlr4::misc::IntervalSet expected;
  if (dynamic_cast<const antlr4::NoViableAltException*>(&error) == nullptr) expected = parser->getExpectedTokens();
  report(parser, offending, expected, parser->getContext()->getRuleIndex());
}

void SyntaxErrors::recover(antlr4::Parser* parser, std::exception_ptr error) {
  std::size_t rule = parser->getContext()->getRuleIndex();
  if (!isStatement(rule) && rule != AxParser::RuleProgram) std::rethrow_exception(error);
  reported_ = false;
  std::size_t end = endOfStatement(tokens_.list().index());
  tokens_.list().seek(end);
}

void SyntaxErrors::sync(antlr4::Parser* parser) {
  antlr4::ParserRuleContext* context = parser->getContext();
  std::size_t rule = context->getRuleIndex();
  if (rule != AxParser::RuleProgram && rule != AxParser::RuleBlock) return;
  TokenList& list = tokens_.list();
  const antlr4::misc::IntervalSet& expected = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
  Token* next = list.LT(1);
  if (expected.contains(next->getType())) return;
  report(parser, next, expected, rule);
  if (!startsExpression(expected) && startsLine(next) && startsStatement(next->getType())) {
    list.insert(list.index(), tokens_.synthetic(AxParser::SEMI, tokens_.span(list.LT(-1)).end));
    return;
  }
  // Marks the previous statement as broken too, because it was probably meant to continue.
  if (!context->children.empty())
    if (auto* statement = dynamic_cast<antlr4::ParserRuleContext*>(context->children.back()))
      statement->exception = std::make_exception_ptr(antlr4::ParseCancellationException());
  list.seek(endOfStatement(list.index()));
}

// Returns the index of the `;`, `}` or end of the file that ends the statement of this token.
std::size_t SyntaxErrors::endOfStatement(std::size_t from) const {
  const std::vector<Token*>& tokens = tokens_.list().tokens();
  int depth = 0;
  std::size_t at = from;
  for (; at + 1 < tokens.size(); ++at) {
    switch (tokens[at]->getType()) {
      case AxParser::LPAREN:
      case AxParser::LBRACK:
      case AxParser::LBRACE:
        ++depth;
        break;
      case AxParser::RPAREN:
      case AxParser::RBRACK:
        depth = std::max(depth - 1, 0);
        break;
      case AxParser::RBRACE:
        if (depth == 0) return at;
        --depth;
        break;
      case AxParser::SEMI:
        if (depth == 0 && !tokens_.separatesParameters(tokens[at])) return at;
        break;
      default:
        break;
    }
  }
  return at;
}

bool SyntaxErrors::startsLine(const Token* token) const {
  std::size_t at = token->getStartIndex();
  while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
  return at == 0 || text_[at - 1] == '\n' || text_[at - 1] == '\r';
}

// Whether an error found before parsing explains a syntax error at `offset`. If not, withdraws the withdrawable errors
// after it in the statement.
bool SyntaxErrors::explained(std::uint32_t begin, std::uint32_t offset, std::size_t end) {
  std::vector<EarlyError>& earlyErrors = tokens_.earlyErrors();
  for (const EarlyError& addError : earlyErrors)
    if (addError.offset >= begin && addError.offset <= offset) return true;
  std::erase_if(earlyErrors,
                [&](const EarlyError& e) { return e.withdrawable && e.offset > offset && e.offset <= end; });
  return false;
}

void SyntaxErrors::report(antlr4::Parser* parser, Token* offending, const antlr4::misc::IntervalSet& expected,
                          std::size_t rule) {
  TokenList& list = tokens_.list();
  std::size_t type = offending->getType();
  Span at = tokens_.span(offending);
  Token* before = list.LT(-1);
  if (before != nullptr && offending != list.LT(1)) before = nullptr;  // the error is not at the next token

  bool missingEnd = !startsExpression(expected) && (has(expected, AxParser::SEMI) || rule == AxParser::RuleProgram);
  bool operandMissing = before != nullptr && isSection(before->getType()) && missingEnd && type != AxParser::SEMI;
  bool listItemMissing =
      before != nullptr && (before->getType() == AxParser::COMMA || before->getType() == AxParser::LPAREN ||
                            before->getType() == AxParser::LBRACK);
  Phrase wanted = nounOf(rule);
  if (missingEnd)
    wanted = type == AxParser::ELSE && rule == AxParser::RuleBlock ? Phrase("`}`") : Phrase("`;`");
  else if (expected.size() == 1)
    wanted = nameOf(static_cast<std::size_t>(expected.getSingleElement()), rule, parser->getVocabulary());
  else if (listItemMissing)
    ;  // keep the noun
  else if (has(expected, AxParser::RPAREN) && !startsExpression(expected))
    wanted = "`,` or `)`";
  else if (has(expected, AxParser::LBRACE) && !startsExpression(expected))
    wanted = "`{`";
  if (operandMissing) {
    wanted = "an expression";
    at = tokens_.span(before);
    type = before->getType();
  }

  const arg::Code written{text_.substr(at.begin, at.end - at.begin)};
  const Phrase found = type == Token::EOF ? Phrase("the end of the file")
                       : isKeyword(type)  ? Phrase("the keyword {}", written)
                                          : Phrase("{}", written);
  Diagnostic diagnostic(expectedBefore, at, wanted, found);
  if (missingEnd && !operandMissing && before != nullptr && startsLine(offending)) {
    std::uint32_t end = tokens_.span(before).end;
    diagnostic.primary.place = Span{at.source, end, end};
    diagnostic.setLabel("expected {} here", wanted).addLabel(at, "before this");
  }

  Wanted kind = missingEnd ? Wanted::end : wantedIn(parser->getContext(), expected, wanted.text);
  const std::vector<Token*>& tokens = list.tokens();
  const auto wrong = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(list.index()), tokens.end(), offending);
  std::optional<Phrase> help =
      helpForForeignSyntax({tokens, static_cast<std::size_t>(wrong - tokens.begin()), kind, startsLine(offending)});
  if (missingEnd && before != nullptr && isMistakenDivision(text_.substr(tokens_.span(before).end)))
    help = slashesBeginComment;
  if (help) diagnostic.addHelp(std::move(*help));

  antlr4::ParserRuleContext* statement = parser->getContext();
  while (statement->parent != nullptr && !isStatement(statement->getRuleIndex()) &&
         statement->getRuleIndex() != AxParser::RuleProgram && statement->getRuleIndex() != AxParser::RuleBlock)
    statement = static_cast<antlr4::ParserRuleContext*>(statement->parent);
  Token* begin = statement->start;
  if (!isStatement(statement->getRuleIndex()) && !statement->children.empty())
    if (auto* last = dynamic_cast<antlr4::ParserRuleContext*>(statement->children.back())) begin = last->start;
  Span end = tokens_.span(list.tokens()[endOfStatement(list.index())]);
  tokens_.addBroken(join(tokens_.span(begin), end));
  if (!explained(tokens_.span(begin).begin, tokens_.span(offending).begin, end.begin))
    diagnostics_.push_back(std::move(diagnostic));
  if (diagnostics_.size() >= maxErrors) throw antlr4::ParseCancellationException("too many errors");
}

}  // namespace axle
