// Lowers elementwise operators, whose operands broadcast. Literals stay scalars if other operands determine the
// result's shape.
#include "ir/lower/pointwise.h"

#include <algorithm>

#include "ir/lower/facts.h"
#include "ir/lower/formula_rules.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

std::optional<Value> lowerPointwise(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = splatArguments(c, a);
  return inputs ? emitPointwise(c, a, core, std::move(*inputs)) : std::nullopt;
}

std::optional<Value> emitPointwise(Context& c, const Application& a, const CoreOperator& core,
                                   std::vector<Tensor> inputs) {
  if (core.formula) return emitElementwiseFormula(c, a, core, std::move(inputs));
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!result) return std::nullopt;
  DimStore& dims = c.dims();
  std::vector<Dim> shape(result->shape.size(), dims.constant(1));
  std::size_t rank = 0;
  for (Tensor& input : inputs) {
    input.splat.reset();
    const std::vector<Dim>& in = fact(c, input).shape;
    rank = std::max(rank, in.size());
    if (in.size() > shape.size()) return reportBug(c, "its shape differs from its operands'", a.span());
    for (std::size_t i = 0; i < in.size(); ++i)
      if (Dim& out = shape[shape.size() - in.size() + i]; dims.asConstant(out) == 1) out = in[i];
  }
  bool complete = rank == shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i)
    complete = complete && (dims.asConstant(shape[i]) != 1 || dims.asConstant(result->shape[i]) == 1);
  if (complete) return toValue(emit(c, core.op, inputs, {}, std::move(*result)));
  Fact narrow{result->elem, std::vector<Dim>(shape.end() - offset(rank), shape.end()), {}};
  std::optional<Tensor> computed = emit(c, core.op, inputs, {}, std::move(narrow));
  if (!computed) return std::nullopt;
  computed->splat = std::move(result->shape);  // all elements are equal along dimensions that only literals have
  return Value{*computed};
}

std::optional<Value> lowerCast(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = splatArguments(c, a);
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!inputs || !result) return std::nullopt;
  Tensor input = inputs->front();
  if (fact(c, input).elem == result->elem) return Value{input};
  std::optional<std::vector<Dim>> splat = std::exchange(input.splat, std::nullopt);
  std::optional<Tensor> cast = emit(c, core.op, {input}, {}, Fact{result->elem, fact(c, input).shape, {}});
  if (cast) cast->splat = std::move(splat);
  return toValue(std::move(cast));
}

std::span<const CoreOperator> pointwiseOperators() {
  struct PointwiseRow {
    std::string_view name;
    Op op;
    std::size_t arity = 0;
  };
  static constexpr PointwiseRow rows[] = {
      {"-", Op::sub, 2},
      {"-", Op::neg, 1},
      {"+", Op::add},
      {"*", Op::mul},
      {"/", Op::div},
      {"%", Op::mod},
      {"<", Op::less},
      {"<=", Op::lessEqual},
      {">", Op::greater},
      {">=", Op::greaterEqual},
      {"==", Op::equal},
      {"!=", Op::notEqual},
      {"and", Op::logicalAnd},
      {"or", Op::logicalOr},
      {"not", Op::logicalNot},
      {"maximum", Op::maximum},
      {"minimum", Op::minimum},
      {"max", Op::maximum},
      {"min", Op::minimum},
      {"pow", Op::pow},
      {"select", Op::select},
      {"exp", Op::exp},
      {"log", Op::log},
      {"sqrt", Op::sqrt},
      {"rsqrt", Op::rsqrt},
      {"tanh", Op::tanh},
      {"sigmoid", Op::sigmoid},
      {"erf", Op::erf},
      {"sin", Op::sin},
      {"cos", Op::cos},
      {"floor", Op::floor},
      {"ceil", Op::ceil},
      {"round", Op::round},
      {"abs", Op::abs},
      {"sign", Op::sign},
      {"relu", Op::relu},
      {"hard_swish", Op::hardSwish},
      {"asin", Op::asin},
      {"acos", Op::acos},
      {"atan", Op::atan},
      {"tan", Op::tan},
      {"sinh", Op::sinh},
      {"cosh", Op::cosh},
      {"asinh", Op::asinh},
      {"acosh", Op::acosh},
      {"atanh", Op::atanh},
      {"log1p", Op::log1p},
      {"expm1", Op::expm1},
      {"log2", Op::log2},
      {"exp2", Op::exp2},
      {"cbrt", Op::cbrt},
      {"trunc", Op::trunc},
      {"atan2", Op::atan2},
      {"bit_not", Op::bitNot},
      {"bit_and", Op::bitAnd},
      {"bit_or", Op::bitOr},
      {"bit_xor", Op::bitXor},
      {"shift_left", Op::shiftLeft},
      {"shift_right", Op::shiftRight},
  };
  static const std::vector<CoreOperator> all = [] {
    std::vector<CoreOperator> made;
    for (const PointwiseRow& row : rows)
      made.push_back({row.name, row.op, lowerPointwise, lowerRaggedPointwise, nullptr, row.arity});
    made.push_back({"cast", Op::cast, lowerCast, lowerCast});
    made.push_back({"bitcast", Op::bitcast, lowerCast, lowerCast});
    return made;
  }();
  return all;
}

}  // namespace axle::ir::lowering
