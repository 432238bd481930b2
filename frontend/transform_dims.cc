#include <algorithm>

#include "frontend/literals.h"
#include "frontend/transform.h"

namespace axle::transform {

using grammar::AxParser;

namespace {

constexpr Message<> shapeExpected{codes::syntax, "expected a shape", "this is a dimension"};
constexpr Message<> dimensionExpected{codes::syntax, "expected a dimension", "this is a shape"};
constexpr Message<> valueOutsideOfCall{codes::syntax, "expected a dimension or a shape",
                                       "only functions of shapes take `true` and `false`"};
constexpr Message<arg::Name> unknownShapeFunction{codes::onlyInOp, "unknown shape function {}"};
constexpr Message<> closerExpected{codes::syntax, "expected `)` before `,`"};
constexpr Message<> operandExpected{codes::syntax, "expected a dimension before `)`"};
constexpr Message<arg::Code> operatorExpected{codes::syntax, "expected an operator before {}"};
constexpr Message<arg::Code> argumentExpected{codes::syntax, "expected a dimension or a shape before {}"};
constexpr Message<arg::Name> takesOneShape{codes::syntax, "{} takes one shape"};
constexpr Message<arg::Name> takesTwoDimensions{codes::syntax, "{} takes two dimensions"};
constexpr Message<arg::Name> unknownDimFunction{codes::onlyInOp, "unknown dimension function {}"};
constexpr Message<> dimensionNotWhole{codes::badNumber, "a dimension is a whole number"};

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

// The functions of dimensions that programs may use; others are only for `op` declarations.
struct DimFunction {
  std::string_view name;
  ast::DimOp op;
};
constexpr DimFunction dimFunctions[] = {
    {"max", ast::DimOp::max},
    {"min", ast::DimOp::min},
    {"ceildiv", ast::DimOp::ceildiv},
};

bool isDimFunction(std::string_view name) {
  return name == "rank" || name == "size" ||
         std::any_of(std::begin(dimFunctions), std::end(dimFunctions),
                     [&](const DimFunction& function) { return function.name == name; });
}

// The functions of shapes that programs may use, with their number of arguments; others are only for `op` declarations.
struct ShapeFunction {
  std::string_view name;
  std::size_t least, most;
  std::string_view example;
};
constexpr ShapeFunction shapeFunctions[] = {
    {"permute", 2, 2, "permute(s, [1, 0])"},
    {"reduce", 3, 3, "reduce(s, [0], false)"},
    {"reshape", 2, 2, "reshape(s, [2, _])"},
    {"swap", 3, 3, "swap(s, 0, -1)"},
    {"move", 3, 3, "move(s, 0, -1)"},
    {"tile", 2, 2, "tile(s, [2, 1])"},
    {"stretch", 2, 2, "stretch(s, [2, 3])"},
    {"pad", 2, 3, "pad(s, [[1, 1], [0, 2]])"},
    {"einsum", 2, SIZE_MAX, "einsum(equation, s, r)"},
};

const ShapeFunction* shapeFunctionNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(shapeFunctions), std::end(shapeFunctions),
                                   [&](const ShapeFunction& function) { return function.name == name; });
  return found == std::end(shapeFunctions) ? nullptr : found;
}

ast::DimId dimPrefix(State& s, Rule* context, std::size_t without = 0);
ast::DimId dimPrimary(State& s, Rule* context, std::size_t without = 0);
ast::DimId dimGroup(State& s, Rule* context);

// Returns an argument's dimension or shape, or the argument itself if it is a truth value or a string.
Rule* withoutCallArgument(Rule* argument) {
  const bool isWrapped = argument->getRuleIndex() == AxParser::RuleCallArgument && !isConstant(argument);
  return isWrapped ? rule(argument->children[0]) : argument;
}

// Returns the arguments in a call's brackets; none if the brackets hold something else.
std::vector<Rule*> argumentsOf(const Rule* group) {
  std::vector<Rule*> found;
  for (std::size_t i = 1; i + 1 < count(group); i += 2) {
    Token* behind = tokenIf(group->children[i + 1]);
    const std::size_t index = rule(group->children[i])->getRuleIndex();
    if (behind == nullptr || (index != AxParser::RuleDimArgument && index != AxParser::RuleCallArgument)) return {};
    found.push_back(withoutCallArgument(rule(group->children[i])));
  }
  return found;
}

// Returns the bracket in `n (m)`; nullptr if there is none.
Rule* bracketBehind(const Rule* primary) {
  if (count(primary) < 2) return nullptr;
  Rule* suffix = rule(primary->children.back());
  return tokenIf(suffix->children[0]) == nullptr ? rule(suffix->children[0]) : nullptr;
}

