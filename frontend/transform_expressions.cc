#include <algorithm>
#include <utility>

#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle::codes {
const DiagnosticCode badEscape{"E0106", Severity::error, "unknown escape in a string"};
const DiagnosticCode misplacedFn{"E0114", Severity::error, "a named function inside an expression"};
const DiagnosticCode badArgument{"E0115", Severity::error, "malformed argument list"};
}  // namespace axle::codes

namespace axle::transform {

using grammar::AxParser;

namespace {

constexpr Message<> expressionAfterMinus{codes::syntax, "expected an expression after `-`"};
constexpr Message<arg::Code> unknownEscape{codes::badEscape, "unknown escape {} in a string"};
constexpr Message<> ifWithoutElse{codes::badElse, "`if` without `else`", "has no value when its condition is false"};
constexpr Message<> elseIfWithoutElse{codes::badElse, "`else if` without a last `else`",
                                      "has no value when no condition holds"};
constexpr Message<> secondElse{codes::badElse, "a second `else`"};
constexpr Message<> namedInside{codes::misplacedFn, "a named function inside an expression",
                                "a name has no place here"};
constexpr Message<> positionalAfterNamed{codes::badArgument, "positional argument after a named one"};
constexpr Message<> argumentNameExpected{codes::badArgument, "expected an argument's name before `=`"};
constexpr Message<arg::Name> argumentTwice{codes::badArgument, "argument {} given twice"};

struct OperatorToken {
  std::size_t token;
  ast::Operator op;
};
constexpr OperatorToken operatorTokens[] = {
    {AxParser::PLUS, ast::Operator::add},     {AxParser::MINUS, ast::Operator::sub},
    {AxParser::STAR, ast::Operator::mul},     {AxParser::SLASH, ast::Operator::div},
    {AxParser::PERCENT, ast::Operator::mod},  {AxParser::EQ, ast::Operator::eq},
    {AxParser::NE, ast::Operator::ne},        {AxParser::LT, ast::Operator::lt},
    {AxParser::LE, ast::Operator::le},        {AxParser::GT, ast::Operator::gt},
    {AxParser::GE, ast::Operator::ge},        {AxParser::AND, ast::Operator::logicalAnd},
    {AxParser::OR, ast::Operator::logicalOr},
};

ast::Operator binaryOperator(std::size_t token) {
  for (const OperatorToken& row : operatorTokens)
    if (row.token == token) return row.op;
  return ast::Operator::add;
}

// ---- literals

ast::ExprId number(State& s, Token* literal, Span whole, bool negative) {
  ast::ExprNumber made{};
  made.negative = negative;
  switch (literal->getType()) {
    case AxParser::INF:
      made.form = ast::NumberForm::inf;
      made.isFloat = true;
      break;
    case AxParser::NOT_A_NUMBER:
      made.form = ast::NumberForm::nan;
      made.isFloat = true;
      break;
    case AxParser::LOWEST:
      made.form = ast::NumberForm::lowest;
      break;
    default: {
      std::optional<Diagnostic> problem = readNumber(s.view(s.span(literal)), s.span(literal), made);
      if (!problem) break;
      s.error(std::move(*problem));
      return s.addExpr(whole, ast::ExprError{});
    }
  }
  return s.addExpr(whole, made);
}

ast::ExprId string(State& s, Token* token) { return s.addExpr(s.span(token), ast::ExprString{unescaped(s, token)}); }

// Makes one literal from a `-` and the number after it. Returns nothing if the operand is not a number.
ast::ExprId foldedNumber(State& s, Rule* operand, Token* minus) {
  if (operand->getRuleIndex() != AxParser::RulePostfix || count(operand) != 1) return {};
  Token* literal = token(operand->children[0]);
  std::size_t kind = literal->getType();
  if (kind != AxParser::NUMBER && kind != AxParser::INF && kind != AxParser::NOT_A_NUMBER) return {};
  return number(s, literal, join(s.span(minus), s.span(literal)), true);
}

// ---- operators

// Reads a left-associative chain of operands and operators, starting at a child.
ast::ExprId binaryChain(State& s, Rule* context, std::size_t first) {
  ast::ExprId left = expression(s, rule(context->children[first]));
  for (std::size_t i = first + 1; i + 1 < count(context); i += 2) {
    Token* op = token(context->children[i]);
    ast::ExprId right = expression(s, rule(context->children[i + 1]));
    Span whole = join(s.spanOf(left), s.spanOf(right));
    left = s.addExpr(whole, ast::ExprBinary{binaryOperator(op->getType()), s.span(op), left, right}, {left, right});
  }
  return left;
}

ast::ExprId comparison(State& s, Rule* context) {
  std::size_t nots = 0;
  while (type(context->children[nots]) == AxParser::NOT) ++nots;
  ast::ExprId operand;
  if (count(context) - nots > 3) {
    Token* second = token(context->children[nots + 3]);
    s.error(comparisonsChain, s.span(second))
        .addLabel(s.span(token(context->children[nots + 1])), "the first one")
        .addHelp("join two comparisons with `and`");
    operand = s.addExpr(s.span(context), ast::ExprError{});
  } else {
    operand = binaryChain(s, context, nots);
  }
  for (std::size_t i = nots; i-- > 0;) {
    Span op = s.span(token(context->children[i]));
    operand = s.addExpr(join(op, s.spanOf(operand)), ast::ExprUnary{ast::Operator::logicalNot, op, operand}, {operand});
  }
  return operand;
}

ast::ExprId prefix(State& s, Rule* context, bool whole) {
  std::size_t last = count(context) - 1;
  if (type(context->children[last]) == AxParser::MINUS) {
    if (whole && last == 0) return s.addExpr(s.span(context), ast::ExprSection{ast::Operator::sub});
    s.error(expressionAfterMinus, s.span(token(context->children[last])));
    return s.addExpr(s.span(context), ast::ExprError{});
  }
  std::size_t minuses = last;
  ast::ExprId operand = foldedNumber(s, rule(context->children[last]), token(context->children[last - 1]));
  if (operand)
    --minuses;
  else
    operand = expression(s, rule(context->children[last]));
  for (std::size_t i = minuses; i-- > 0;) {
    Span op = s.span(token(context->children[i]));
    operand = s.addExpr(join(op, s.spanOf(operand)), ast::ExprUnary{ast::Operator::negate, op, operand}, {operand});
  }
  return operand;
}

// ---- calls and indices

ast::IndexItem indexItem(State& s, Rule* context) {
  Node* first = context->children[0];
  if (type(first) == AxParser::ELLIPSIS) return {s.span(context), ast::IndexEllipsis{}};
  bool started = rule(first)->getRuleIndex() == AxParser::RuleExpression;
  ast::ExprId start = started ? expression(s, rule(first)) : ast::ExprId{};
  if (started && count(context) == 1) return {s.span(context), ast::IndexAt{start}};
  Rule* range = rule(context->children.back());
  ast::IndexRange made{start, {}, {}};
  std::size_t colons = 0;
  for (Node* child : range->children) {
    if (tokenIf(child) != nullptr)
      ++colons;
    else
      (colons == 1 ? made.stop : made.step) = expression(s, rule(child));
  }
  return {s.span(context), made};
}

ast::ExprId index(State& s, ast::ExprId base, const std::vector<Rule*>& items, Span whole) {
  ast::ExprIndex made{base, {}};
  std::uint32_t depth = s.depthOf(base);
  for (Rule* item : items) {
    made.items.push_back(indexItem(s, item));
    const auto& node = made.items.back().node;
    if (const auto* at = std::get_if<ast::IndexAt>(&node)) depth = std::max(depth, s.depthOf(at->index));
    if (const auto* range = std::get_if<ast::IndexRange>(&node))
      depth = std::max({depth, s.depthOf(range->start), s.depthOf(range->stop), s.depthOf(range->step)});
  }
  return s.addExprAt(whole, std::move(made), depth);
}

ast::ExprId call(State& s, ast::ExprId callee, Rule* arguments, Span whole) {
  ast::ExprCall call{callee, {}, {}};
  std::uint32_t depth = s.depthOf(callee);
  bool isInOrder = true;
  for (Rule* argument : s.items(arguments, 0, count(arguments), "an argument")) {
    Rule* first = rule(argument->children[0]);
    if (count(argument) == 1) {
      ast::ExprId value = expression(s, first);
      depth = std::max(depth, s.depthOf(value));
      if (!call.named.empty() && std::exchange(isInOrder, false)) {
        s.error(positionalAfterNamed, s.span(argument))
            .addLabel(call.named.back().span, "the named argument")
            .addHelp("arguments by position stand first: put this one before {}",
                     arg::Code{call.named.front().name.text + "="});
      }
      call.arguments.push_back(value);
      continue;
    }
    ast::ExprId value = expression(s, rule(argument->children[2]));
    depth = std::max(depth, s.depthOf(value));
    Rule* named = solePrimary(first);
    if (named == nullptr || token(named->children[0])->getType() != AxParser::NAME) {
      s.error(argumentNameExpected, s.span(first)).addHelp("to compare, write `==`");
      continue;
    }
    ast::NamedArgument made{s.name(token(named->children[0])), value, s.span(argument)};
    for (const ast::NamedArgument& other : call.named) {
      if (other.name.text != made.name.text) continue;
      s.error(argumentTwice, made.name.span, arg::Name{made.name.text}).addLabel(other.name.span, "given here first");
      break;
    }
    call.named.push_back(std::move(made));
  }
  if (!isInOrder) return s.addExpr(whole, ast::ExprError{});
  return s.addExprAt(whole, std::move(call), depth);
}

ast::ExprId primary(State& s, Rule* context, std::size_t end) {
  Token* first = token(context->children[0]);
  Span whole = join(s.span(first), s.span(token(context->children[end - 1])));
  switch (first->getType()) {
    case AxParser::NAME:
      return s.addExpr(whole, ast::ExprName{s.text(first)});
    case AxParser::NUMBER:
    case AxParser::INF:
    case AxParser::NOT_A_NUMBER:
    case AxParser::LOWEST:
      return number(s, first, whole, false);
    case AxParser::TRUE:
      return s.addExpr(whole, ast::ExprBool{true});
    case AxParser::FALSE:
      return s.addExpr(whole, ast::ExprBool{false});
    case AxParser::STRING:
      return string(s, first);
    case AxParser::HOLE:
      return s.addExpr(whole, ast::ExprHole{});
    default:
      break;
  }
  bool list = first->getType() == AxParser::LBRACK;
  std::vector<ast::ExprId> parts;
  std::uint32_t depth = 0;
  for (Rule* item : s.items(context, 1, end - 1, "an expression")) {
    parts.push_back(expression(s, item));
    depth = std::max(depth, s.depthOf(parts.back()));
  }
  if (list) return s.addExprAt(whole, ast::ExprList{std::move(parts)}, depth);
  if (parts.size() == 1) return s.addExprAt(whole, ast::ExprGroup{parts[0]}, depth);
  return s.addExprAt(whole, ast::ExprTuple{std::move(parts)}, depth);
}

ast::ExprId postfix(State& s, Rule* context) {
  std::size_t i = primaryEnd(context);
  ast::ExprId base = primary(s, context, i);
  while (i < count(context)) {
    std::size_t opener = token(context->children[i])->getType();
    std::size_t end = find(context, opener == AxParser::LPAREN ? AxParser::RPAREN : AxParser::RBRACK, i);
    Span whole = join(s.spanOf(base), s.span(token(context->children[end])));
    if (opener == AxParser::LPAREN)
      base = call(s, base, rule(context->children[i + 1]), whole);
    else
      base = index(s, base, s.items(context, i + 1, end, "an index"), whole);
    i = end + 1;
  }
  return base;
}

// ---- choices

ast::ExprId conditional(State& s, Rule* context) {
  Span whole = s.span(context);
  if (count(context) == 3) {
    s.error(ifWithoutElse, s.span(token(context->children[0]))).addHelp("end it with `else { ... }`");
    return s.addExpr(whole, ast::ExprError{});
  }
  // The last branch is built first: each `else if` is the else of the branch before it.
  ast::ExprId otherwise;
  for (std::size_t i = count(context); i-- > 3;) {
    Rule* part = rule(context->children[i]);
    Token* elseToken = token(part->children[0]);
    bool last = i + 1 == count(context);
    bool conditionalPart = count(part) > 2;
    if (last && conditionalPart) {
      s.error(elseIfWithoutElse, s.span(elseToken)).addHelp("end it with `else { ... }`");
      return s.addExpr(whole, ast::ExprError{});
    }
    if (!last && !conditionalPart) {
      s.error(secondElse, s.span(token(rule(context->children[i + 1])->children[0])))
          .addLabel(s.span(elseToken), "the first one");
      return s.addExpr(whole, ast::ExprError{});
    }
    if (!conditionalPart) {
      otherwise = block(s, rule(part->children[1]));
      continue;
    }
    ast::ExprId condition = expression(s, rule(part->children[2]));
    ast::ExprId then = block(s, rule(part->children[3]));
    Span from{whole.source, s.span(token(part->children[1])).begin, whole.end};
    otherwise = s.addExpr(from, ast::ExprIf{condition, then, otherwise}, {condition, then, otherwise});
  }
  ast::ExprId condition = expression(s, rule(context->children[1]));
  ast::ExprId then = block(s, rule(context->children[2]));
  return s.addExpr(whole, ast::ExprIf{condition, then, otherwise}, {condition, then, otherwise});
}

ast::ExprId matchExpression(State& s, Rule* context) {
  ast::ExprId scrutinee = expression(s, rule(context->children[1]));
  ast::TypeId annotated = typeOf(s, rule(context->children[3]));
  ast::ExprId body = block(s, rule(context->children[4]));
  std::uint32_t depth = std::max({s.depthOf(scrutinee), s.depthOf(annotated), s.depthOf(body)});
  return s.addExprAt(s.span(context), ast::ExprMatch{scrutinee, annotated, body}, depth);
}

}  // namespace

std::string unescaped(State& s, Token* token) {
  Span whole = s.span(token);
  std::string value;
  if (std::string_view written = s.view(whole); !written.starts_with('"')) {  // other quotes, already reported
    const std::size_t quote = static_cast<unsigned char>(written[0]) < 0x80 ? 1 : 3;
    return std::string(written.substr(quote, written.size() - 2 * quote));
  }
  std::optional<EscapeProblem> problem = readString(s.view(whole), value);
  if (problem) {
    Span at{whole.source, whole.begin + problem->begin, whole.begin + problem->end};
    s.error(unknownEscape, at, arg::Code{s.view(at)}).addHelp("a backslash itself is written `\\\\`");
  }
  return value;
}

ast::ExprId function(State& s, Rule* context, bool named) {
  bool hasName = type(context->children[1]) == AxParser::NAME;
  if (hasName && !named) {
    Token* given = token(context->children[1]);
    s.error(namedInside, s.span(given))
        .addHelp("leave the name out, or define {} in a statement of its own", arg::Name{s.text(given)});
  }
  std::size_t opener = hasName ? 2 : 1;
  std::size_t closer = find(context, AxParser::RPAREN);
  std::size_t separator = std::min(find(context, AxParser::SEMI), closer);
  ast::ExprFn fn{{}, {}, {}, {}, {}, {}};
  std::uint32_t depth = 0;
  for (Rule* parameter : s.items(context, opener + 1, separator, "a parameter")) {
    ast::TypeId annotated = count(parameter) > 1 ? typeOf(s, rule(parameter->children[2])) : ast::TypeId{};
    depth = std::max(depth, s.depthOf(annotated));
    fn.parameters.push_back({s.name(token(parameter->children[0])), annotated, s.span(parameter)});
  }
  if (separator < closer) {
    for (Rule* parameter : s.items(context, separator + 1, closer, "a static parameter")) {
      ast::ExprId value = expression(s, rule(parameter->children[2]));
      depth = std::max(depth, s.depthOf(value));
      fn.statics.push_back({s.name(token(parameter->children[0])), value, s.span(parameter)});
    }
  }
  for (std::size_t i = closer + 1; i + 1 < count(context); ++i) {
    if (tokenIf(context->children[i]) != nullptr) continue;
    Rule* part = rule(context->children[i]);
    if (part->getRuleIndex() == AxParser::RuleType)
      fn.resultType = typeOf(s, part);
    else
      fn.where = facts(s, part);
  }
  depth = std::max(depth, s.depthOf(fn.resultType));
  Rule* body = rule(context->children.back());
  Node* beforeBody = context->children[count(context) - 2];
  Token* signatureEnd = tokenIf(beforeBody) != nullptr ? token(beforeBody) : rule(beforeBody)->stop;
  fn.signature = join(s.span(token(context->children[0])), s.span(signatureEnd));
  fn.body = block(s, body);
  depth = std::max(depth, s.depthOf(fn.body));
  return s.addExprAt(s.span(context), std::move(fn), depth);
}

// Skips rules with a single child; makes a node of the first other one.
ast::ExprId expression(State& s, Rule* context) {
  bool whole = context->getRuleIndex() == AxParser::RuleExpression;
  while (true) {
    bool single = count(context) == 1;
    switch (context->getRuleIndex()) {
      case AxParser::RuleSection:
        return s.addExpr(s.span(context), ast::ExprSection{binaryOperator(type(context->children[0]))});
      case AxParser::RuleExpression:
      case AxParser::RuleConjunction:
      case AxParser::RuleSum:
      case AxParser::RuleProduct:
        if (!single) return binaryChain(s, context, 0);
        break;
      case AxParser::RuleComparison:
        if (!single) return comparison(s, context);
        break;
      case AxParser::RulePrefix:
        if (!single || type(context->children[0]) == AxParser::MINUS) return prefix(s, context, whole);
        break;
      case AxParser::RulePostfix:
        return postfix(s, context);
      case AxParser::RuleFunction:
        return function(s, context, false);
      case AxParser::RuleConditional:
        return conditional(s, context);
      default:
        return matchExpression(s, context);
    }
    context = rule(context->children[0]);
  }
}

ast::ExprId value(State& s, Rule* context) {
  if (count(context) == 1) return expression(s, rule(context->children[0]));
  std::vector<ast::ExprId> parts;
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < count(context); i += 2) {
    parts.push_back(expression(s, rule(context->children[i])));
    depth = std::max(depth, s.depthOf(parts.back()));
  }
  return s.addExprAt(s.span(context), ast::ExprTuple{std::move(parts)}, depth);
}

ast::ExprId valueOnly(State& s, AxParser::ValueOnlyContext* context) { return value(s, rule(context->children[0])); }

}  // namespace axle::transform
