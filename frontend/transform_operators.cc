#include <algorithm>
#include <optional>

#include "frontend/foreign_syntax.h"
#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle::transform {

using grammar::AxParser;

namespace {

constexpr Message<arg::Name> unknownSort{codes::badOp, "unknown sort {}"};
constexpr Message<> lengthNotWhole{codes::badOp, "a length is a whole number"};

// None if there is no such sort.
std::optional<ast::Sort> sortNamed(std::string_view name) {
  static constexpr std::string_view sorts[] = {
      // in the order of ast::Sort
      "int",  "ints", "pairs", "axis", "axes",  "perm", "padding",
      "bool", "elem", "shape", "real", "sizes", "word", "equation",
  };
  const auto* found = std::find(std::begin(sorts), std::end(sorts), name);
  if (found == std::end(sorts)) return std::nullopt;
  return static_cast<ast::Sort>(found - std::begin(sorts));
}

ast::OpAttribute opAttribute(State& s, Rule* context) {
  ast::OpAttribute made{s.span(context), s.name(token(context->children[0])), ast::Sort::integer, {}, {}, {}};
  Rule* sort = rule(context->children[2]);
  std::string sortName = s.text(token(sort->children[0]));
  const std::optional<ast::Sort> found = sortNamed(sortName);
  if (!found) {
    s.error(unknownSort, s.span(sort), arg::Name{sortName})
        .addNote(
            "sorts are int, ints, pairs, axis, axes, perm, padding, bool, elem, shape, real, sizes, word and equation")
        .addHelp(noOperators);
  } else {
    made.sort = *found;
  }
  for (std::size_t i = 2; i < count(sort); i += 2) {
    Token* argument = token(rule(sort->children[i])->children[0]);
    if (argument->getType() == AxParser::NAME) {
      made.sortArguments.push_back(s.text(argument));
      continue;
    }
    ast::ExprNumber length{};
    const bool isNumber = !readNumber(s.view(s.span(argument)), s.span(argument), length);
    if (!isNumber || length.form != ast::NumberForm::integer || length.suffix || length.isFloat)
      s.error(lengthNotWhole, s.span(argument));
    else
      made.length = length.integer;
  }
  if (count(context) > 3) made.defaultValue = expression(s, rule(context->children[4]));
  return made;
}

ast::OpParameter opParameter(State& s, Rule* context, ast::OpDecl& op) {
  Rule* inner = rule(context->children[0]);
  Rule* written = typeIn(inner);
  ast::OpParameter made{s.span(context), {}, {}, {}};
  if (isNamed(inner)) {
    const ast::Name name = s.name(token(inner->children[0]));
    made.name = name.text;
    if (const auto sort = sortNamed(s.view(s.span(written)))) {
      op.attributes.push_back({made.span, name, *sort, {}, {}, {}});
      return made;
    }
  }
  made.type = typeOf(s, written);
  if (count(context) > 2) made.count = s.text(token(context->children[2]));
  return made;
}

}  // namespace

void opItem(State& s, Rule* context) {
  s.inOp = true;
  const std::size_t errorsBefore = s.errorCount();
  ast::OpDecl op{s.span(context), {}, {}, {}, {}, {}, s.tokens.doc(context->start)};
  op.name = s.name(rule(context->children[1])->start);
  std::size_t closer = find(context, AxParser::RPAREN);
  std::size_t separator = std::min(find(context, AxParser::SEMI), closer);
  for (Rule* parameter : s.items(context, 4, separator, "a type")) {
    ast::OpParameter made = opParameter(s, parameter, op);
    op.parameters.push_back(std::move(made));
  }
  for (Rule* attribute : s.items(context, std::min(separator + 1, closer), closer, "an attribute"))
    op.attributes.push_back(opAttribute(s, attribute));
  for (std::size_t i = closer + 1; i < count(context); ++i) {
    if (tokenIf(context->children[i]) != nullptr) continue;
    Rule* part = rule(context->children[i]);
    if (part->getRuleIndex() == AxParser::RuleType)
      op.result = typeOf(s, part);
    else
      op.where = facts(s, part);
  }
  s.inOp = false;
  if (s.errorCount() == errorsBefore) s.module.items.emplace_back(std::move(op));
}

}  // namespace axle::transform
