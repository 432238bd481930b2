// Reductions, and cumulative operators along an axis.
#include <algorithm>
#include <cmath>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/known_tensor.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::reductions {
namespace {

// If the axes are not known yet, keep_dims determines the rank.
Outcome untilAxesAreKnown(RuleNode& n) {
  auto rank = n.rank(0);
  if (rank && n.flag("keep_dims")) n.giveShape(n.t.shape(unknownSizes(n, *rank)));
  return Outcome::waits;
}

// Types a reduction, whose axes are the second input.
Outcome reduceType(RuleNode& n, std::string_view core) {
  auto axes = n.numbers(1);
  if (!axes && n.fact(1).axesOf && n.fact(1).axesOf == n.in(0))
    return n.give(n.op(core, {n.in(0)}, {{"keep", n.t.boolean(n.flag("keep_dims"))}}));  // all of them
  if (!axes) return untilAxesAreKnown(n);
  return n.give(n.op(core, {n.in(0)}, {{"axis", n.t.list(*axes)}, {"keep", n.t.boolean(n.flag("keep_dims"))}}));
}

Outcome lastAxisType(RuleNode& n, std::string_view core) {
  return n.isTensor(0) ? n.give(n.op(core, {n.in(0)}, {{"axis", n.t.integer(-1)}})) : Outcome::unknown;
}

// Replaces NaN by the worst number, so that it never wins.
std::optional<TypedId> withoutNan(RuleNode& n, std::string_view core) {
  auto elem = elementOf(n.fact(0).type);
  if (!elem || !axle::info(*elem).isFloat) return n.in(0);
  auto isNan = n.op("is_nan", {n.in(0)});
  double worst = core == "argmax" ? -INFINITY : INFINITY;
  return isNan ? n.op("select", {*isNan, n.t.literal(worst, *elem, n.places.op), n.in(0)}) : isNan;
}

// Types argmax or argmin: the axis is the second input, and the result has its own integer type.
Outcome argExtremeType(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto axis = n.number(1);
  if (!axis) {
    auto rank = n.rank(0);
    if (rank && *rank > 0) n.giveShape(n.t.shape(unknownSizes(n, *rank - 1)));
    return Outcome::waits;
  }
  auto numbers = withoutNan(n, core);
  if (!numbers) return Outcome::failed;
  auto found = n.op(core, {*numbers}, {{"axis", n.t.integer(*axis)}});
  if (!found || n.type("output_type") != Type::i32) return n.give(found);
  return n.give(castTo(n, *found, Elem::i32));
}

Outcome cumulativeType(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto axis = n.number(1);
  if (!axis) {
    giveLike(n, 0);
    return Outcome::waits;
  }
  return n.give(n.op(core, {n.in(0)},
                     {{"axis", n.t.integer(*axis)},
                      {"exclusive", n.t.boolean(n.flag("exclusive"))},
                      {"reverse", n.t.boolean(n.flag("reverse"))}}));
}

// ---- values

template <DimOp op>
std::optional<Known> reduced(const RuleNode& n, std::int64_t start) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() > 1 || isReal(n.fact(0).type)) return std::nullopt;
  if (axes->empty() || a->shape.empty()) return a;
  DimStore& dims = n.t.solution().dims;
  std::optional<Dim> total;
  for (Dim d : a->elements) total = total ? dims.apply(op, *total, d) : d;
  if (!total) total = dims.constant(start);
  if (dims.isUndefined(*total)) return std::nullopt;
  return n.flag("keep_dims") ? Known::vector({*total}) : Known::scalar(*total);
}

std::optional<Known> sumValue(const RuleNode& n) { return reduced<DimOp::add>(n, 0); }
std::optional<Known> prodValue(const RuleNode& n) { return reduced<DimOp::mul>(n, 1); }
std::optional<Known> allValue(const RuleNode& n) { return reduced<DimOp::min>(n, 1); }
std::optional<Known> anyValue(const RuleNode& n) { return reduced<DimOp::max>(n, 0); }

std::optional<Known> maxValue(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<DimOp::max>(n, 0) : std::nullopt;
}

std::optional<Known> minValue(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<DimOp::min>(n, 0) : std::nullopt;
}

// Computes the first index of the largest or the smallest element.
template <bool isMax>
std::optional<Known> argExtremeValue(const RuleNode& n) {
  auto a = n.numbers(0);
  if (!a || a->empty() || n.known(0)->shape.size() != 1) return std::nullopt;
  auto at = isMax ? std::max_element(a->begin(), a->end()) : std::min_element(a->begin(), a->end());
  return Known::scalar(n.t.constant(at - a->begin()));
}

// ---- formulas

// Sums in 64 bits, for all element types.
FormulaResults integerMeanFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  auto axes = f.n.numbers(1);
  const Elem elem = f.elem(f.in(0));
  if (!dims || !axes || !info(elem).isInt) return {};
  Dim count = f.dim(1);
  for (std::int64_t axis : *axes) {
    auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims->size()) : axis);
    if (at >= dims->size()) return {};
    count = f.times(count, (*dims)[at]);
  }
  const Elem wide = info(elem).isSigned ? Elem::i64 : Elem::u64;
  Expr total = f.reduce("sum", f.cast(f.in(0), wide), *axes, f.n.flag("keep_dims"));
  Expr divisor = apply("maximum", f.numberOf(count), f.number(1, Elem::i64));
  return {f.cast(quotientTowardsZero(total, f.cast(divisor, wide)), elem)};
}

FormulaResults integerNormFormula(NodeFormula& f) {
  auto axes = f.n.numbers(1);
  Expr x = f.in(0);
  if (!axes || !info(f.elem(x)).isInt) return {};
  Expr total = f.reduce("sum", x * x, *axes, f.n.flag("keep_dims"));
  return {f.cast(apply("floor", apply("sqrt", f.cast(total, Elem::f64))), f.elem(x))};
}

// Computes the logarithm of the cumulative sum of exponentials: each iteration combines each element with the one 1, 2,
// 4, ... positions before it. With `exclusive`, the first result is that of no elements.
FormulaResults cumulativeLogSumExpFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  auto given = f.n.number(1);
  if (!dims || !given) return {};
  const std::int64_t axis = *given < 0 ? *given + std::ssize(*dims) : *given;
  if (axis < 0 || axis >= std::ssize(*dims)) return {};
  const auto at = static_cast<std::size_t>(axis);
  const Dim size = (*dims)[at];
  auto turned = [&](Expr x) { return f.n.flag("reverse") ? f.op("reverse", {x}, {{"axis", f.n.t.integer(axis)}}) : x; };
  Expr place = f.countTo(size), none = f.like(-INFINITY, f.in(0));
  Dims along(dims->size() - at, f.dim(1));
  along[0] = size;
  auto earlier = [&](Expr all, Expr by, Expr otherwise) {
    Expr from = place - by;
    Expr found = f.gather(all, apply("maximum", from, f.like(0, from)), axis);
    return choose(f.shaped(from >= 0.0, along), found, otherwise);
  };
  Expr sum = f.loop(
      {f.number(1, Elem::i64), turned(f.in(0))}, [&](const States& now) { return now[0] < f.numberOf(size); },
      [&](const States& now) {
        return States{now[0] * 2.0, apply("logaddexp", now[1], earlier(now[1], now[0], none))};
      })[1];
  if (f.n.flag("exclusive")) sum = earlier(sum, f.number(1, Elem::i64), none);
  return {turned(sum)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                  type                         value                    formula
    {"Sum",                  {reduceType, "sum"},         sumValue,                byPartsFormula},
    {"Prod",                 {reduceType, "prod"},        prodValue},
    {"Mean",                 {reduceType, "mean"},
                                                         {},                      {byPartsFormula, integerMeanFormula}},
    {"EuclideanNorm",        {reduceType, "l2_norm"},     {},                      integerNormFormula},
    {"Max",                  {reduceType, "amax"},        maxValue},
    {"Min",                  {reduceType, "amin"},        minValue},
    {"All",                  {reduceType, "all"},         allValue},
    {"Any",                  {reduceType, "any"},         anyValue},
    {"Softmax",              {lastAxisType, "softmax"}},
    {"LogSoftmax",           {lastAxisType, "log_softmax"}},
    {"ArgMax",               {argExtremeType, "argmax"},  argExtremeValue<true>},
    {"ArgMin",               {argExtremeType, "argmin"},  argExtremeValue<false>},
    {"Cumsum",               {cumulativeType, "cumsum"},  {},                      byPartsFormula},
    {"Cumprod",              {cumulativeType, "cumprod"}},
    {"CumulativeLogsumexp",  "(t s, i []) -> t s",        {},                      cumulativeLogSumExpFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::reductions
