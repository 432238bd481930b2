#include <algorithm>

#include "frontend/transform.h"

namespace axle::codes {
const DiagnosticCode misplacedWhere{"E0117", Severity::error, "`where` at a type that has none"};
}

namespace axle::transform {

using grammar::AxParser;

namespace {

constexpr Message<Phrase> outsideOfOp{codes::onlyInOp, "{} outside of an `op` declaration",
                                      "only core operators are declared with these"};
constexpr Message<> bareParameters{codes::syntax, "a function type's parameters stand in parentheses"};
constexpr Message<> namesInTuple{codes::syntax, "only the parameters of a function type have names",
                                 "no `->` follows these parentheses"};
constexpr Message<> whereAmongParameters{codes::misplacedWhere, "`where` among a function type's parameters",
                                         "facts are written after the result"};
constexpr Message<> whereWithoutFunction{codes::misplacedWhere, "`where` at a type that is not a function type",
                                         "facts follow a whole signature"};
constexpr Message<arg::Name> unknownTypeFunction{codes::badOp, "unknown type function {}"};
constexpr Message<> dimensionArgument{codes::badOp, "expected a dimension"};
constexpr Message<> typeArgument{codes::badOp, "expected a type"};
constexpr Message<> shapesCompared{codes::badFact, "shapes are equated by `==` only", "this is a shape"};
constexpr Message<> stretchNotOne{codes::badFact, "only 1 stretches"};

// A type function: which of its arguments are types ('t') and which are dimensions ('d').
struct TypeFunction {
  std::string_view name;
  std::string_view arguments;
};
constexpr TypeFunction typeFunctions[] = {
    {"collect", "td"},
    {"repeat", "dt"},
};

ast::Relation relation(std::size_t token) {
  switch (token) {
    case AxParser::EQ:
      return ast::Relation::eq;
    case AxParser::NE:
      return ast::Relation::ne;
    case AxParser::LT:
      return ast::Relation::lt;
    case AxParser::LE:
      return ast::Relation::le;
    case AxParser::GT:
      return ast::Relation::gt;
    default:
      return ast::Relation::ge;
  }
}

ast::TypeId namedType(State& s, Rule* context);

ast::TypeId typeCall(State& s, Token* function, Rule* tail, Span whole) {
  ast::TypeCall call{s.text(function), {}, {}};
  if (!s.inOp) {
    s.error(outsideOfOp, whole, "a type function").addHelp("sizes stand in brackets, as in `f32 [n, 28]`");
    return s.addType(whole, ast::TypeHole{});
  }
  const auto* row = std::find_if(std::begin(typeFunctions), std::end(typeFunctions),
                                 [&](const TypeFunction& f) { return f.name == call.function; });
  std::vector<Rule*> arguments = s.items(tail, 1, count(tail) - 1, "a type");
  if (row == std::end(typeFunctions) || row->arguments.size() != arguments.size()) {
    s.error(unknownTypeFunction, whole, arg::Name{call.function})
        .addHelp("type functions are `collect(type, dimension)` and `repeat(dimension, type)`");
    return s.addType(whole, ast::TypeHole{});
  }
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Rule* argument = arguments[i];
    Token* first = token(argument->children[0]);
    bool isName = first->getType() == AxParser::NAME;
    if (row->arguments[i] == 't' && isName) {
      call.types.push_back(namedType(s, argument));
      depth = std::max(depth, s.depthOf(call.types.back()));
    } else if (row->arguments[i] == 'd' && count(argument) == 1) {
      call.dims.push_back(isName ? s.addDim(s.span(argument), ast::DimName{s.text(first)}) : dimNumber(s, first));
    } else {
      s.error(isName ? dimensionArgument : typeArgument, s.span(argument));
    }
  }
  return s.addType(whole, std::move(call), depth);
}

// Reads the type of a name with its suffix; also a type function's argument.
ast::TypeId namedType(State& s, Rule* context) {
  Token* first = token(context->children[0]);
  Span whole = s.span(context);
  if (count(context) == 1) {
    std::string written = s.text(first);
    if (elemNamed(written)) return s.addType(whole, ast::TypeTensor{std::move(written), whole, {}});
    return s.addType(whole, ast::TypeName{std::move(written)});
  }
  Rule* tail = rule(context->children[1]);
  if (tail->getRuleIndex() == AxParser::RuleTypeTail) {
    if (tokenIf(tail->children[0]) != nullptr) return typeCall(s, first, tail, whole);
    tail = rule(tail->children[0]);
  }
  return s.addType(whole, ast::TypeTensor{s.text(first), s.span(first), shape(s, tail)});
}

ast::TypeId parenthesisedType(State& s, Rule* context) {
  std::vector<Rule*> parts = s.items(context, 1, count(context) - 1, "a type");
  Rule* where = nullptr;
  if (!parts.empty() && parts.back()->getRuleIndex() == AxParser::RuleWhereClause) {
    where = parts.back();
    parts.pop_back();
  }
  if (const auto named = std::ranges::find_if(parts, isNamed); named != parts.end())
    s.error(namesInTuple, s.span(token((*named)->children[0])));
  ast::TypeTuple tuple;
  std::uint32_t depth = 0;
  for (Rule* part : parts) {
    tuple.parts.push_back(typeOf(s, typeIn(part)));
    depth = std::max(depth, s.depthOf(tuple.parts.back()));
  }
  if (where != nullptr) {
    auto* function =
        tuple.parts.size() == 1 ? std::get_if<ast::TypeFunction>(&s.module.types[tuple.parts[0].index].node) : nullptr;
    std::vector<ast::Fact> stated = facts(s, where);
    if (function != nullptr)
      function->where = std::move(stated);
    else
      s.error(whereWithoutFunction, s.span(where));
  }
  if (tuple.parts.size() == 1) return tuple.parts[0];
  return s.addType(s.span(context), std::move(tuple), depth);
}

ast::TypeId simpleType(State& s, Rule* context) {
  Token* first = token(context->children[0]);
  switch (first->getType()) {
    case AxParser::LPAREN:
      return parenthesisedType(s, context);
    case AxParser::HOLE:
      return s.addType(s.span(context), ast::TypeHole{});
    case AxParser::PACK: {
      requireOp(s, s.span(first), "a pack");
      Token* elem = token(context->children[1]);
      ast::ShapeId sizes = shape(s, rule(context->children[2]));
      return s.addType(s.span(context), ast::TypeTensor{s.text(elem), s.span(elem), sizes, true});
    }
    default:
      return namedType(s, context);
  }
}

// Reads a relation between sizes, or an equation of shapes.
std::variant<ast::FactRelation, ast::FactShapes> relationFact(State& s, Rule* context) {
  if (count(context) > 3) {
    s.error(comparisonsChain, s.span(token(context->children[3])))
        .addLabel(s.span(token(context->children[1])), "the first one")
        .addHelp("state two facts with `,` between them");
  }
  Rule *left = rule(context->children[0]), *right = rule(context->children[2]);
  const ast::Relation how = relation(type(context->children[1]));
  const bool isLeftShape = isShapeSide(s, left);
  if (!isLeftShape && !isShapeSide(s, right)) {
    const ast::DimId leftDim = dimOfArgument(s, left);
    return ast::FactRelation{how, leftDim, dimOfArgument(s, right)};
  }
  if (how != ast::Relation::eq) s.error(shapesCompared, s.span(isLeftShape ? left : right));
  const ast::ShapeId leftShape = shape(s, left);
  return ast::FactShapes{leftShape, shape(s, right)};
}

void fact(State& s, Rule* context, std::vector<ast::Fact>& made) {
  Span whole = s.span(context);
  Token* subject = tokenIf(context->children[0]);
  auto add = [&](auto node) {
    ast::Fact& fact = made.emplace_back();
    fact.span = whole;
    fact.node = std::move(node);
  };
  if (subject == nullptr) {
    std::visit(add, relationFact(s, context));
  } else if (count(context) == 3) {
    add(ast::FactClass{s.text(subject), s.text(token(context->children[2]))});
  } else if (Token* one = token(context->children[2]); s.text(one) == "1") {
    add(ast::FactStretch{s.text(subject), dim(s, rule(context->children[4]))});
  } else {
    const std::string name = s.text(subject);
    s.error(stretchNotOne, s.span(one))
        .addHelp("{} says that a size of 1 stretches to m, as in a broadcast", arg::Code{name + " : 1 or m"})
        .addHelp("for a size within bounds write {}", arg::Code{"where " + name + " >= 3, " + name + " <= 4"});
  }
}

}  // namespace

