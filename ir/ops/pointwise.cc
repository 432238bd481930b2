// Pointwise operators: shapes broadcast from the trailing axis, and only sizes of 1 are repeated.
#include <algorithm>

#include "ir/ops/families.h"

namespace axle::ir {

namespace {

tl::expected<std::vector<Dim>, std::string> broadcastShape(const InferContext& c) {
  std::size_t rank = 0;
  for (const Fact& fact : c.inputs) rank = std::max(rank, fact.shape.size());
  std::vector<Dim> shape(rank, c.dims.constant(1));
  for (const Fact& fact : c.inputs)
    for (std::size_t i = 0; i < fact.shape.size(); ++i) {
      Dim& out = shape[rank - fact.shape.size() + i];
      Dim in = fact.shape[i];
      if (c.dims.asConstant(in) == 1) continue;
      if (c.dims.asConstant(out) == 1) {
        out = in;
      } else if (alwaysDiffer(c.dims, out, in)) {
        return doesNotFit("sizes " + c.dims.print(out) + " and " + c.dims.print(in) + " do not broadcast");
      } else if (c.dims.asConstant(in)) {
        out = in;  // a guard makes them equal, and the number is more precise
      }
    }
  return shape;
}

Inferred unary(const InferContext& c) { return one(c.inputs[0].elem, c.inputs[0].shape); }
Inferred castTo(const InferContext& c) { return one(c.declared[0].elem, c.inputs[0].shape); }

bool sameElements(const InferContext& c, std::size_t from) {
  for (const Fact& fact : c.inputs)
    if (&fact - c.inputs.data() >= static_cast<std::ptrdiff_t>(from) && fact.elem != c.inputs[from].elem) return false;
  return true;
}

Inferred broadcasting(const InferContext& c, std::size_t from, std::optional<Elem> elem) {
  if (!sameElements(c, from)) return doesNotFit("operands differ in their element type");
  auto shape = broadcastShape(c);
  if (!shape) return doesNotFit(shape.error());
  return one(elem.value_or(c.inputs[from].elem), std::move(*shape));
}

Inferred binary(const InferContext& c) { return broadcasting(c, 0, std::nullopt); }
Inferred comparison(const InferContext& c) { return broadcasting(c, 0, Elem::boolean); }
Inferred choice(const InferContext& c) {
  if (c.inputs[0].elem != Elem::boolean) return doesNotFit("the condition is not bool");
  return broadcasting(c, 1, std::nullopt);
}

constexpr OpRow unaryRow(Op op, std::string_view name) {
  return {op, name, {1, 1}, {1, 1}, {}, 0, always, unary, flopsOfOutput};
}
constexpr OpRow binaryRow(Op op, std::string_view name, Folding folding = always) {
  return {op, name, {2, 2}, {1, 1}, {}, 0, folding, binary, flopsOfOutput};
}
constexpr OpRow comparisonRow(Op op, std::string_view name) {
  return {op, name, {2, 2}, {1, 1}, {}, 0, always, comparison, flopsOfOutput};
}

}  // namespace

std::span<const OpRow> pointwiseOps() {
  // clang-format off
  static constexpr OpRow rows[] = {
      unaryRow(Op::neg, "NEG"),
      unaryRow(Op::logicalNot, "NOT"),
      unaryRow(Op::exp, "EXP"),
      unaryRow(Op::log, "LOG"),
      unaryRow(Op::sqrt, "SQRT"),
      unaryRow(Op::tanh, "TANH"),
      unaryRow(Op::sigmoid, "SIGMOID"),
      unaryRow(Op::abs, "ABS"),
      unaryRow(Op::erf, "ERF"),
      unaryRow(Op::rsqrt, "RSQRT"),
      unaryRow(Op::floor, "FLOOR"),
      unaryRow(Op::ceil, "CEIL"),
      unaryRow(Op::round, "ROUND"),
      unaryRow(Op::sign, "SIGN"),
      unaryRow(Op::relu, "RELU"),
      unaryRow(Op::sin, "SIN"),
      unaryRow(Op::cos, "COS"),
      {Op::cast, "CAST", {1, 1}, {1, 1}, {}, 0, always, castTo, noFlops},
      binaryRow(Op::add, "ADD"),
      binaryRow(Op::sub, "SUB"),
      binaryRow(Op::mul, "MUL"),
      binaryRow(Op::div, "DIV", checked),
      binaryRow(Op::mod, "MOD", checked),
      binaryRow(Op::maximum, "MAXIMUM"),
      binaryRow(Op::minimum, "MINIMUM"),
      binaryRow(Op::pow, "POW", checked),
      comparisonRow(Op::less, "LESS"),
      comparisonRow(Op::lessEqual, "LESS_EQUAL"),
      comparisonRow(Op::greater, "GREATER"),
      comparisonRow(Op::greaterEqual, "GREATER_EQUAL"),
      comparisonRow(Op::equal, "EQUAL"),
      comparisonRow(Op::notEqual, "NOT_EQUAL"),
      binaryRow(Op::logicalAnd, "AND"),
      binaryRow(Op::logicalOr, "OR"),
      unaryRow(Op::asin, "ASIN"),
      unaryRow(Op::acos, "ACOS"),
      unaryRow(Op::atan, "ATAN"),
      unaryRow(Op::tan, "TAN"),
      unaryRow(Op::sinh, "SINH"),
      unaryRow(Op::cosh, "COSH"),
      unaryRow(Op::asinh, "ASINH"),
      unaryRow(Op::acosh, "ACOSH"),
      unaryRow(Op::atanh, "ATANH"),
      unaryRow(Op::log1p, "LOG1P"),
      unaryRow(Op::expm1, "EXPM1"),
      unaryRow(Op::log2, "LOG2"),
      unaryRow(Op::exp2, "EXP2"),
      unaryRow(Op::cbrt, "CBRT"),
      unaryRow(Op::trunc, "TRUNC"),
      unaryRow(Op::bitNot, "BIT_NOT"),
      {Op::bitcast, "BITCAST", {1, 1}, {1, 1}, {}, 0, always, castTo, noFlops},
      binaryRow(Op::atan2, "ATAN2"),
      binaryRow(Op::bitAnd, "BIT_AND"),
      binaryRow(Op::bitOr, "BIT_OR"),
      binaryRow(Op::bitXor, "BIT_XOR"),
      binaryRow(Op::shiftLeft, "SHIFT_LEFT"),
      binaryRow(Op::shiftRight, "SHIFT_RIGHT"),
      {Op::select, "SELECT", {3, 3}, {1, 1}, {}, 0, always, choice, flopsOfOutput},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir
