#include <algorithm>

#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle {

using grammar::AxParser;

namespace {

ast::DimOp dimOperator(std::size_t token) {
  switch (token) {
    case AxParser::PLUS:
      return ast::DimOp::add;
    case AxParser::MINUS:
      return ast::DimOp::sub;
    case AxParser::STAR:
      return ast::DimOp::mul;
    case AxParser::SLASH:
      return ast::DimOp::div;
    default:
      return ast::DimOp::mod;
  }
}

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

// The functions over dimensions that programs may use; the others stand in `op` declarations only.
struct DimFunction {
  std::string_view name;
  ast::DimOp op;
};
constexpr DimFunction dimFunctions[] = {
    {"max", ast::DimOp::max},
    {"min", ast::DimOp::min},
    {"ceildiv", ast::DimOp::ceildiv},
};

// Which arguments of a type function are types ('t') and which are dimensions ('d').
struct TypeFunction {
  std::string_view name;
  std::string_view arguments;
};
constexpr TypeFunction typeFunctions[] = {
    {"collect", "td"},
    {"repeat", "dt"},
};

}  // namespace

bool Transform::allowedInOpOnly(Span span, std::string_view what) {
  if (inOp_) return true;
  error(codes::onlyInOp, span, std::string(what) + " outside of an `op` declaration",
        "only core operators are declared with these");
  return false;
}

// ---- types

ast::TypeId Transform::typeOf(Rule* context) {
  ast::TypeId result = simpleType(rule(context->children.back()));
  // `a -> b -> c` is `a -> (b -> c)`; what stands before an arrow is a list in parentheses.
  for (std::size_t i = count(context) - 1; i >= 2; i -= 2) {
    Rule* list = rule(context->children[i - 2]);
    Span whole{module_.source, span(list).begin, module_.types[result.index].span.end};
    if (type(list->children[0]) != AxParser::LPAREN) {
      Diagnostic& d = error(codes::syntax, span(list), "a function type's parameters stand in parentheses");
      d.help.push_back("write `(" + std::string(view(span(list))) + ") -> ...`");
      return addType(whole, ast::TypeHole{});
    }
    ast::TypeFunction function{{}, result, {}};
    std::uint32_t depth = depthOf(result);
    for (Rule* item : items(list, 1, count(list) - 1, "a type")) {
      if (item->getRuleIndex() == AxParser::RuleWhereClause) {
        error(codes::misplacedWhere, span(item), "`where` among a function type's parameters",
              "facts stand behind the result");
        continue;
      }
      function.parameters.push_back(typeOf(item));
      depth = std::max(depth, depthOf(function.parameters.back()));
    }
    result = addType(whole, std::move(function), depth);
  }
  return result;
}

ast::TypeId Transform::simpleType(Rule* context) {
  Token* first = token(context->children[0]);
  switch (first->getType()) {
    case AxParser::LPAREN:
      return parenthesisedType(context);
    case AxParser::HOLE:
      return addType(span(context), ast::TypeHole{});
    case AxParser::PACK: {
      allowedInOpOnly(span(first), "a pack");
      Token* elem = token(context->children[1]);
      return addType(span(context), ast::TypeTensor{text(elem), span(elem), shape(rule(context->children[2])), true});
    }
    default:
      return namedType(context);
  }
}

ast::TypeId Transform::parenthesisedType(Rule* context) {
  std::vector<Rule*> parts = items(context, 1, count(context) - 1, "a type");
  Rule* where = nullptr;
  if (!parts.empty() && parts.back()->getRuleIndex() == AxParser::RuleWhereClause) {
    where = parts.back();
    parts.pop_back();
  }
  ast::TypeTuple tuple;
  std::uint32_t depth = 0;
  for (Rule* part : parts) {
    tuple.parts.push_back(typeOf(part));
    depth = std::max(depth, depthOf(tuple.parts.back()));
  }
  if (where != nullptr) {
    auto* function =
        tuple.parts.size() == 1 ? std::get_if<ast::TypeFunction>(&module_.types[tuple.parts[0].index].node) : nullptr;
    std::vector<ast::Fact> stated = facts(where);
    if (function != nullptr)
      function->where = std::move(stated);
    else
      error(codes::misplacedWhere, span(where), "`where` at a type that is no function's",
            "facts follow a whole signature");
  }
  if (tuple.parts.size() == 1) return tuple.parts[0];
  return addType(span(context), std::move(tuple), depth);
}

ast::TypeId Transform::namedType(Rule* context) {
  Token* first = token(context->children[0]);
  Span whole = span(context);
  if (count(context) == 1) {
    std::string written = text(first);
    if (elemNamed(written)) return addType(whole, ast::TypeTensor{std::move(written), whole, {}});
    return addType(whole, ast::TypeName{std::move(written)});
  }
  Rule* tail = rule(context->children[1]);
  if (tokenIf(tail->children[0]) != nullptr) return typeCall(first, tail, whole);
  return addType(whole, ast::TypeTensor{text(first), span(first), shape(rule(tail->children[0]))});
}

ast::TypeId Transform::typeCall(Token* function, Rule* tail, Span whole) {
  ast::TypeCall call{text(function), {}, {}};
  if (!allowedInOpOnly(whole, "a type function")) return addType(whole, ast::TypeHole{});
  const auto* row = std::find_if(std::begin(typeFunctions), std::end(typeFunctions),
                                 [&](const TypeFunction& f) { return f.name == call.function; });
  std::vector<Rule*> arguments = items(tail, 1, count(tail) - 1, "a type");
  if (row == std::end(typeFunctions) || row->arguments.size() != arguments.size()) {
    Diagnostic& d = error(codes::badOp, whole, "unknown type function `" + call.function + "`");
    d.help.emplace_back("type functions are `collect(type, dimension)` and `repeat(dimension, type)`");
    return addType(whole, ast::TypeHole{});
  }
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Rule* inner = rule(arguments[i]->children[0]);
    bool isType = inner->getRuleIndex() == AxParser::RuleType;
    if (row->arguments[i] == 't' && isType) {
      call.types.push_back(typeOf(inner));
      depth = std::max(depth, depthOf(call.types.back()));
    } else if (row->arguments[i] == 'd' && !isType) {
      call.dims.push_back(dim(inner));
    } else if (row->arguments[i] == 'd' && inner->start == inner->stop) {
      call.dims.push_back(addDim(span(inner), ast::DimName{text(inner->start)}));
    } else {
      error(codes::badOp, span(inner), isType ? "expected a dimension" : "expected a type");
    }
  }
  return addType(whole, std::move(call), depth);
}

// ---- shapes

ast::ShapeId Transform::shape(Rule* context) {
  ast::ShapeBroadcast broadcast;
  for (std::size_t i = 0; i < count(context); i += 2) {
    Rule* append = rule(context->children[i]);
    ast::ShapeAppend parts;
    for (std::size_t j = 0; j < count(append); j += 2) parts.parts.push_back(shapePart(rule(append->children[j])));
    broadcast.parts.push_back(parts.parts.size() == 1 ? parts.parts[0] : addShape(span(append), std::move(parts)));
  }
  return broadcast.parts.size() == 1 ? broadcast.parts[0] : addShape(span(context), std::move(broadcast));
}

ast::ShapeId Transform::shapePart(Rule* context) {
  Token* first = token(context->children[0]);
  Span whole = span(context);
  switch (first->getType()) {
    case AxParser::LBRACK: {
      ast::ShapeDims dims;
      for (Rule* item : items(context, 1, count(context) - 1, "a dimension")) dims.dims.push_back(listedDim(item));
      return addShape(whole, std::move(dims));
    }
    case AxParser::QUESTION:
      return addShape(whole, ast::ShapeRuntime{text(token(context->children[1]))});
    case AxParser::PACK:
      allowedInOpOnly(whole, "a pack");
      return addShape(whole, ast::ShapePack{text(token(context->children[1]))});
    case AxParser::LPAREN:
      return shape(rule(context->children[1]));
    default:
      break;
  }
  if (count(context) > 1) return shapeCall(context);
  return addShape(whole, ast::ShapeName{text(first)});
}

ast::ShapeId Transform::shapeCall(Rule* context) {
  ast::ShapeCall call{text(token(context->children[0])), {}};
  allowedInOpOnly(span(context), "a shape function");
  for (Rule* argument : items(context, 2, count(context) - 1, "a shape")) call.arguments.push_back(shape(argument));
  return addShape(span(context), std::move(call));
}

// ---- dimensions

ast::DimId Transform::listedDim(Rule* context) {
  if (tokenIf(context->children[0]) == nullptr) return dim(rule(context->children[0]));
  return addDim(span(context), ast::DimRagged{count(context) > 1 ? text(token(context->children[1])) : std::string()});
}