ast::TypeId typeOf(State& s, Rule* context) {
  ast::TypeId result = simpleType(s, rule(context->children.back()));
  // `a -> b -> c` is `a -> (b -> c)`; the left side of an arrow is a list in parentheses.
  for (std::size_t i = count(context) - 1; i >= 2; i -= 2) {
    Rule* list = rule(context->children[i - 2]);
    Span whole{s.module.source, s.span(list).begin, s.module.types[result.index].span.end};
    if (type(list->children[0]) != AxParser::LPAREN) {
      s.error(bareParameters, s.span(list))
          .addHelp("write {}", arg::Code{"(" + std::string(s.view(s.span(list))) + ") -> ..."});
      return s.addType(whole, ast::TypeHole{});
    }
    ast::TypeFunction function{{}, result, {}};
    std::uint32_t depth = s.depthOf(result);
    for (Rule* item : s.items(list, 1, count(list) - 1, "a type")) {
      if (item->getRuleIndex() == AxParser::RuleWhereClause) {
        s.error(whereAmongParameters, s.span(item));
        continue;
      }
      function.parameters.push_back(typeOf(s, typeIn(item)));
      depth = std::max(depth, s.depthOf(function.parameters.back()));
    }
    result = s.addType(whole, std::move(function), depth);
  }
  return result;
}

std::vector<ast::Fact> facts(State& s, Rule* whereClause) {
  std::vector<ast::Fact> made;
  for (std::size_t i = 1; i < count(whereClause); i += 2) fact(s, rule(whereClause->children[i]), made);
  return made;
}

void requireOp(State& s, Span span, Format<> what) {
  if (!s.inOp) s.error(outsideOfOp, span, what);
}

ast::TypeId typeOnly(State& s, AxParser::TypeOnlyContext* context) { return typeOf(s, rule(context->children[0])); }

void factOnly(State& s, AxParser::FactOnlyContext* context, std::vector<ast::Fact>& made) {
  fact(s, rule(context->children[0]), made);
}

}  // namespace axle::transform
