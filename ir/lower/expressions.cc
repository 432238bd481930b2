#include "ir/lower/expressions.h"

#include <cmath>

#include "ir/lower/bodies.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/limits.h"
#include "ir/lower/operators.h"
#include "ir/lower/ragged.h"
#include "typecheck/types/literal_bytes.h"

namespace axle::ir::lowering {

namespace {

constexpr Message<> expressionsTooDeep{codes::inliningTooDeep, "calls and expressions nest too deeply here"};
constexpr Message<arg::Code, arg::ElementType> literalTooLarge{codes::literalOutOfRange, "{} is out of the range of {}",
                                                               "is {1} here"};

std::nullopt_t outOfRange(Context& c, const std::string& number, Elem elem, Span span) {
  return fail(c, Diagnostic(literalTooLarge, span, arg::Code{number}, arg::ElementType{info(elem).name}));
}

std::optional<Value> evalLiteral(Context& c, const TypedExpr& expr, const TypedLiteral& literal,
                                 const Environment& environment) {
  std::optional<Fact> type = factOfType(c, c.solution.resolve(expr.type, environment.substitution), expr.span);
  if (!type) return std::nullopt;
  auto bytes = encodeLiteral(literal.value, type->elem);
  if (!bytes) return outOfRange(c, bytes.error(), type->elem, expr.span);
  Tensor tensor = constantTensor(c, c.model.addConstant(type->elem, {}, std::move(*bytes)));
  if (!type->shape.empty()) tensor.splat = std::move(type->shape);
  return Value{tensor};
}

std::optional<Value> evalDim(Context& c, const TypedExpr& expr, const TypedDim& dim, const Environment& environment) {
  Dim size = c.solution.resolve(dim.dim, environment.substitution);
  if (!checkSizeKnown(c, size, expr.span)) return std::nullopt;
  if (auto number = c.dims().asConstant(size))
    return Value{constantTensor(c, c.model.addConstant(Elem::i64, {}, encodeInteger(*number)))};
  return toValue(emit(c, Op::dims, {}, DimsAttributes{{size}}, Fact{Elem::i64, {}, std::vector<Dim>{size}}));
}

// Whether the span is `rate` in the library's module `audio`, which names the samples per second so.
bool isSampleRate(const Context& c, Span span) {
  return c.sources.path(span.source) == "stdlib/audio.ax" && c.sources.text(span) == "rate";
}

// A static value as a literal; none if it is no scalar.
std::optional<LiteralValue> literalOf(Context& c, const StaticTerm& term) {
  LiteralValue literal;
  if (term.kind == StaticKind::boolean) {
    literal.isBool = true;
    literal.boolean = term.boolean;
    return literal;
  }
  const auto whole = term.kind == StaticKind::dim ? c.dims().asConstant(term.dim) : std::nullopt;
  if (term.kind != StaticKind::real && !whole) return std::nullopt;
  const double number = whole ? static_cast<double>(*whole) : term.real;
  literal.form = std::isinf(number) ? ast::NumberForm::inf : ast::NumberForm::real;
  literal.negative = number < 0;
  literal.real = std::fabs(number);
  return literal;
}

std::optional<Value> evalStatic(Context& c, const TypedExpr& expr, const TypedStatic& given,
                                const Environment& environment) {
  std::optional<Fact> type = factOfType(c, c.solution.resolve(expr.type, environment.substitution), expr.span);
  if (!type) return std::nullopt;
  const StaticTerm& term = c.solution.types[c.solution.resolve(given.value, environment.substitution)];
  const std::optional<LiteralValue> value = literalOf(c, term);
  if (!value) return reportBug(c, "a static parameter is neither a number nor a bool", expr.span);
  if (isSampleRate(c, expr.span)) c.model.sampleRates.insert(value->negative ? -value->real : value->real);
  const LiteralValue& literal = *value;
  auto bytes = encodeLiteral(literal, type->elem);
  if (!bytes) return outOfRange(c, bytes.error(), type->elem, expr.span);
  return Value{constantTensor(c, c.model.addConstant(type->elem, {}, std::move(*bytes)))};
}

std::optional<Value> evalApply(Context& c, const TypedExpr& expr, const TypedApply& apply,
                               const Environment& environment) {
  const OperatorTable::Entry& entry = c.operators[apply.op];
  auto [row, isNew] = c.operatorRows.try_emplace(apply.op, nullptr);
  if (isNew) row->second = findCoreOperator(entry.name, entry.decl->parameters.size());
  if (!row->second) return reportBug(c, "the operator `" + entry.name + "` is not known", expr.span);
  const CoreOperator& core = *row->second;
  Application application{&expr, &apply, environment, c.solution.resolve(expr.type, environment.substitution)};
  if (c.anyRagged && usesRagged(c, application)) {
    if (!core.ragged) return failRagged(c, application, core);
    if (core.ragged != core.lower) return core.ragged(c, application, core);
  }
  if (!preconditionsHold(c, application, entry.name)) return std::nullopt;
  return core.lower(c, application, core);
}

std::optional<Value> evalTuple(Context& c, const TypedTuple& tuple, const Environment& environment) {
  std::vector<Value> parts;
  for (TypedId id : tuple.parts) {
    std::optional<Value> part = eval(c, id, environment);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return tupleOf(std::move(parts));
}

std::optional<Value> evalIf(Context& c, const TypedExpr& expr, const TypedIf& branch, const Environment& environment) {
  std::optional<Value> value = eval(c, branch.condition, environment);
  if (!value) return std::nullopt;
  const Tensor* condition = std::get_if<Tensor>(&value->node);
  if (!condition) return reportBug(c, "the condition is not a tensor", expr.span);
  const Node& producer = c.graphOf(condition->scope).producer(condition->outlet);
  if (producer.op == Op::constant) {
    const Constant& known = c.model[producer.constant];
    if (known.bytes && known.bytes->size() == 1)
      return eval(c, (*known.bytes)[0] != std::byte{0} ? branch.thenValue : branch.elseValue, environment);
  }
  const char* where = "what an `if` gives";
  TypeId type = c.solution.resolve(expr.type, environment.substitution);
  std::vector<Fact> facts;
  if (!factsOf(c, type, facts, expr.span, where)) return std::nullopt;
  auto thenBody =
      buildBody(c, {}, expr.span, where, [&](const auto&) { return eval(c, branch.thenValue, environment); });
  if (!thenBody) return std::nullopt;
  auto elseBody =
      buildBody(c, {}, expr.span, where, [&](const auto&) { return eval(c, branch.elseValue, environment); });
  if (!elseBody) return std::nullopt;
  auto outputs = emitWithBodies(c, Op::branch, {}, {*condition}, {&*thenBody, &*elseBody}, std::move(facts));
  if (!outputs) return std::nullopt;
  std::size_t next = 0;
  return rebuildValue(c, type, *outputs, next);
}

std::optional<Value> evalNode(Context& c, const TypedExpr& expr, TypedId id, const Environment& environment) {
  if (auto* ref = std::get_if<TypedRef>(&expr.node)) return evalRef(c, expr, *ref, environment);
  if (auto* literal = std::get_if<TypedLiteral>(&expr.node)) return evalLiteral(c, expr, *literal, environment);
  if (auto* dim = std::get_if<TypedDim>(&expr.node)) return evalDim(c, expr, *dim, environment);
  if (auto* given = std::get_if<TypedStatic>(&expr.node)) return evalStatic(c, expr, *given, environment);
  if (auto* application = std::get_if<TypedApply>(&expr.node)) return evalApply(c, expr, *application, environment);
  if (auto* call = std::get_if<TypedCall>(&expr.node)) return evalCall(c, expr, *call, environment);
  if (std::holds_alternative<TypedLambda>(expr.node)) return Value{Closure{id, environment}};
  if (auto* block = std::get_if<TypedBlock>(&expr.node)) return evalBlock(c, *block, environment);
  if (auto* tuple = std::get_if<TypedTuple>(&expr.node)) return evalTuple(c, *tuple, environment);
  if (auto* branch = std::get_if<TypedIf>(&expr.node)) return evalIf(c, expr, *branch, environment);
  return evalMatch(c, std::get<TypedMatch>(expr.node), environment);
}

}  // namespace

std::optional<Value> eval(Context& c, TypedId id, const Environment& environment) {
  const TypedExpr& expr = c.program[id];
  if (c.nesting >= c.limits.nesting) return fail(c, Diagnostic(expressionsTooDeep, expr.span));
  ++c.nesting;
  ScopedPush<Span> span(c.spans, expr.span);
  std::optional<Value> value = evalNode(c, expr, id, environment);
  --c.nesting;
  return value;
}

}  // namespace axle::ir::lowering
