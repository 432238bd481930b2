// Values of elementwise operators: integers, sizes, and a few reals.
#include <algorithm>
#include <cmath>
#include <functional>

#include "import/tensorflow/operators/elementwise.h"
#include "import/tensorflow/operators/known_tensor.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::elementwise {
namespace {

// Whether the elements are floats that are not followed: only f32 and f64 are.
bool ofOtherFloats(const RuleNode& n) {
  auto elem = elementOf(n.fact(0).type);
  return elem && axle::info(*elem).isFloat && !isReal(n.fact(0).type);
}

}  // namespace

std::optional<Known> castValue(const RuleNode& n) {
  auto from = n.type("SrcT"), to = n.type("DstT");
  DimStore& dims = n.t.solution().dims;
  auto isWide = [](std::optional<Type> type) { return type == Type::i32 || type == Type::i64; };
  auto value = n.known(0);
  if (!value || !to) return std::nullopt;
  if (auto given = realNumbers(*value, dims)) {
    constexpr double mostFit = 1 << 30;  // types convert larger numbers differently
    for (std::size_t i = 0; i < given->size(); ++i) {
      const double number = (*given)[i];
      if (!isReal(*to) && !(isWide(to) && std::abs(number) < mostFit)) return std::nullopt;
      value->elements[i] =
          isReal(*to) ? realElement(number, *to, dims) : dims.constant(static_cast<std::int64_t>(number));
    }
    return value;
  }
  auto given = wholeNumbers(*value, dims);
  if (isReal(*to)) {
    if (!given || value->count() > mostReals) return std::nullopt;
    for (std::size_t i = 0; i < given->size(); ++i)
      value->elements[i] = realElement(static_cast<double>((*given)[i]), *to, dims);
    return value;
  }
  return isWide(to) && (isWide(from) || given) ? value : std::nullopt;
}

// ---- two operands

namespace {

// Applies `f` to two operands of known shapes, which broadcast.
std::optional<Known> pointwise(const RuleNode& n, const std::function<std::optional<Dim>(Dim, Dim)>& f) {
  auto a = n.known(0), b = n.known(1);
  if (!a || !b || ofOtherFloats(n)) return std::nullopt;
  std::vector<std::int64_t> shape(std::max(a->shape.size(), b->shape.size()));
  auto size = [&](const Known& k, std::size_t axis) {
    std::size_t missing = shape.size() - k.shape.size();
    return axis < missing ? 1 : k.shape[axis - missing];
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t x = size(*a, axis), y = size(*b, axis);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    shape[axis] = x == 1 ? y : x;
  }
  if (countOf(shape) > mostKnown) return std::nullopt;
  Known out{shape, {}};
  for (std::int64_t i = 0; i < countOf(shape); ++i) {
    auto at = [&](const Known& k) {
      std::int64_t rest = i, offset = 0, stride = 1;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        std::int64_t index = rest % shape[axis], length = size(k, axis);
        rest /= shape[axis];
        if (length != 1) offset += index * stride;
        stride *= length;
      }
      return k.elements[static_cast<std::size_t>(offset)];
    };
    auto value = f(at(*a), at(*b));
    if (!value || n.t.solution().dims.isUndefined(*value)) return std::nullopt;
    out.elements.push_back(*value);
  }
  return out;
}

using OfReals = double (*)(double, double);
double sumOf(double a, double b) { return a + b; }
double differenceOf(double a, double b) { return a - b; }
double productOf(double a, double b) { return a * b; }
double quotientOf(double a, double b) { return a / b; }
double largerOf(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smallerOf(double a, double b) { return std::isnan(a) || a < b ? a : b; }

// Computes reals in f64 and rounds to the element's precision: for a single sum, product or quotient of f32 this gives
// the result of f32.
template <OfReals f>
std::optional<Known> realArithmetic(const RuleNode& n) {
  if (!isReal(n.fact(0).type)) return std::nullopt;
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    DimStore& dims = n.t.solution().dims;
    auto x = realOf(a, dims), y = realOf(b, dims);
    return x && y ? std::optional(realElement(f(*x, *y), n.fact(0).type, dims)) : std::nullopt;
  });
}

template <DimOp op>
std::optional<Known> arithmetic(const RuleNode& n) {
  if (isReal(n.fact(0).type)) return std::nullopt;
  return pointwise(n, [&](Dim a, Dim b) { return std::optional(n.t.solution().dims.apply(op, a, b)); });
}

template <DimOp op, OfReals ofReal>
std::optional<Known> arithmetic(const RuleNode& n) {
  return isReal(n.fact(0).type) ? realArithmetic<ofReal>(n) : arithmetic<op>(n);
}

}  // namespace

// Follows a quotient of numbers, and that of a size by a positive number: its rounding down is rounding towards 0.
std::optional<Known> truncateDivValue(const RuleNode& n) {
  if (isReal(n.fact(0).type)) return realArithmetic<quotientOf>(n);
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    DimStore& dims = n.t.solution().dims;
    auto x = dims.asConstant(a), y = dims.asConstant(b);
    if (y == 0) return std::nullopt;
    if (x && y) return dims.constant(*x / *y);
    return y && *y > 0 && dims.asVariable(a) && isSize(n, a) ? std::optional(dims.div(a, b)) : std::nullopt;
  });
}