// Whether an argument can only be a shape.
bool isShape(Rule* argument) {
  while (true) {
    if (isConstant(argument)) return false;
    Rule* append = rule(argument->children[0]);
    if (count(argument) > 1 || count(append) > 1) return true;
    if (rule(append->children[0])->getRuleIndex() == AxParser::RuleDimList) return true;
    Rule* group = soleRule(argument, AxParser::RuleDimGroup);
    if (group == nullptr) return false;
    std::vector<Rule*> inner = argumentsOf(group);
    if (inner.size() != 1) return false;
    argument = inner[0];
  }
}

// ---- dimensions

// Reports two dimensions without an operator between them.
ast::DimId dimExpected(State& s, Rule* found) {
  s.error(operatorExpected, s.span(found->start), arg::Code{s.text(found->start)});
  return s.addDim(s.span(found), ast::DimHole{});
}

ast::DimId binaryDim(State& s, ast::DimOp op, ast::DimId left, ast::DimId right, Span whole) {
  return s.addDim(whole, ast::DimBinary{op, left, right}, std::max(s.depthOf(left), s.depthOf(right)));
}

ast::DimId dimChain(State& s, Rule* context) {
  ast::DimId left = dim(s, rule(context->children[0]));
  for (std::size_t i = 1; i + 1 < count(context); i += 2) {
    ast::DimId right = dim(s, rule(context->children[i + 1]));
    const Span whole = join(s.module[left].span, s.module[right].span);
    left = binaryDim(s, dimOperator(type(context->children[i])), left, right, whole);
  }
  return left;
}

// Reads a dimension with unary minuses, without the last `without` suffixes of its operand.
ast::DimId dimPrefix(State& s, Rule* context, std::size_t without) {
  std::size_t last = count(context) - 1;
  ast::DimId operand = dimPrimary(s, rule(context->children[last]), without);
  for (std::size_t i = last; i-- > 0;) {
    Span whole = join(s.span(token(context->children[i])), s.module[operand].span);
    operand = s.addDim(whole, ast::DimNegate{operand}, s.depthOf(operand));
  }
  return operand;
}

// Reads `(- n m)`, or `(- n (m))` if `operand` is null. Returns nothing for other forms.
ast::DimId minusForm(State& s, Rule* argument, Rule* operand) {
  Rule* found = soleRule(argument, AxParser::RuleDimPrefix);
  if (found == nullptr || count(found) != 2) return {};
  Token* minus = token(found->children[0]);
  Rule* first = rule(found->children[1]);
  if (operand != nullptr) {
    ast::DimId left = dimPrimary(s, first), right = dimPrimary(s, operand);
    return binaryDim(s, ast::DimOp::sub, left, right, join(s.span(minus), s.span(operand)));
  }
  Rule* bracket = bracketBehind(first);
  if (bracket == nullptr) return {};
  Rule* base = rule(first->children[0]);
  bool mayCall = count(first) == 2 && type(base->children[0]) == AxParser::NAME;
  if (mayCall && (s.inOp || isDimFunction(s.view(s.span(base))) || argumentsOf(bracket).size() > 1)) return {};
  s.bracketOperands.insert({minus, bracket->start});
  ast::DimId left = dimPrimary(s, first, 1), right = dimGroup(s, bracket);
  return binaryDim(s, ast::DimOp::sub, left, right, join(s.span(minus), s.span(bracket)));
}

// Reads the contents of `(+ n m)`.
ast::DimId prefixForm(State& s, Rule* group) {
  Rule* context = rule(group->children[1]);
  Token* op = token(context->children[0]);
  Rule* first = rule(context->children[1]);
  ast::DimId left, right;
  if (count(context) > 2) {
    Rule* second = rule(context->children[2]);
    left = dimPrefix(s, first);
    right = second->getRuleIndex() == AxParser::RuleOperand ? dimPrimary(s, second) : dimPrefix(s, second);
  } else if (Rule* bracket = bracketBehind(rule(first->children.back()))) {
    s.bracketOperands.insert(bracket->start);
    left = dimPrefix(s, first, 1);
    right = dimGroup(s, bracket);
  } else {
    s.error(operandExpected, s.span(token(group->children.back())));
    return s.addDim(s.span(context), ast::DimHole{});
  }
  return binaryDim(s, dimOperator(op->getType()), left, right, s.span(context));
}

// Returns the dimension at the beginning of an argument.
Rule* firstDim(Rule* argument) { return rule(rule(argument->children[0])->children[0]); }

