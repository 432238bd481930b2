#include <algorithm>

#include "frontend/foreign_syntax.h"
#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle {

using grammar::AxParser;

antlr4::Token* Transform::token(const Node* node) {
  return static_cast<antlr4::tree::TerminalNode*>(const_cast<Node*>(node))->getSymbol();
}
antlr4::Token* Transform::tokenIf(Node* node) {
  // No error nodes here: they stand in contexts with an exception only.
  return typeid(*node) == typeid(antlr4::tree::TerminalNodeImpl) ? token(node) : nullptr;
}
Transform::Rule* Transform::rule(Node* node) { return static_cast<Rule*>(node); }
std::size_t Transform::type(Node* node) {
  Token* found = tokenIf(node);
  return found == nullptr ? 0 : found->getType();
}

Span Transform::span(const Rule* context) const {
  Span first = span(context->start);
  return context->stop == nullptr ? first
                                  : Span{first.source, first.begin, std::max(first.begin, span(context->stop).end)};
}

std::size_t Transform::find(const Rule* context, std::size_t tokenType, std::size_t from) const {
  while (from < count(context) && type(context->children[from]) != tokenType) ++from;
  return from;
}

std::vector<Transform::Rule*> Transform::items(const Rule* context, std::size_t first, std::size_t last,
                                               std::string_view noun) {
  std::vector<Rule*> found;
  bool gap = true;
  for (std::size_t i = first; i < last; ++i) {
    Token* comma = tokenIf(context->children[i]);
    if (comma == nullptr)
      found.push_back(rule(context->children[i]));
    else if (gap && view(span(comma)) == ",")
      error(codes::syntax, span(comma), "expected " + std::string(noun) + " before `,`");
    gap = comma != nullptr;
  }
  return found;
}

Diagnostic& Transform::error(const DiagnosticCode& code, Span span, std::string message, std::string label) {
  if (diagnostics_.size() >= maxErrors) return unread_ = {};
  Diagnostic& d = diagnostics_.emplace_back();
  d.code = &code;
  d.message = std::move(message);
  d.primary = {span, std::move(label)};
  return d;
}

void Transform::reportTooDeep(Span span) {
  if (saidTooDeep_) return;
  saidTooDeep_ = true;
  Diagnostic& d = error(codes::nestedTooDeeply, {span.source, span.begin, span.end}, "nested too deeply",
                        "this is more than " + std::to_string(maxDepth) + " operations deep");
  d.help.emplace_back("give inner parts names of their own");
}
ast::ExprId Transform::tooDeep(Span span) {
  reportTooDeep(span);
  return addExprAt(span, ast::ExprError{}, 0);
}
ast::DimId Transform::tooDeepDim(Span span) {
  reportTooDeep(span);
  return addDim(span, ast::DimHole{});
}
ast::TypeId Transform::tooDeepType(Span span) {
  reportTooDeep(span);
  return addType(span, ast::TypeHole{});
}

// ---- top level

void Transform::program(AxParser::ProgramContext* context) {
  for (Node* child : context->children)
    if (tokenIf(child) == nullptr) item(rule(child));
  mentionBroken();
}

void Transform::item(Rule* context) {
  if (context->exception != nullptr) {
    if (std::optional<std::uint32_t> broken = brokenStatement(context)) module_.items.emplace_back(*broken);
    return;
  }
  Rule* inner = content(context);
  switch (inner->getRuleIndex()) {
    case AxParser::RuleImportItem:
      refuseAnnotations(context, "an import");
      return importItem(inner);
    case AxParser::RuleParamItem:
      refuseAnnotations(context, "a parameter");
      return paramItem(inner);
    case AxParser::RuleOpItem:
      refuseAnnotations(context, "an operator declaration");
      return opItem(inner);
    default:
      break;
  }
  if (std::optional<std::uint32_t> made = binding(context)) {
    module_.items.emplace_back(*made);
    return;
  }
  Diagnostic& d = error(codes::unusedValue, span(inner), "an expression at the top level", "nothing uses its value");
  d.help.emplace_back("give it a name: `name = ...`");
}

void Transform::importItem(Rule* context) {
  ast::Name module = name(token(context->children[1]));
  if (module.text.find('.') != std::string::npos) {
    error(codes::syntax, module.span, "a module's name has no dots", "`import name` reads `name.ax`");
    return;
  }
  module_.items.emplace_back(ast::Import{span(context), std::move(module)});
}

