// Values that are followed: whole numbers and sizes.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

using Maybe = std::optional<Known>;

// ---- of shapes

Maybe shapeOf(const RuleNode& n) {
  auto dims = n.dims(0);
  return dims ? Maybe(Known::vector(*dims)) : std::nullopt;
}

Maybe sizeOf(const RuleNode& n) {
  auto dims = n.dims(0);
  if (!dims) return std::nullopt;
  Dim size = n.t.constant(1);
  for (Dim d : *dims) size = n.t.solution().dims.mul(size, d);
  return Known::scalar(size);
}

Maybe rankOf(const RuleNode& n) {
  auto rank = n.rank(0);
  return rank ? Maybe(Known::scalar(n.t.constant(static_cast<std::int64_t>(*rank)))) : std::nullopt;
}

bool ofReals(const RuleNode& n) { return isReal(n.fact(0).type); }
// Floats of other types are not followed.
bool ofOtherFloats(const RuleNode& n) {
  auto elem = elementOf(n.fact(0).type);
  return elem && axle::info(*elem).isFloat && !ofReals(n);
}

// ---- elementwise

Maybe identity(const RuleNode& n) { return n.known(0); }

Maybe cast(const RuleNode& n) {
  auto from = n.type("SrcT"), to = n.type("DstT");
  DimStore& dims = n.t.solution().dims;
  auto isWide = [](std::optional<Type> type) { return type == Type::i32 || type == Type::i64; };
  auto value = n.known(0);
  if (!value || !to) return std::nullopt;
  if (auto given = reals(*value, dims)) {
    constexpr double mostFit = 1 << 30;  // beyond it types differ in what they make of it
    for (std::size_t i = 0; i < given->size(); ++i) {
      const double number = (*given)[i];
      if (!isReal(*to) && !(isWide(to) && std::abs(number) < mostFit)) return std::nullopt;
      value->elements[i] =
          isReal(*to) ? realElement(number, *to, dims) : dims.constant(static_cast<std::int64_t>(number));
    }
    return value;
  }
  auto given = numbers(*value, dims);
  if (isReal(*to)) {
    if (!given || value->count() > mostReals) return std::nullopt;
    for (std::size_t i = 0; i < given->size(); ++i)
      value->elements[i] = realElement(static_cast<double>((*given)[i]), *to, dims);
    return value;
  }
  return isWide(to) && (isWide(from) || given) ? value : std::nullopt;
}

// Two operands by NumPy's rule, on constant shapes.
Maybe pointwise(const RuleNode& n, const std::function<std::optional<Dim>(Dim, Dim)>& f) {
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

// In the precision of the elements: of f32 the product, sum or quotient of two is rounded once, in f64 and f32 alike.
template <OfReals f>
Maybe realArithmetic(const RuleNode& n) {
  if (!ofReals(n)) return std::nullopt;
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    DimStore& dims = n.t.solution().dims;
    auto x = realOf(a, dims), y = realOf(b, dims);
    return x && y ? std::optional(realElement(f(*x, *y), n.fact(0).type, dims)) : std::nullopt;
  });
}

template <Dim (DimStore::*f)(Dim, Dim)>
Maybe arithmetic(const RuleNode& n) {
  if (ofReals(n)) return std::nullopt;
  return pointwise(n, [&](Dim a, Dim b) { return std::optional((n.t.solution().dims.*f)(a, b)); });
}

template <Dim (DimStore::*f)(Dim, Dim), OfReals ofReal>
Maybe arithmetic(const RuleNode& n) {
  return ofReals(n) ? realArithmetic<ofReal>(n) : arithmetic<f>(n);
}

// Where rounding down and towards zero agree.
Maybe truncated(const RuleNode& n) {
  if (ofReals(n)) return realArithmetic<quotientOf>(n);
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    DimStore& dims = n.t.solution().dims;
    auto x = dims.asConstant(a), y = dims.asConstant(b);
    if (y == 0) return std::nullopt;
    if (x && y) return dims.constant(*x / *y);
    return y && *y > 0 && dims.variables(a).size() == 1 && dims.asVariable(a) ? std::optional(dims.div(a, b))
                                                                              : std::nullopt;
  });
}

enum class Compare { less, lessEqual, greater, greaterEqual, equal, notEqual };