namespace {

enum class Compare { less, lessEqual, greater, greaterEqual, equal, notEqual };

template <Compare c>
std::optional<Known> compare(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    std::optional<double> difference;
    if (isReal(n.fact(0).type)) {
      auto x = realOf(a, dims), y = realOf(b, dims);
      if (x && y) difference = *x - *y;
    } else if (auto whole = dims.asConstant(dims.sub(a, b))) {
      difference = static_cast<double>(*whole);
    }
    if (!difference || std::isnan(*difference)) return std::nullopt;
    double d = *difference;
    bool holds = c == Compare::less           ? d < 0
                 : c == Compare::lessEqual    ? d <= 0
                 : c == Compare::greater      ? d > 0
                 : c == Compare::greaterEqual ? d >= 0
                 : c == Compare::equal        ? d == 0
                                              : d != 0;
    return dims.constant(holds ? 1 : 0);
  });
}

}  // namespace

std::optional<Known> addValue(const RuleNode& n) { return arithmetic<DimOp::add, sumOf>(n); }
std::optional<Known> subValue(const RuleNode& n) { return arithmetic<DimOp::sub, differenceOf>(n); }
std::optional<Known> mulValue(const RuleNode& n) { return arithmetic<DimOp::mul, productOf>(n); }
std::optional<Known> floorDivValue(const RuleNode& n) { return arithmetic<DimOp::div>(n); }
std::optional<Known> floorModValue(const RuleNode& n) { return arithmetic<DimOp::mod>(n); }
std::optional<Known> realDivValue(const RuleNode& n) { return realArithmetic<quotientOf>(n); }
std::optional<Known> maximumValue(const RuleNode& n) { return arithmetic<DimOp::max, largerOf>(n); }
std::optional<Known> minimumValue(const RuleNode& n) { return arithmetic<DimOp::min, smallerOf>(n); }
std::optional<Known> lessValue(const RuleNode& n) { return compare<Compare::less>(n); }
std::optional<Known> lessEqualValue(const RuleNode& n) { return compare<Compare::lessEqual>(n); }
std::optional<Known> greaterValue(const RuleNode& n) { return compare<Compare::greater>(n); }
std::optional<Known> greaterEqualValue(const RuleNode& n) { return compare<Compare::greaterEqual>(n); }
std::optional<Known> equalValue(const RuleNode& n) { return compare<Compare::equal>(n); }
std::optional<Known> notEqualValue(const RuleNode& n) { return compare<Compare::notEqual>(n); }

std::optional<Known> logicalAndValue(const RuleNode& n) { return arithmetic<DimOp::min>(n); }
std::optional<Known> logicalOrValue(const RuleNode& n) { return arithmetic<DimOp::max>(n); }

// ---- one operand

namespace {

std::optional<Known> mapped(const RuleNode& n, const std::function<Dim(Dim)>& f) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  for (Dim& d : a->elements) d = f(d);
  return a;
}

template <double (*f)(double)>
std::optional<Known> realMapped(const RuleNode& n) {
  auto a = n.known(0);
  auto values = a ? realNumbers(*a, n.t.solution().dims) : std::nullopt;
  if (!values) return std::nullopt;
  for (std::size_t i = 0; i < values->size(); ++i)
    a->elements[i] = realElement(f((*values)[i]), n.fact(0).type, n.t.solution().dims);
  return a;
}

double negativeOf(double a) { return -a; }

}  // namespace

std::optional<Known> negValue(const RuleNode& n) {
  if (isReal(n.fact(0).type)) return realMapped<negativeOf>(n);
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(0), d); });
}

std::optional<Known> logicalNotValue(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(1), d); });
}

std::optional<Known> floorValue(const RuleNode& n) { return realMapped<std::floor>(n); }
std::optional<Known> ceilValue(const RuleNode& n) { return realMapped<std::ceil>(n); }
std::optional<Known> roundValue(const RuleNode& n) { return realMapped<std::nearbyint>(n); }
std::optional<Known> sqrtValue(const RuleNode& n) { return realMapped<std::sqrt>(n); }

namespace {

std::optional<Known> likeNumber(const RuleNode& n, std::int64_t value) {
  auto a = n.known(0);
  DimStore& dims = n.t.solution().dims;
  const Type type = n.fact(0).type;
  Dim element = isReal(type) ? realElement(static_cast<double>(value), type, dims) : dims.constant(value);
  if (a) std::fill(a->elements.begin(), a->elements.end(), element);
  return a;
}

}  // namespace

std::optional<Known> zerosLikeValue(const RuleNode& n) { return likeNumber(n, 0); }
std::optional<Known> onesLikeValue(const RuleNode& n) { return likeNumber(n, 1); }

// ---- choices

std::optional<Known> selectValue(const RuleNode& n) {
  auto condition = n.numbers(0);
  auto a = n.known(1), b = n.known(2);
  if (!condition || !a || !b) return std::nullopt;
  std::size_t rank = std::max({n.known(0)->shape.size(), a->shape.size(), b->shape.size()});
  if (a->count() == 1 && b->count() == 1 && condition->size() == 1)
    return Known{std::vector<std::int64_t>(rank, 1), {condition->front() ? a->elements[0] : b->elements[0]}};
  if (condition->size() == 1 && a->shape == b->shape && a->shape.size() == rank) return condition->front() ? a : b;
  if (a->shape != b->shape || condition->size() != a->elements.size()) return std::nullopt;
  for (std::size_t i = 0; i < condition->size(); ++i)
    if (!(*condition)[i]) a->elements[i] = b->elements[i];
  return a;
}

}  // namespace axle::tensorflow::elementwise