// Reads `(n)`, `(+ n m)` or `(- n m)`. Does not read the contents of a call's brackets.
ast::DimId dimGroup(State& s, Rule* context) {
  Rule* inner = rule(context->children[1]);
  if (inner->getRuleIndex() == AxParser::RulePrefixForm) return prefixForm(s, context);
  Token* behind = tokenIf(context->children[2]);
  if (behind != nullptr && behind->getType() == AxParser::COMMA) {
    s.error(closerExpected, s.span(behind));
    return s.addDim(s.span(context), ast::DimHole{});
  }
  Rule* operand = behind == nullptr ? rule(context->children[2]) : nullptr;
  if (ast::DimId form = minusForm(s, inner, operand)) return form;
  return operand == nullptr ? dimOfArgument(s, inner) : dimExpected(s, operand);
}

ast::DimId dimCall(State& s, Token* function, Rule* group, Span whole) {
  std::string written = s.text(function);
  std::vector<Rule*> arguments = argumentsOf(group);
  if (arguments.empty()) {
    Rule* inner = rule(group->children[1]);
    if (inner->getRuleIndex() == AxParser::RuleDimArgument) return dimExpected(s, rule(group->children[2]));
    s.error(argumentExpected, s.span(inner->start), arg::Code{s.text(inner->start)});
    return s.addDim(whole, ast::DimHole{});
  }
  if (written == "rank" || written == "size") {
    if (arguments.size() == 1) return s.addDim(whole, ast::DimOfShape{written == "rank", shape(s, arguments[0])});
    s.error(takesOneShape, whole, arg::Name{written});
    return s.addDim(whole, ast::DimHole{});
  }
  if (!s.inOp && isWindowFunction(written)) return windowCall(s, written, arguments, whole);
  std::vector<ast::DimId> dims;
  std::uint32_t depth = 0;
  for (Rule* argument : arguments) {
    dims.push_back(dimOfArgument(s, argument));
    depth = std::max(depth, s.depthOf(dims.back()));
  }
  for (const DimFunction& function : dimFunctions) {
    if (function.name != written) continue;
    if (dims.size() == 2) return binaryDim(s, function.op, dims[0], dims[1], whole);
    s.error(takesTwoDimensions, whole, arg::Name{written});
    return s.addDim(whole, ast::DimHole{});
  }
  if (!s.inOp) {
    s.error(unknownDimFunction, whole, arg::Name{written})
        .addHelp(
            "functions of dimensions are `max`, `min`, `ceildiv`, `rank`, `size`, `conv_out` and `conv_transpose_out`");
    return s.addDim(whole, ast::DimHole{});
  }
  return s.addDim(whole, ast::DimCall{std::move(written), std::move(dims)}, depth);
}

ast::DimId dimAtom(State& s, Rule* context) {
  Token* first = token(context->children[0]);
  Span whole = s.span(context);
  auto second = [&] { return s.text(token(context->children[1])); };
  switch (first->getType()) {
    case AxParser::NUMBER:
      return dimNumber(s, first);
    case AxParser::HOLE:
      return s.addDim(whole, ast::DimHole{});
    case AxParser::QUESTION:
      return s.addDim(whole, ast::DimRuntime{second()});
    case AxParser::PACK:
      requireOp(s, whole, "a pack");
      return s.addDim(whole, ast::DimPack{second()});
    case AxParser::TILDE: {
      const bool isName = count(context) == 2;
      ast::DimId inner = isName ? s.addDim(s.span(token(context->children[1])), ast::DimName{second()})
                                : dim(s, rule(context->children[2]));
      return s.addDim(whole, ast::DimStreamed{inner}, s.depthOf(inner));
    }
    default:
      return s.addDim(whole, ast::DimName{s.text(first)});
  }
}

// Reads a dimension with its suffixes (only a name may have one), without the last `without`.
ast::DimId dimPrimary(State& s, Rule* context, std::size_t without) {
  Rule* first = rule(context->children[0]);
  std::size_t suffixes = count(context) - 1 - without;
  if (suffixes == 0) return first->getRuleIndex() == AxParser::RuleDimGroup ? dimGroup(s, first) : dimAtom(s, first);
  Token* name = token(first->children[0]);
  bool named = name->getType() == AxParser::NAME;
  if (!named || suffixes > 1) return dimExpected(s, rule(context->children[named ? 2 : 1]));
  Rule* suffix = rule(context->children[1]);
  Span whole = join(s.span(name), s.span(suffix));
  if (tokenIf(suffix->children[0]) == nullptr) return dimCall(s, name, rule(suffix->children[0]), whole);
  ast::DimId index = dim(s, rule(suffix->children[1]));
  return s.addDim(whole, ast::DimAttribute{s.text(name), index}, s.depthOf(index));
}