void Transform::paramItem(Rule* context) {
  ast::Param param{span(context), name(token(context->children[1])), {}, {}, {}, tokens_.doc(context->start)};
  param.tensorName = param.name.text;
  for (std::size_t i = 2; i < count(context); ++i) {
    Node* child = context->children[i];
    if (type(child) == AxParser::STRING) param.tensorName = unescaped(token(child));
    if (tokenIf(child) != nullptr) continue;
    if (rule(child)->getRuleIndex() == AxParser::RuleType)
      param.type = typeOf(rule(child));
    else
      param.where = facts(rule(child));
  }
  module_.items.emplace_back(std::move(param));
}

// ---- statements

std::optional<std::uint32_t> Transform::binding(Rule* statement) {
  Rule* context = content(statement);
  Rule* left = rule(context->children[0]);
  if (count(context) > 1) {
    ast::PatternId target = pattern(left);
    ast::ExprId bound = value(rule(context->children[2]));
    return addBinding(statement, target, bound, span(context));
  }
  Rule* fn = soleRule(left, AxParser::RuleFunction);
  if (fn == nullptr || type(fn->children[1]) != AxParser::NAME) return std::nullopt;
  Token* given = token(fn->children[1]);
  ast::PatternId target = addPattern(span(given), ast::PatternName{text(given)});
  ast::ExprId bound = function(fn, true);
  return addBinding(statement, target, bound, span(fn));
}

std::uint32_t Transform::addBinding(Rule* statement, ast::PatternId target, ast::ExprId value, Span whole) {
  ast::Binding made{whole, target, value, tokens_.doc(statement->start), {}};
  if (statement->exception == nullptr) {
    made.annotations = annotations(statement);
    if (made.doc.empty()) made.doc = tokens_.doc(content(statement)->start);
  }
  module_.bindings.push_back(std::move(made));
  return static_cast<std::uint32_t>(module_.bindings.size() - 1);
}

// A statement that did not parse still binds its names, so that their uses are not errors too.
std::optional<std::uint32_t> Transform::brokenStatement(Rule* context) {
  const std::vector<Token*>& tokens = tokens_.list().tokens();
  auto found = std::find(tokens.begin(), tokens.end(), context->start);
  auto type = [&] { return (*found)->getType(); };
  if (found == tokens.end()) return std::nullopt;
  std::vector<Token*> names;
  bool function = type() == AxParser::FN || type() == AxParser::PARAM;
  if (function) ++found;
  while (type() == AxParser::NAME || type() == AxParser::HOLE || type() == AxParser::COMMA ||
         type() == AxParser::LPAREN || type() == AxParser::RPAREN) {
    if (function && type() == AxParser::LPAREN) break;
    if (type() == AxParser::NAME) names.push_back(*found);
    ++found;
  }
  if (names.empty() || (function ? names.size() != 1 : type() != AxParser::ASSIGN)) return std::nullopt;
  Span whole = span(context);
  std::vector<ast::PatternId> parts;
  for (Token* bound : names) parts.push_back(addPattern(span(bound), ast::PatternName{text(bound)}));
  ast::PatternId target = parts.size() == 1 ? parts[0] : addPattern(whole, ast::PatternTuple{parts});
  return addBinding(context, target, addExpr(whole, ast::ExprError{}), whole);
}

// What a statement that did not parse may have been meant to bind, be it where it may: names of no scope.
void Transform::mentionBroken() {
  const std::vector<Token*>& tokens = tokens_.list().tokens();
  for (const Span broken : tokens_.takeBroken()) {
    auto at = std::partition_point(tokens.begin(), tokens.end(),
                                   [&](const Token* t) { return span(t).begin < broken.begin; });
    for (; at != tokens.end() && span(*at).begin < broken.end; ++at) {
      if ((*at)->getType() != AxParser::NAME || !mentioned_.insert(text(*at)).second) continue;
      ast::PatternId target = addPattern(span(*at), ast::PatternName{text(*at)});
      module_.bindings.push_back({span(*at), target, addExpr(span(*at), ast::ExprError{}), {}, {}});
    }
  }
}

std::vector<ast::Annotation> Transform::annotations(Rule* statement) {
  std::vector<ast::Annotation> made;
  for (std::size_t i = 0; i + 1 < count(statement); ++i) {
    Rule* context = rule(statement->children[i]);
    ast::Annotation annotation{name(token(context->children[1])), {}, span(context)};
    for (std::size_t j = 3; j < count(context); j += 2) {
      Token* argument = token(rule(context->children[j])->children[0]);
      annotation.arguments.push_back(argument->getType() == AxParser::STRING ? unescaped(argument) : text(argument));
    }
    checkAnnotation(annotation);
    made.push_back(std::move(annotation));
  }
  return made;
}

