// Operators that work element by element.
#include <algorithm>

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

Elem elementFor(const RuleNode& n, std::string_view attribute) {
  auto type = n.type(attribute);
  auto elem = type ? elementOf(*type) : std::nullopt;
  return elem.value_or(Elem::f32);
}

Outcome cast(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  Elem to = elementFor(n, "DstT");
  auto from = elementOf(n.fact(0).type);
  // What floats out of an integer's range become is TensorFlow's own affair.
  bool cuts = from && axle::info(*from).isFloat && axle::info(to).isInt;
  if (isComplex(n.type("DstT").value_or(Type::f32)) || cuts) n.giveTypesOnly();
  auto made = n.op("cast", {n.in(0)});
  if (!made) return Outcome::failed;
  TypeId type = n.t.tensor(ElemTerm::of(to), n.t.unknownShape("s"), n.places.op);
  n.t.unify(n.t.typeOf(*made), type, n.places.op, "`Cast`");
  return n.give(made);
}

// The core operator gives the values of whole numbers only, or of floats only.
template <bool ofFloats>
Outcome sameFor(RuleNode& n, std::string_view core) {
  auto elem = n.count() > 0 ? elementOf(n.fact(0).type) : std::nullopt;
  if (elem && axle::info(*elem).isFloat != ofFloats) n.giveTypesOnly();
  return same(n, core);
}

// A sum of any number of tensors of one shape.
// The quotient of floats is rounded first.
Outcome floorDiv(RuleNode& n, std::string_view) {
  auto elem = n.count() == 2 ? elementOf(n.fact(0).type) : std::nullopt;
  if (!elem || !axle::info(*elem).isFloat) return same(n, "floor_div");
  auto quotient = n.op("/", {n.in(0), n.in(1)});
  return n.give(quotient ? n.op("floor", {*quotient}) : quotient);
}

Outcome addN(RuleNode& n, std::string_view) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  if (n.count() == 0) return Outcome::unknown;
  for (std::size_t i = 1; i < n.count(); ++i)
    if (!n.t.unify(n.t.typeOf(n.in(0)), n.t.typeOf(n.in(i)), n.places.inputs[i], "`AddN`")) return Outcome::failed;
  std::optional<TypedId> total = n.in(0);
  for (std::size_t i = 1; i < n.count() && total; ++i) total = n.op("+", {*total, n.in(i)});
  return n.give(total);
}

// The bias runs along the channels: the last axis, or the second one.
Outcome biasAdd(RuleNode& n, std::string_view) {
  if (!n.isTensor(0) || !n.isTensor(1)) return Outcome::unknown;
  GraphTyper& t = n.t;
  Dim channels = t.unknownSize("c");
  bool first = n.text("data_format") == "NCHW";
  if (first && !n.rank(0)) return Outcome::waits;
  Shape shape;
  if (first) {
    for (std::size_t i = 0; i < *n.rank(0); ++i) shape.push_back(ShapePart::of(i == 1 ? channels : t.unknownSize("d")));
  } else {
    shape = t.unknownShape("s");
    shape.push_back(ShapePart::of(channels));
  }
  ElemTerm elem = t.unknownElem();
  if (!t.unify(t.tensor(elem, shape, {}), t.typeOf(n.in(0)), n.places.op, "`BiasAdd`")) return Outcome::failed;
  if (!t.unify(t.tensor(elem, t.shape({channels}), {}), t.typeOf(n.in(1)), n.places.op, "`BiasAdd`"))
    return Outcome::failed;
  std::optional<TypedId> bias = n.in(1);
  if (first)
    for (std::size_t i = 2; i < shape.size() && bias; ++i) bias = n.op("expand", {*bias}, {{"axis", t.integer(-1)}});
  return n.give(bias ? n.op("+", {n.in(0), *bias}) : bias);
}

// The condition is a scalar, a vector along the first axis, or as the values.
Outcome select(RuleNode& n, std::string_view) {
  if (!n.isTensor(0) || !n.isTensor(1) || !n.isTensor(2)) return Outcome::unknown;
  GraphTyper& t = n.t;
  if (!t.unify(t.typeOf(n.in(1)), t.typeOf(n.in(2)), n.places.op, "`Select`")) return Outcome::failed;
  auto rank = n.rank(0), whole = n.rank(1);
  if (!rank || !whole) {
    n.giveTypesOnly();
    n.give(n.in(1));
    return Outcome::waits;
  }
  std::optional<TypedId> condition = n.in(0);
  if (*rank == 1 && *whole > 1) {
    Dim rows = n.dims(1)->front();
    if (!t.unify(t.tensor(ElemTerm::of(Elem::boolean), t.shape({rows}), {}), t.typeOf(n.in(0)), n.places.op,
                 "`Select`"))
      return Outcome::failed;
    for (std::size_t i = 1; i < *whole && condition; ++i)
      condition = n.op("expand", {*condition}, {{"axis", t.integer(-1)}});
  } else if (*rank > 0) {
    TypeId wanted = t.tensor(ElemTerm::of(Elem::boolean), t.shape(*n.dims(1)), {});
    if (!t.unify(wanted, t.typeOf(n.in(0)), n.places.op, "`Select`")) return Outcome::failed;
  }
  return n.give(condition ? n.op("select", {*condition, n.in(1), n.in(2)}) : condition);
}