ast::DimId Transform::dim(Rule* context) {
  while (count(context) == 1 && context->getRuleIndex() != AxParser::RuleDimPrimary &&
         tokenIf(context->children[0]) == nullptr)
    context = rule(context->children[0]);
  switch (context->getRuleIndex()) {
    case AxParser::RuleDim:
    case AxParser::RuleDimProduct:
      return dimChain(context);
    case AxParser::RuleDimPrefix:
      return dimPrefix(context);
    case AxParser::RulePrefixForm:
      return prefixForm(context);
    default:
      return dimPrimary(context);
  }
}

ast::DimId Transform::binaryDim(ast::DimOp op, ast::DimId left, ast::DimId right, Span whole) {
  return addDim(whole, ast::DimBinary{op, left, right}, std::max(depthOf(left), depthOf(right)));
}

ast::DimId Transform::dimChain(Rule* context) {
  ast::DimId left = dim(rule(context->children[0]));
  for (std::size_t i = 1; i + 1 < count(context); i += 2) {
    ast::DimId right = dim(rule(context->children[i + 1]));
    left =
        binaryDim(dimOperator(type(context->children[i])), left, right, join(module_[left].span, module_[right].span));
  }
  return left;
}

ast::DimId Transform::dimPrefix(Rule* context) {
  std::size_t last = count(context) - 1;
  ast::DimId operand = dim(rule(context->children[last]));
  for (std::size_t i = last; i-- > 0;) {
    Span whole = join(span(token(context->children[i])), module_[operand].span);
    operand = addDim(whole, ast::DimNegate{operand}, depthOf(operand));
  }
  return operand;
}

ast::DimId Transform::prefixForm(Rule* context) {
  ast::DimId left = dim(rule(context->children[1]));
  ast::DimId right = dim(rule(context->children[2]));
  return binaryDim(dimOperator(type(context->children[0])), left, right, span(context));
}

ast::DimId Transform::dimPrimary(Rule* context) {
  Token* first = token(context->children[0]);
  Span whole = span(context);
  auto second = [&] { return text(token(context->children[1])); };
  switch (first->getType()) {
    case AxParser::NUMBER:
      return dimNumber(first);
    case AxParser::HOLE:
      return addDim(whole, ast::DimHole{});
    case AxParser::QUESTION:
      return addDim(whole, ast::DimRuntime{second()});
    case AxParser::PACK:
      allowedInOpOnly(whole, "a pack");
      return addDim(whole, ast::DimPack{second()});
    case AxParser::TILDE: {
      bool named = count(context) == 2;
      ast::DimId inner =
          named ? addDim(span(token(context->children[1])), ast::DimName{second()}) : dim(rule(context->children[2]));
      return addDim(whole, ast::DimStreamed{inner}, depthOf(inner));
    }
    case AxParser::LPAREN:
      return dim(rule(context->children[1]));
    default:
      return namedDim(context);
  }
}

ast::DimId Transform::dimNumber(Token* literal) {
  ast::ExprNumber read{};
  NumberProblem problem = readNumber(view(span(literal)), read);
  if (problem.message.empty() && (read.form != ast::NumberForm::integer || read.isFloat || read.suffix))
    problem = {"a dimension is a whole number", ""};
  if (!problem.message.empty()) {
    error(codes::badNumber, span(literal), std::move(problem.message));
    return addDim(span(literal), ast::DimHole{});
  }
  return addDim(span(literal), ast::DimInt{read.integer});
}

ast::DimId Transform::namedDim(Rule* context) {
  Span whole = span(context);
  std::string written = text(token(context->children[0]));
  if (count(context) == 1) return addDim(whole, ast::DimName{std::move(written)});
  if (type(context->children[1]) == AxParser::LBRACK) {
    ast::DimId index = dim(rule(context->children[2]));
    allowedInOpOnly(whole, "an attribute");
    return addDim(whole, ast::DimAttribute{std::move(written), index}, depthOf(index));
  }
  std::vector<Rule*> arguments = items(context, 2, count(context) - 1, "a dimension");
  if (written == "rank" || written == "size") {
    if (arguments.size() == 1) return addDim(whole, ast::DimOfShape{written == "rank", shapeArgument(arguments[0])});
    error(codes::syntax, whole, "`" + written + "` takes one shape");
    return addDim(whole, ast::DimHole{});
  }
  std::vector<ast::DimId> dims;
  std::uint32_t depth = 0;
  for (Rule* argument : arguments) {
    dims.push_back(dimOfArgument(argument));
    depth = std::max(depth, depthOf(dims.back()));
  }
  for (const DimFunction& function : dimFunctions) {
    if (function.name != written) continue;
    if (dims.size() == 2) return binaryDim(function.op, dims[0], dims[1], whole);
    error(codes::syntax, whole, "`" + written + "` takes two dimensions");
    return addDim(whole, ast::DimHole{});
  }
  if (!inOp_) {
    Diagnostic& d = error(codes::onlyInOp, whole, "unknown dimension function `" + written + "`");
    d.help.emplace_back("functions of dimensions are `max`, `min`, `ceildiv`, `rank` and `size`");
    return addDim(whole, ast::DimHole{});
  }
  return addDim(whole, ast::DimCall{std::move(written), std::move(dims)}, depth);
}