void Transform::checkAnnotation(const ast::Annotation& annotation) {
  struct Known {
    std::string_view name, use;
    bool (*fits)(const std::vector<std::string>& arguments);
  };
  static constexpr Known table[] = {
      {"implements", "`@implements(\"NAME\")`",
       [](const std::vector<std::string>& arguments) { return arguments.size() == 1 && !arguments[0].empty(); }},
      {"inline", "`@inline(never)`",
       [](const std::vector<std::string>& arguments) { return arguments.size() == 1 && arguments[0] == "never"; }},
  };
  std::vector<std::string_view> names;
  for (const Known& known : table) {
    names.push_back(known.name);
    if (known.name != annotation.name.text) continue;
    if (!known.fits(annotation.arguments))
      error(codes::unknownAnnotation, annotation.span, "`@" + annotation.name.text + "` with other arguments",
            "it is written " + std::string(known.use));
    return;
  }
  auto close = closestNames(annotation.name.text, names);
  Diagnostic& d = error(codes::unknownAnnotation, annotation.span, "unknown annotation `@" + annotation.name.text + "`",
                        "not known");
  d.help.push_back(close.empty() ? "the annotations are `@implements(\"NAME\")` and `@inline(never)`"
                                 : "did you mean `@" + close[0] + "`?");
}

void Transform::refuseAnnotations(Rule* statement, std::string_view what) {
  if (count(statement) == 1) return;
  error(codes::misplacedAnnotation, span(rule(statement->children[0])), "an annotation before " + std::string(what),
        "annotations stand before bindings");
}

ast::ExprId Transform::block(Rule* context) {
  ast::ExprBlock made;
  std::vector<Rule*> statements;
  for (Node* child : context->children)
    if (tokenIf(child) == nullptr) statements.push_back(rule(child));
  std::uint32_t depth = 0;
  bool broken = false;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Rule* statement = statements[i];
    bool last = i + 1 == statements.size();
    std::optional<std::uint32_t> bound;
    if (statement->exception != nullptr) {
      bound = brokenStatement(statement);
      broken = true;
    } else {
      bound = binding(statement);
    }
    if (bound) {
      made.bindings.push_back(*bound);
      depth = std::max(depth, bindingDepth(*bound));
    } else if (last && statement->exception == nullptr) {
      refuseAnnotations(statement, "a block's value");
      made.result = value(rule(content(statement)->children[0]));
      depth = std::max(depth, depthOf(made.result));
    } else if (last) {
      made.result = addExpr(span(statement), ast::ExprError{});
    } else if (statement->exception == nullptr) {
      Diagnostic& d = error(codes::unusedValue, span(content(statement)), "a value that nothing uses",
                            "only a block's last expression is its value");
      const std::string_view called = foreignCallHelp(text(statement->start));
      d.help.emplace_back(called.empty() ? "give it a name: `name = ...`" : called);
    }
  }
  Span whole = span(context);
  if (!made.result && !broken) {
    Span closer{whole.source, whole.end > whole.begin ? whole.end - 1 : whole.end, whole.end};
    Diagnostic& d = error(codes::noResult, closer, "expected the block's value before `}`",
                          statements.empty() ? "the block is empty" : "the block ends in a binding");
    d.help.emplace_back("a block's last expression is its value");
  }
  return addExprAt(whole, std::move(made), depth);
}

// ---- patterns

ast::PatternId Transform::addPattern(Span span, decltype(ast::Pattern::node) node) {
  module_.patterns.push_back({span, std::move(node)});
  return {static_cast<std::uint32_t>(module_.patterns.size() - 1)};
}

ast::PatternId Transform::patternTuple(Span whole, const std::vector<Rule*>& parts) {
  ast::PatternTuple tuple;
  for (Rule* part : parts) tuple.parts.push_back(pattern(part));
  return addPattern(whole, std::move(tuple));
}

ast::PatternId Transform::pattern(Rule* context) {
  if (context->getRuleIndex() == AxParser::RuleValue) {
    std::vector<Rule*> parts = items(context, 0, count(context), "a name");
    if (parts.size() > 1) return patternTuple(span(context), parts);
    context = parts[0];
  }
  Rule* found = solePrimary(context);
  if (found == nullptr) return notATarget(context);
  Token* first = token(found->children[0]);
  if (first->getType() == AxParser::NAME) return addPattern(span(first), ast::PatternName{text(first)});
  if (first->getType() == AxParser::HOLE) return addPattern(span(first), ast::PatternWildcard{});
  if (first->getType() != AxParser::LPAREN) return notATarget(context);
  std::vector<Rule*> parts = items(found, 1, count(found) - 1, "a name");
  if (parts.empty()) return notATarget(context);
  return parts.size() == 1 ? pattern(parts[0]) : patternTuple(span(found), parts);
}