// Whether an item of a list is itself a list.
bool isListedPair(Rule* listed) {
  return tokenIf(listed->children[0]) == nullptr && rule(listed->children[0])->getRuleIndex() == AxParser::RuleDimList;
}

ast::DimId listedDim(State& s, Rule* context) {
  if (isListedPair(context)) return dimExpected(s, context);
  if (tokenIf(context->children[0]) == nullptr) return dim(s, rule(context->children[0]));
  std::string name = count(context) > 1 ? s.text(token(context->children[1])) : std::string();
  return s.addDim(s.span(context), ast::DimRagged{std::move(name)});
}

// ---- shapes

ast::ShapeId dimList(State& s, Rule* context) {
  ast::ShapeDims dims;
  for (Rule* item : s.items(context, 1, count(context) - 1, "a dimension")) dims.dims.push_back(listedDim(s, item));
  return s.addShape(s.span(context), std::move(dims));
}

// Returns the dimension if an argument can only be a dimension, as in `swap(s, 0, -1)`; otherwise none.
Rule* onlyDim(Rule* argument) {
  if (count(argument) > 1 || isShape(argument)) return nullptr;
  Rule* found = soleRule(argument, AxParser::RuleDimPrimary);
  if (found == nullptr) return firstDim(argument);
  Rule* first = rule(found->children[0]);
  const bool mayBeShape = type(first->children[0]) != AxParser::NUMBER && type(first->children[0]) != AxParser::HOLE;
  return mayBeShape ? nullptr : firstDim(argument);
}

// Reads an argument that is a list of pairs; none for another argument.
ast::ShapeId pairsOf(State& s, Rule* argument) {
  Rule* append = rule(argument->children[0]);
  if (count(argument) > 1 || count(append) > 1) return {};
  Rule* list = rule(append->children[0]);
  if (list->getRuleIndex() != AxParser::RuleDimList) return {};
  std::vector<Rule*> items;
  for (auto* child : list->children)
    if (tokenIf(child) == nullptr) items.push_back(rule(child));
  if (items.empty() || !std::all_of(items.begin(), items.end(), isListedPair)) return {};
  ast::ShapePairs pairs;
  for (Rule* item : items) pairs.pairs.push_back(dimList(s, rule(item->children[0])));
  return s.addShape(s.span(argument), std::move(pairs));
}

ast::ShapeId callArgument(State& s, Rule* argument) {
  if (isConstant(argument)) {
    Token* constant = token(argument->children[0]);
    if (constant->getType() == AxParser::STRING)
      return s.addShape(s.span(argument), ast::ShapeValue{unescaped(s, constant)});
    return s.addShape(s.span(argument), ast::ShapeValue{constant->getType() == AxParser::TRUE});
  }
  if (ast::ShapeId pairs = pairsOf(s, argument)) return pairs;
  if (Rule* number = onlyDim(argument)) return s.addShape(s.span(argument), ast::ShapeValue{dim(s, number)});
  return shape(s, argument);
}

ast::ShapeId shapeCall(State& s, Token* function, Span whole, const std::vector<Rule*>& arguments) {
  ast::ShapeCall call{s.text(function), {}};
  if (!s.inOp) {
    const ShapeFunction* known = shapeFunctionNamed(call.function);
    if (known == nullptr)
      s.error(unknownShapeFunction, whole, arg::Name{call.function})
          .addHelp(
              "functions of shapes are `permute`, `reduce`, `reshape`, `swap`, `move`, `tile`, "
              "`stretch`, `pad` and `einsum`");
    else if (arguments.size() < known->least || arguments.size() > known->most)
      s.error(wrongArguments, whole, arg::Name{call.function}, arg::Code{std::string(known->example)});
  }
  for (Rule* argument : arguments) call.arguments.push_back(callArgument(s, argument));
  return s.addShape(whole, std::move(call));
}

// Reads as a shape an argument that the grammar parsed as a dimension: a name, `?s`, a shape function, a shape in
// brackets.
ast::ShapeId shapeOfDim(State& s, Rule* dim) {
  Span whole = s.span(dim);
  if (Rule* found = soleRule(dim, AxParser::RuleDimPrimary); found != nullptr && count(found) <= 2) {
    Rule* atom = rule(found->children[0]);
    Token* first = token(atom->children[0]);
    bool alone = count(found) == 1;
    if (first->getType() == AxParser::NAME && alone) return s.addShape(whole, ast::ShapeName{s.text(first)});
    if (first->getType() == AxParser::QUESTION && alone)
      return s.addShape(whole, ast::ShapeRuntime{s.text(token(atom->children[1]))});
    if (first->getType() == AxParser::PACK && alone) {
      requireOp(s, whole, "a pack");
      return s.addShape(whole, ast::ShapePack{s.text(token(atom->children[1]))});
    }
    if (first->getType() == AxParser::LPAREN && alone)
      if (std::vector<Rule*> inner = argumentsOf(atom); inner.size() == 1) return shape(s, inner[0]);
    if (first->getType() == AxParser::NAME && !alone)
      if (Rule* group = bracketBehind(found)) return shapeCall(s, first, whole, argumentsOf(group));
  }
  s.error(shapeExpected, whole);
  return s.addShape(whole, ast::ShapeName{std::string(s.view(whole))});
}