// An argument that the grammar read as a dimension, where a shape is wanted: a name, `?s`, or a shape function.
ast::ShapeId Transform::shapeArgument(Rule* argument) {
  Rule* inner = rule(argument->children[0]);
  if (inner->getRuleIndex() == AxParser::RuleShape) return shape(inner);
  Span whole = span(argument);
  Rule* found = soleRule(inner, AxParser::RuleDimPrimary);
  if (found != nullptr) {
    Token* first = token(found->children[0]);
    if (first->getType() == AxParser::NAME && count(found) == 1) return addShape(whole, ast::ShapeName{text(first)});
    if (first->getType() == AxParser::QUESTION)
      return addShape(whole, ast::ShapeRuntime{text(token(found->children[1]))});
    if (first->getType() == AxParser::PACK) {
      allowedInOpOnly(whole, "a pack");
      return addShape(whole, ast::ShapePack{text(token(found->children[1]))});
    }
    if (first->getType() == AxParser::NAME && type(found->children[1]) == AxParser::LPAREN &&
        allowedInOpOnly(whole, "a shape function")) {
      ast::ShapeCall call{text(first), {}};
      for (Rule* each : items(found, 2, count(found) - 1, "a shape")) call.arguments.push_back(shapeArgument(each));
      return addShape(whole, std::move(call));
    }
  }
  error(codes::syntax, whole, "expected a shape", "this is a dimension");
  return addShape(whole, ast::ShapeName{std::string(view(whole))});
}

ast::DimId Transform::dimOfArgument(Rule* argument) {
  Rule* inner = rule(argument->children[0]);
  if (inner->getRuleIndex() == AxParser::RuleDim) return dim(inner);
  error(codes::syntax, span(argument), "expected a dimension", "this is a shape");
  return addDim(span(argument), ast::DimHole{});
}

// ---- facts

std::vector<ast::Fact> Transform::facts(Rule* whereClause) {
  std::vector<ast::Fact> made;
  for (std::size_t i = 1; i < count(whereClause); i += 2) fact(rule(whereClause->children[i]), made);
  return made;
}

ast::FactRelation Transform::relationFact(Rule* context) {
  if (count(context) > 3) {
    Diagnostic& d = error(codes::chainedComparison, span(token(context->children[3])), "comparisons do not chain",
                          "a second comparison");
    d.secondary.push_back({span(token(context->children[1])), "the first one"});
    d.help.emplace_back("state two facts with `,` between them");
  }
  ast::DimId left = dim(rule(context->children[0]));
  ast::DimId right = dim(rule(context->children[2]));
  return {relation(type(context->children[1])), left, right};
}

void Transform::factOnly(AxParser::FactOnlyContext* context, std::vector<ast::Fact>& made) {
  fact(rule(context->children[0]), made);
}

void Transform::fact(Rule* context, std::vector<ast::Fact>& made) {
  Span whole = span(context);
  Token* subject = tokenIf(context->children[0]);
  if (subject == nullptr) {
    made.push_back({whole, relationFact(context)});
  } else if (count(context) == 3) {
    made.push_back({whole, ast::FactClass{text(subject), text(token(context->children[2]))}});
  } else if (Token* one = token(context->children[2]); text(one) == "1") {
    made.push_back({whole, ast::FactStretch{text(subject), dim(rule(context->children[4]))}});
  } else {
    error(codes::badFact, span(one), "only 1 stretches").help.push_back("write `" + text(subject) + " : 1 or ...`");
  }
}

}  // namespace axle
