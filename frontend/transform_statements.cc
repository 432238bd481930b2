#include <algorithm>

#include "frontend/foreign_syntax.h"
#include "frontend/transform.h"

namespace axle::codes {
const DiagnosticCode reportInvalidTarget{"E0108", Severity::error, "`=` needs a name on its left"};
const DiagnosticCode unknownAnnotation{"E0120", Severity::error, "unknown annotation"};
}  // namespace axle::codes

namespace axle::transform {

using grammar::AxParser;

namespace {

constexpr Message<> unusedExpression{codes::unusedValue, "an expression at the top level", "nothing uses its value"};
constexpr Message<> unusedStatement{codes::unusedValue, "a value that nothing uses",
                                    "only a block's last expression is its value"};
constexpr Message<> dottedModule{codes::syntax, "a module's name has no dots", "`import name` reads `name.ax`"};
constexpr Message<arg::Code, Phrase> annotationArguments{codes::unknownAnnotation, "{} with other arguments",
                                                         "it is written {1}"};
constexpr Message<arg::Code> annotationUnknown{codes::unknownAnnotation, "unknown annotation {}", "not known"};
constexpr Message<Phrase> annotationWithoutBinding{codes::misplacedAnnotation, "an annotation before {}",
                                                   "annotations stand before bindings"};
constexpr Message<> emptyBlock{codes::noResult, "expected the block's value before `}`", "the block is empty"};
constexpr Message<> blockEndsInBinding{codes::noResult, "expected the block's value before `}`",
                                       "the block ends in a binding"};
constexpr Message<Phrase> targetNotAName{codes::reportInvalidTarget, "cannot bind {}"};

// ---- top level

// ---- patterns

ast::PatternId reportInvalidTarget(State& s, Rule* context) {
  Phrase what = "this expression";
  Phrase help = "the left side of `=` must be a name, `_`, or a tuple of these";
  Rule* inner = context;
  while (count(inner) == 1 && tokenIf(inner->children[0]) == nullptr) inner = rule(inner->children[0]);
  if (inner->getRuleIndex() == AxParser::RulePostfix) {
    std::size_t first = token(inner->children[0])->getType();
    if (primaryEnd(inner) == count(inner)) {
      what = first == AxParser::LPAREN ? "an empty tuple" : first == AxParser::LBRACK ? Phrase("a list") : "a literal";
    } else if (type(inner->children.back()) == AxParser::RPAREN) {
      what = "a call";
      if (first == AxParser::NAME)
        help =
            Phrase("a function is defined by {}", arg::Code{s.text(token(inner->children[0])) + " = fn (...) { ... }"});
    } else {
      what = "an indexed value";
      help = "tensors do not change: make another, as in `y = concat(expand(row, axis=0), x[1:])`";
    }
  }
  s.error(targetNotAName, s.span(context), what).addHelp(help);
  s.tokens.addBroken(s.span(context));  // `[a, b] = ...`
  return s.addPattern(s.span(context), ast::PatternWildcard{});
}

ast::PatternId pattern(State& s, Rule* context);

ast::PatternId patternTuple(State& s, Span whole, const std::vector<Rule*>& parts) {
  ast::PatternTuple tuple;
  for (Rule* part : parts) tuple.parts.push_back(pattern(s, part));
  return s.addPattern(whole, std::move(tuple));
}

ast::PatternId pattern(State& s, Rule* context) {
  if (context->getRuleIndex() == AxParser::RuleValue) {
    std::vector<Rule*> parts = s.items(context, 0, count(context), "a name");
    if (parts.size() > 1) return patternTuple(s, s.span(context), parts);
    context = parts[0];
  }
  Rule* found = solePrimary(context);
  if (found == nullptr) return reportInvalidTarget(s, context);
  Token* first = token(found->children[0]);
  if (first->getType() == AxParser::NAME) return s.addPattern(s.span(first), ast::PatternName{s.text(first)});
  if (first->getType() == AxParser::HOLE) return s.addPattern(s.span(first), ast::PatternWildcard{});
  if (first->getType() != AxParser::LPAREN) return reportInvalidTarget(s, context);
  std::vector<Rule*> parts = s.items(found, 1, count(found) - 1, "a name");
  if (parts.empty()) return reportInvalidTarget(s, context);
  return parts.size() == 1 ? pattern(s, parts[0]) : patternTuple(s, s.span(found), parts);
}

// ---- annotations

void checkAnnotation(State& s, const ast::Annotation& annotation) {
  struct Known {
    std::string_view name;
    Format<> use;
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
      s.error(annotationArguments, annotation.span, arg::Code{"@" + annotation.name.text}, known.use);
    return;
  }
  Diagnostic& d = s.error(annotationUnknown, annotation.span, arg::Code{"@" + annotation.name.text});
  if (auto close = closestNames(annotation.name.text, names); !close.empty())
    d.addHelp("did you mean {}?", arg::Code{"@" + close[0]});
  else
    d.addHelp("the annotations are `@implements(\"NAME\")` and `@inline(never)`");
}

std::vector<ast::Annotation> annotations(State& s, Rule* statement) {
  std::vector<ast::Annotation> made;
  for (std::size_t i = 0; i + 1 < count(statement); ++i) {
    Rule* context = rule(statement->children[i]);
    ast::Annotation annotation{s.name(token(context->children[1])), {}, s.span(context)};
    for (std::size_t j = 3; j < count(context); j += 2) {
      Token* argument = token(rule(context->children[j])->children[0]);
      const bool isString = argument->getType() == AxParser::STRING;
      annotation.arguments.push_back(isString ? unescaped(s, argument) : s.text(argument));
    }
    checkAnnotation(s, annotation);
    made.push_back(std::move(annotation));
  }
  return made;
}

void refuseAnnotations(State& s, Rule* statement, Format<> what) {
  if (count(statement) > 1) s.error(annotationWithoutBinding, s.span(rule(statement->children[0])), what);
}

// ---- bindings

std::uint32_t addBinding(State& s, Rule* statement, ast::PatternId target, ast::ExprId value, Span whole) {
  ast::Binding made{whole, target, value, s.tokens.doc(statement->start), {}};
  if (statement->exception == nullptr) {
    made.annotations = annotations(s, statement);
    if (made.doc.empty()) made.doc = s.tokens.doc(content(statement)->start);
  }
  s.module.bindings.push_back(std::move(made));
  return static_cast<std::uint32_t>(s.module.bindings.size() - 1);
}

std::optional<std::uint32_t> binding(State& s, Rule* statement) {
  Rule* context = content(statement);
  Rule* left = rule(context->children[0]);
  if (count(context) > 1) {
    ast::PatternId target = pattern(s, left);
    ast::ExprId bound = value(s, rule(context->children[2]));
    return addBinding(s, statement, target, bound, s.span(context));
  }
  Rule* fn = soleRule(left, AxParser::RuleFunction);
  if (fn == nullptr || type(fn->children[1]) != AxParser::NAME) return std::nullopt;
  Token* given = token(fn->children[1]);
  ast::PatternId target = s.addPattern(s.span(given), ast::PatternName{s.text(given)});
  ast::ExprId bound = function(s, fn, true);
  return addBinding(s, statement, target, bound, s.span(fn));
}

// Binds the names of a statement that did not parse, so that their uses are not errors too.
std::optional<std::uint32_t> brokenStatement(State& s, Rule* context) {
  const std::vector<Token*>& tokens = s.tokens.list().tokens();
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
  Span whole = s.span(context);
  std::vector<ast::PatternId> parts;
  for (Token* bound : names) parts.push_back(s.addPattern(s.span(bound), ast::PatternName{s.text(bound)}));
  ast::PatternId target = parts.size() == 1 ? parts[0] : s.addPattern(whole, ast::PatternTuple{parts});
  return addBinding(s, context, target, s.addExpr(whole, ast::ExprError{}), whole);
}

// Records the names in statements that did not parse. Such a statement may bind any of them, so their uses are not
// errors.
void bindBrokenNames(State& s) {
  const std::vector<Token*>& tokens = s.tokens.list().tokens();
  for (const Span broken : s.tokens.takeBroken()) {
    auto at = std::partition_point(tokens.begin(), tokens.end(),
                                   [&](const Token* t) { return s.span(t).begin < broken.begin; });
    for (; at != tokens.end() && s.span(*at).begin < broken.end; ++at) {
      if ((*at)->getType() != AxParser::NAME || !s.mentioned.insert(s.text(*at)).second) continue;
      ast::PatternId target = s.addPattern(s.span(*at), ast::PatternName{s.text(*at)});
      s.module.bindings.push_back({s.span(*at), target, s.addExpr(s.span(*at), ast::ExprError{}), {}, {}});
    }
  }
}

// ---- top level

void importItem(State& s, Rule* context) {
  ast::Name module = s.name(token(context->children[1]));
  if (module.text.find('.') != std::string::npos) {
    s.error(dottedModule, module.span);
    return;
  }
  s.module.items.emplace_back(ast::Import{s.span(context), std::move(module)});
}

void paramItem(State& s, Rule* context) {
  ast::Param param{s.span(context), s.name(token(context->children[1])), {}, {}, {}, s.tokens.doc(context->start)};
  param.tensorName = param.name.text;
  for (std::size_t i = 2; i < count(context); ++i) {
    Node* child = context->children[i];
    if (type(child) == AxParser::STRING) param.tensorName = unescaped(s, token(child));
    if (tokenIf(child) != nullptr) continue;
    if (rule(child)->getRuleIndex() == AxParser::RuleType)
      param.type = typeOf(s, rule(child));
    else
      param.where = facts(s, rule(child));
  }
  s.module.items.emplace_back(std::move(param));
}

void item(State& s, Rule* context) {
  if (context->exception != nullptr) {
    if (std::optional<std::uint32_t> broken = brokenStatement(s, context)) s.module.items.emplace_back(*broken);
    return;
  }
  Rule* inner = content(context);
  switch (inner->getRuleIndex()) {
    case AxParser::RuleImportItem:
      refuseAnnotations(s, context, "an import");
      return importItem(s, inner);
    case AxParser::RuleParamItem:
      refuseAnnotations(s, context, "a parameter");
      return paramItem(s, inner);
    case AxParser::RuleOpItem:
      refuseAnnotations(s, context, "an operator declaration");
      return opItem(s, inner);
    default:
      break;
  }
  if (std::optional<std::uint32_t> made = binding(s, context)) {
    s.module.items.emplace_back(*made);
    return;
  }
  s.error(unusedExpression, s.span(inner)).addHelp("give it a name: `name = ...`");
}

}  // namespace

ast::ExprId block(State& s, Rule* context) {
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
      bound = brokenStatement(s, statement);
      broken = true;
    } else {
      bound = binding(s, statement);
    }
    if (bound) {
      made.bindings.push_back(*bound);
      depth = std::max(depth, s.bindingDepth(*bound));
    } else if (last && statement->exception == nullptr) {
      refuseAnnotations(s, statement, "a block's value");
      made.result = value(s, rule(content(statement)->children[0]));
      depth = std::max(depth, s.depthOf(made.result));
    } else if (last) {
      made.result = s.addExpr(s.span(statement), ast::ExprError{});
    } else if (statement->exception == nullptr) {
      s.error(unusedStatement, s.span(content(statement)))
          .addHelp(helpForForeignCall(s.text(statement->start)).value_or("give it a name: `name = ...`"));
    }
  }
  Span whole = s.span(context);
  if (!made.result && !broken) {
    Span closer{whole.source, whole.end > whole.begin ? whole.end - 1 : whole.end, whole.end};
    s.error(statements.empty() ? emptyBlock : blockEndsInBinding, closer)
        .addHelp("a block's last expression is its value");
  }
  return s.addExprAt(whole, std::move(made), depth);
}

void program(State& s, AxParser::ProgramContext* context) {
  for (Node* child : context->children)
    if (tokenIf(child) == nullptr) item(s, rule(child));
  bindBrokenNames(s);
}

}  // namespace axle::transform