ast::ShapeId shapePart(State& s, Rule* context) {
  if (context->getRuleIndex() == AxParser::RuleDim) return shapeOfDim(s, context);
  if (context->getRuleIndex() == AxParser::RuleDimList) return dimList(s, context);
  Token* first = tokenIf(context->children[0]);
  if (first == nullptr) return shapePart(s, rule(context->children[0]));
  Span whole = s.span(context);
  switch (first->getType()) {
    case AxParser::QUESTION:
      return s.addShape(whole, ast::ShapeRuntime{s.text(token(context->children[1]))});
    case AxParser::PACK:
      requireOp(s, whole, "a pack");
      return s.addShape(whole, ast::ShapePack{s.text(token(context->children[1]))});
    case AxParser::LPAREN:
      return shape(s, rule(context->children[1]));
    default:
      break;
  }
  if (count(context) == 1) return s.addShape(whole, ast::ShapeName{s.text(first)});
  std::vector<Rule*> arguments = s.items(context, 2, count(context) - 1, "a shape");
  std::transform(arguments.begin(), arguments.end(), arguments.begin(), withoutCallArgument);
  return shapeCall(s, first, whole, arguments);
}

}  // namespace

ast::DimId dimNumber(State& s, Token* literal) {
  ast::ExprNumber read{};
  std::optional<Diagnostic> problem = readNumber(s.view(s.span(literal)), s.span(literal), read);
  if (!problem && (read.form != ast::NumberForm::integer || read.isFloat || read.suffix))
    problem.emplace(dimensionNotWhole, s.span(literal));
  if (problem) {
    problem->help.clear();  // the help is about numbers in general
    s.error(std::move(*problem));
    return s.addDim(s.span(literal), ast::DimHole{});
  }
  return s.addDim(s.span(literal), ast::DimInt{read.integer});
}

ast::DimId dimOfArgument(State& s, Rule* argument) {
  if (isConstant(argument)) {
    s.error(valueOutsideOfCall, s.span(argument));
    return s.addDim(s.span(argument), ast::DimHole{});
  }
  if (!isShape(argument)) return dim(s, firstDim(argument));
  s.error(dimensionExpected, s.span(argument));
  return s.addDim(s.span(argument), ast::DimHole{});
}

ast::DimId dim(State& s, Rule* context) {
  while (count(context) == 1 && context->getRuleIndex() != AxParser::RuleDimPrimary)
    context = rule(context->children[0]);
  switch (context->getRuleIndex()) {
    case AxParser::RuleDim:
    case AxParser::RuleDimProduct:
      return dimChain(s, context);
    case AxParser::RuleDimPrefix:
      return dimPrefix(s, context);
    default:
      return dimPrimary(s, context);
  }
}

ast::ShapeId shape(State& s, Rule* context) {
  ast::ShapeBroadcast broadcast;
  for (std::size_t i = 0; i < count(context); i += 2) {
    Rule* append = rule(context->children[i]);
    ast::ShapeAppend parts;
    for (std::size_t j = 0; j < count(append); j += 2) parts.parts.push_back(shapePart(s, rule(append->children[j])));
    broadcast.parts.push_back(parts.parts.size() == 1 ? parts.parts[0] : s.addShape(s.span(append), std::move(parts)));
  }
  return broadcast.parts.size() == 1 ? broadcast.parts[0] : s.addShape(s.span(context), std::move(broadcast));
}

bool isShapeSide(State& s, Rule* side) {
  if (isShape(side)) return true;
  Rule* found = soleRule(side, AxParser::RuleDimPrimary);
  Rule* bracket = found != nullptr && count(found) == 2 ? bracketBehind(found) : nullptr;
  return bracket != nullptr && shapeFunctionNamed(s.view(s.span(rule(found->children[0])))) != nullptr;
}

ast::ShapeId shapeOnly(State& s, AxParser::ShapeOnlyContext* context) { return shape(s, rule(context->children[0])); }

}  // namespace axle::transform