Outcome leakyRelu(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  return n.give(n.op("leaky_relu", {n.in(0)}, {{"slope", n.t.real(static_cast<double>(n.real("alpha", 0.2F)))}}));
}

// Where shapes that do not fit are no error, the tensors differ: the answer is a single one.
Outcome equality(RuleNode& n, std::string_view core) {
  if (n.flag("incompatible_shape_error")) return same(n, core);
  if (!n.dims(0) || !n.dims(1)) return Outcome::waits;
  return areUnlike(n) ? n.giveShape({}) : same(n, core);
}

// The tensor itself, whose elements are looked at or copied.
Outcome itself(RuleNode& n, std::string_view) { return n.give(n.in(0)); }

constexpr std::string_view binary = "(t a, t b) -> t (a # b)";

constexpr Rule rows[] = {
    {"Add", same, "+"},
    {"AddV2", same, "+"},
    {"Sub", same, "-"},
    {"Mul", same, "*"},
    {"RealDiv", same, "/"},
    {"FloorDiv", floorDiv},
    {"Div", sameFor<true>, "/"},
    {"FloorMod", sameFor<false>, "%"},
    {"Maximum", same, "maximum"},
    {"Minimum", same, "minimum"},
    {"Pow", same, "pow"},
    {"Atan2", same, "atan2"},
    {"SquaredDifference", same, "squared_difference"},
    {"Xlogy", same, "xlogy"},
    {"Less", same, "<"},
    {"LessEqual", same, "<="},
    {"Greater", same, ">"},
    {"GreaterEqual", same, ">="},
    {"Equal", equality, "=="},
    {"NotEqual", equality, "!="},
    {"ApproximateEqual", bySignature, "(t s, t s) -> bool s"},
    {"DivNoNan", bySignature, binary},
    {"MulNoNan", bySignature, binary},
    {"Xdivy", bySignature, binary},
    {"Xlog1py", bySignature, binary},
    {"NextAfter", bySignature, binary},
    {"TruncateDiv", bySignature, binary},
    {"TruncateMod", sameFor<true>, "fmod"},
    {"Mod", sameFor<true>, "fmod"},
    {"PopulationCount", bySignature, "(t s) -> u s"},
    {"LogicalAnd", same, "and"},
    {"LogicalOr", same, "or"},
    {"LogicalNot", same, "not"},
    {"BitwiseAnd", same, "bit_and"},
    {"BitwiseOr", same, "bit_or"},
    {"BitwiseXor", same, "bit_xor"},
    {"LeftShift", same, "shift_left"},
    {"RightShift", same, "shift_right"},
    {"Invert", same, "bit_not"},
    {"Neg", same, "-"},
    {"Abs", same, "abs"},
    {"Sign", same, "sign"},
    {"Square", same, "square"},
    {"Sqrt", same, "sqrt"},
    {"Rsqrt", same, "rsqrt"},
    {"Reciprocal", same, "reciprocal"},
    {"Inv", same, "reciprocal"},
    {"Exp", same, "exp"},
    {"Expm1", same, "expm1"},
    {"Log", same, "log"},
    {"Log1p", same, "log1p"},
    {"Tanh", same, "tanh"},
    {"Sigmoid", same, "sigmoid"},
    {"Erf", same, "erf"},
    {"Sin", same, "sin"},
    {"Cos", same, "cos"},
    {"Tan", same, "tan"},
    {"Asin", same, "asin"},
    {"Acos", same, "acos"},
    {"Atan", same, "atan"},
    {"Sinh", same, "sinh"},
    {"Cosh", same, "cosh"},
    {"Asinh", same, "asinh"},
    {"Acosh", same, "acosh"},
    {"Atanh", same, "atanh"},
    {"Floor", same, "floor"},
    {"Ceil", same, "ceil"},
    {"Round", same, "round"},
    {"Rint", same, "round"},
    {"IsNan", same, "is_nan"},
    {"IsInf", same, "is_inf"},
    {"IsFinite", same, "is_finite"},
    {"Relu", same, "relu"},
    {"Relu6", same, "relu6"},
    {"Elu", same, "elu"},
    {"Selu", same, "selu"},
    {"Softplus", same, "softplus"},
    {"Softsign", same, "softsign"},
    {"LeakyRelu", leakyRelu},
    {"ZerosLike", same, "zeros_like"},
    {"OnesLike", same, "ones_like"},
    {"SelectV2", same, "select"},
    {"Select", select},
    {"ClipByValue", same, "clip"},
    {"Cast", cast},
    {"AddN", addN},
    {"AccumulateNV2", addN},
    {"GuaranteeConst", itself},
    {"BiasAdd", biasAdd},
};

}  // namespace

bool areUnlike(const RuleNode& n) {
  auto a = n.dims(0), b = n.dims(1);
  const DimStore& store = n.t.solution().dims;
  for (std::size_t i = 1; a && b && i <= std::min(a->size(), b->size()); ++i) {
    auto x = store.asConstant((*a)[a->size() - i]), y = store.asConstant((*b)[b->size() - i]);
    if (x && y && *x != *y && *x != 1 && *y != 1) return true;
  }
  return false;
}

std::span<const Rule> elementwiseRules() { return rows; }

}  // namespace axle::tensorflow