template <Compare c>
Maybe compare(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    std::optional<double> difference;
    if (ofReals(n)) {
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

Maybe both(const RuleNode& n) { return arithmetic<&DimStore::min>(n); }
Maybe either(const RuleNode& n) { return arithmetic<&DimStore::max>(n); }

Maybe mapped(const RuleNode& n, const std::function<Dim(Dim)>& f) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  for (Dim& d : a->elements) d = f(d);
  return a;
}

template <double (*f)(double)>
Maybe realMapped(const RuleNode& n) {
  auto a = n.known(0);
  auto values = a ? reals(*a, n.t.solution().dims) : std::nullopt;
  if (!values) return std::nullopt;
  for (std::size_t i = 0; i < values->size(); ++i)
    a->elements[i] = realElement(f((*values)[i]), n.fact(0).type, n.t.solution().dims);
  return a;
}
double negativeOf(double a) { return -a; }

Maybe negated(const RuleNode& n) {
  if (ofReals(n)) return realMapped<negativeOf>(n);
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(0), d); });
}

Maybe inverted(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(1), d); });
}

Maybe chosen(const RuleNode& n) {
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

// ---- reductions

template <Dim (DimStore::*f)(Dim, Dim)>
Maybe reduced(const RuleNode& n, std::int64_t start) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() > 1 || ofReals(n)) return std::nullopt;
  if (axes->empty() || a->shape.empty()) return a;
  DimStore& dims = n.t.solution().dims;
  std::optional<Dim> total;
  for (Dim d : a->elements) total = total ? (dims.*f)(*total, d) : d;
  if (!total) total = dims.constant(start);
  if (dims.isUndefined(*total)) return std::nullopt;
  return n.flag("keep_dims") ? Known::vector({*total}) : Known::scalar(*total);
}

Maybe sum(const RuleNode& n) { return reduced<&DimStore::add>(n, 0); }
Maybe prod(const RuleNode& n) { return reduced<&DimStore::mul>(n, 1); }
Maybe allOf(const RuleNode& n) { return reduced<&DimStore::min>(n, 1); }
Maybe anyOf(const RuleNode& n) { return reduced<&DimStore::max>(n, 0); }
Maybe greatest(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<&DimStore::max>(n, 0) : std::nullopt;
}
Maybe least(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<&DimStore::min>(n, 0) : std::nullopt;
}

// The first place of the largest or the smallest of several numbers.
template <bool isMax>
Maybe placeOf(const RuleNode& n) {
  auto a = n.numbers(0);
  if (!a || a->empty() || n.known(0)->shape.size() != 1) return std::nullopt;
  auto at = isMax ? std::max_element(a->begin(), a->end()) : std::min_element(a->begin(), a->end());
  return Known::scalar(n.t.constant(at - a->begin()));
}

constexpr ValueRule rows[] = {
    {"Shape", shapeOf},
    {"Size", sizeOf},
    {"Rank", rankOf},
    {"Identity", identity},
    {"StopGradient", identity},
    {"PreventGradient", identity},
    {"Snapshot", identity},
    {"Cast", cast},
    {"Add", arithmetic<&DimStore::add, sumOf>},
    {"AddV2", arithmetic<&DimStore::add, sumOf>},
    {"Sub", arithmetic<&DimStore::sub, differenceOf>},
    {"Mul", arithmetic<&DimStore::mul, productOf>},
    {"FloorDiv", arithmetic<&DimStore::div>},
    {"FloorMod", arithmetic<&DimStore::mod>},
    {"Div", truncated},
    {"RealDiv", realArithmetic<quotientOf>},
    {"TruncateDiv", truncated},
    {"Maximum", arithmetic<&DimStore::max, largerOf>},
    {"Minimum", arithmetic<&DimStore::min, smallerOf>},
    {"Neg", negated},
    {"Floor", realMapped<std::floor>},
    {"Ceil", realMapped<std::ceil>},
    {"Rint", realMapped<std::nearbyint>},
    {"Round", realMapped<std::nearbyint>},
    {"Sqrt", realMapped<std::sqrt>},
    {"Less", compare<Compare::less>},
    {"LessEqual", compare<Compare::lessEqual>},
    {"Greater", compare<Compare::greater>},
    {"GreaterEqual", compare<Compare::greaterEqual>},
    {"Equal", compare<Compare::equal>},
    {"NotEqual", compare<Compare::notEqual>},
    {"LogicalAnd", both},
    {"LogicalOr", either},
    {"LogicalNot", inverted},
    {"Select", chosen},
    {"SelectV2", chosen},
    {"Sum", sum},
    {"Prod", prod},
    {"All", allOf},
    {"Any", anyOf},
    {"Max", greatest},
    {"Min", least},
    {"ArgMax", placeOf<true>},
    {"ArgMin", placeOf<false>},
};

}  // namespace

const ValueRule* valueRuleNamed(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const ValueRule*> made;
    for (std::span<const ValueRule> family : {std::span<const ValueRule>(rows), arrayValues()})
      for (const ValueRule& row : family) made.emplace(row.op, &row);
    return made;
  }();
  auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace axle::tensorflow