ast::PatternId Transform::notATarget(Rule* context) {
  std::string what = "this expression";
  std::string help = "on the left of `=` stands a name, `_`, or a tuple of those";
  Rule* inner = context;
  while (count(inner) == 1 && tokenIf(inner->children[0]) == nullptr) inner = rule(inner->children[0]);
  if (inner->getRuleIndex() == AxParser::RulePostfix) {
    std::size_t first = token(inner->children[0])->getType();
    std::size_t end = primaryEnd(inner);
    bool call = type(inner->children.back()) == AxParser::RPAREN;
    if (end == count(inner)) {
      what = first == AxParser::LPAREN ? "an empty tuple" : first == AxParser::LBRACK ? "a list" : "a literal";
    } else if (call) {
      what = "a call";
      if (first == AxParser::NAME)
        help = "a function is defined by `" + text(token(inner->children[0])) + " = fn (...) { ... }`";
    } else {
      what = "an indexed value";
      help = "tensors do not change: make another, as in `y = concat(expand(row, axis=0), x[1:])`";
    }
  }
  Diagnostic& d = error(codes::notATarget, span(context), "cannot bind " + what);
  d.help.push_back(std::move(help));
  tokens_.addBroken(span(context));  // `[a, b] = ...`
  return addPattern(span(context), ast::PatternWildcard{});
}

// ---- operator declarations

void Transform::opItem(Rule* context) {
  inOp_ = true;
  const std::size_t told = diagnostics_.size();
  ast::OpDecl op{span(context), {}, {}, {}, {}, {}, tokens_.doc(context->start)};
  op.name = name(rule(context->children[1])->start);
  std::size_t closer = find(context, AxParser::RPAREN);
  std::size_t separator = std::min(find(context, AxParser::SEMI), closer);
  for (Rule* parameter : items(context, 4, separator, "a type")) {
    ast::OpParameter made = opParameter(parameter, op);
    op.parameters.push_back(std::move(made));
  }
  for (Rule* attribute : items(context, std::min(separator + 1, closer), closer, "an attribute"))
    op.attributes.push_back(opAttribute(attribute));
  for (std::size_t i = closer + 1; i < count(context); ++i) {
    if (tokenIf(context->children[i]) != nullptr) continue;
    Rule* part = rule(context->children[i]);
    if (part->getRuleIndex() == AxParser::RuleType)
      op.result = typeOf(part);
    else
      op.where = facts(part);
  }
  inOp_ = false;
  if (diagnostics_.size() == told) module_.items.emplace_back(std::move(op));
}

ast::OpParameter Transform::opParameter(Rule* context, ast::OpDecl& op) {
  Rule* inner = rule(context->children[0]);
  std::string many = count(context) > 2 ? text(token(context->children[2])) : std::string();
  if (inner->getRuleIndex() == AxParser::RuleType) return {span(context), typeOf(inner), {}, std::move(many)};
  op.attributes.push_back(opAttribute(inner));
  return {span(context), {}, op.attributes.back().name.text, {}};
}

ast::OpAttribute Transform::opAttribute(Rule* context) {
  static constexpr std::string_view sorts[] = {
      // in the order of ast::Sort
      "int",  "ints", "pairs", "axis", "axes",  "perm", "padding",
      "bool", "elem", "shape", "real", "sizes", "word", "equation",
  };
  ast::OpAttribute made{span(context), name(token(context->children[0])), ast::Sort::integer, {}, {}, {}};
  Rule* sort = rule(context->children[2]);
  std::string sortName = text(token(sort->children[0]));
  const auto* found = std::find(std::begin(sorts), std::end(sorts), sortName);
  if (found == std::end(sorts)) {
    Diagnostic& d = error(codes::badOp, span(sort), "unknown sort `" + sortName + "`");
    d.notes.emplace_back(
        "sorts are int, ints, pairs, axis, axes, perm, padding, bool, elem, shape, real, sizes, word and equation");
    d.help.emplace_back(noOperators);
  } else {
    made.sort = static_cast<ast::Sort>(found - std::begin(sorts));
  }
  for (std::size_t i = 2; i < count(sort); i += 2) {
    Token* argument = token(rule(sort->children[i])->children[0]);
    if (argument->getType() == AxParser::NAME) {
      made.sortArguments.push_back(text(argument));
      continue;
    }
    ast::ExprNumber length{};
    NumberProblem problem = readNumber(view(span(argument)), length);
    if (!problem.message.empty() || length.form != ast::NumberForm::integer || length.suffix || length.isFloat)
      error(codes::badOp, span(argument), "a length is a whole number");
    else
      made.length = length.integer;
  }
  if (count(context) > 3) made.defaultValue = expression(rule(context->children[4]));
  return made;
}

}  // namespace axle
