// Elementwise operators.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/elementwise.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::elementwise {
namespace {

Elem elementFor(const RuleNode& n, std::string_view attribute) {
  auto type = n.type(attribute);
  auto elem = type ? elementOf(*type) : std::nullopt;
  return elem.value_or(Elem::f32);
}

Outcome castType(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  Elem to = elementFor(n, "DstT");
  auto from = elementOf(n.fact(0).type);
  // Casts of floats to integers have results of TensorFlow's own for values out of range, which a formula computes.
  bool cuts = from && axle::info(*from).isFloat && axle::info(to).isInt;
  if (isComplex(n.type("DstT").value_or(Type::f32)) || cuts) n.giveTypesOnly();
  return n.give(castTo(n, n.in(0), to));
}

// Gives only the type for elements of the other kind: the core operator computes integers only, or floats only.
template <bool ofFloats>
Outcome sameForType(RuleNode& n, std::string_view core) {
  auto elem = n.count() > 0 ? elementOf(n.fact(0).type) : std::nullopt;
  if (elem && axle::info(*elem).isFloat != ofFloats) n.giveTypesOnly();
  return byCoreOperator(n, core);
}

// Rounds the quotient of floats before it is floored.
Outcome floorDivType(RuleNode& n, std::string_view) {
  auto elem = n.count() == 2 ? elementOf(n.fact(0).type) : std::nullopt;
  if (!elem || !axle::info(*elem).isFloat) return byCoreOperator(n, "floor_div");
  auto quotient = n.op("/", {n.in(0), n.in(1)});
  return n.give(quotient ? n.op("floor", {*quotient}) : quotient);
}

Outcome addNType(RuleNode& n, std::string_view) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  if (n.count() == 0) return Outcome::unknown;
  for (std::size_t i = 1; i < n.count(); ++i)
    if (!n.requireInput(i, n.t.typeOf(n.in(0)), n.places.inputs[i])) return Outcome::failed;
  std::optional<TypedId> total = n.in(0);
  for (std::size_t i = 1; i < n.count() && total; ++i) total = n.op("+", {*total, n.in(i)});
  return n.give(total);
}

// Types the bias, which has one element for each channel: the last axis, or the second one.
Outcome biasAddType(RuleNode& n, std::string_view) {
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
  if (!n.requireInput(0, t.tensor(elem, shape, {}))) return Outcome::failed;
  if (!n.requireInput(1, t.tensor(elem, t.shape({channels}), {}))) return Outcome::failed;
  std::optional<TypedId> bias = n.in(1);
  if (first)
    for (std::size_t i = 2; i < shape.size() && bias; ++i) bias = n.op("expand", {*bias}, {{"axis", t.integer(-1)}});
  return n.give(bias ? n.op("+", {n.in(0), *bias}) : bias);
}

// Types the condition, which is a scalar, a vector along the first axis, or has the shape of the values.
Outcome selectType(RuleNode& n, std::string_view) {
  if (!n.isTensor(0) || !n.isTensor(1) || !n.isTensor(2)) return Outcome::unknown;
  GraphTyper& t = n.t;
  if (!n.requireInput(2, t.typeOf(n.in(1)))) return Outcome::failed;
  auto rank = n.rank(0), whole = n.rank(1);
  if (!rank || !whole) {
    n.giveTypesOnly();
    n.give(n.in(1));
    return Outcome::waits;
  }
  std::optional<TypedId> condition = n.in(0);
  if (*rank == 1 && *whole > 1) {
    Dim rows = n.dims(1)->front();
    if (!n.requireInput(0, t.tensor(ElemTerm::of(Elem::boolean), t.shape({rows}), {}))) return Outcome::failed;
    for (std::size_t i = 1; i < *whole && condition; ++i)
      condition = n.op("expand", {*condition}, {{"axis", t.integer(-1)}});
  } else if (*rank > 0) {
    TypeId wanted = t.tensor(ElemTerm::of(Elem::boolean), t.shape(*n.dims(1)), {});
    if (!n.requireInput(0, wanted)) return Outcome::failed;
  }
  return n.give(condition ? n.op("select", {*condition, n.in(1), n.in(2)}) : condition);
}

Outcome leakyReluType(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  return n.give(n.op("leaky_relu", {n.in(0)}, {{"slope", n.t.real(static_cast<double>(n.real("alpha", 0.2F)))}}));
}

// With incompatible_shape_error=false, tensors whose shapes conflict are unequal: the result is one boolean.
Outcome equalityType(RuleNode& n, std::string_view core) {
  if (n.flag("incompatible_shape_error")) return byCoreOperator(n, core);
  if (!n.dims(0) || !n.dims(1)) return Outcome::waits;
  return shapesConflict(n) ? n.giveShape({}) : byCoreOperator(n, core);
}

// Types an operator that only inspects its tensor, or copies it.
Outcome itselfType(RuleNode& n, std::string_view) { return n.give(n.in(0)); }

constexpr std::string_view binary = "(t a, t b) -> t (a # b)";

}  // namespace

bool shapesConflict(const RuleNode& n) {
  auto a = n.dims(0), b = n.dims(1);
  const DimStore& store = n.t.solution().dims;
  for (std::size_t i = 1; a && b && i <= std::min(a->size(), b->size()); ++i) {
    auto x = store.asConstant((*a)[a->size() - i]), y = store.asConstant((*b)[b->size() - i]);
    if (x && y && *x != *y && *x != 1 && *y != 1) return true;
  }
  return false;
}

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                type                          value               formula
    // arithmetic
    {"Add",                "+",                          addValue,           complexAddFormula},
    {"AddV2",              "+",                          addValue,           complexAddFormula},
    {"Sub",                "-",                          subValue,           complexSubFormula},
    {"Mul",                "*",                          mulValue,           complexMulFormula},
    {"RealDiv",            "/",                          realDivValue,       complexDivFormula},
    {"FloorDiv",           floorDivType,                 floorDivValue},
    {"Div",                {sameForType<true>, "/"},     truncateDivValue,   {complexDivFormula, truncateDivFormula}},
    {"FloorMod",           {sameForType<false>, "%"},    floorModValue,      floorModFormula},
    {"Maximum",            "maximum",                    maximumValue},
    {"Minimum",            "minimum",                    minimumValue},
    {"Pow",                "pow",                        {},                 integerPowerFormula},
    {"Atan2",              "atan2"},
    {"SquaredDifference",  "squared_difference"},
    {"Xlogy",              "xlogy"},
    {"DivNoNan",           binary,                       {},                 divNoNanFormula},
    {"MulNoNan",           binary,                       {},                 mulNoNanFormula},
    {"Xdivy",              binary,                       {},                 xdivyFormula},
    {"Xlog1py",            binary,                       {},                 xlog1pyFormula},
    {"NextAfter",          binary,                       {},                 nextAfterFormula},
    {"TruncateDiv",        binary,                       truncateDivValue,   truncateDivFormula},
    {"TruncateMod",        {sameForType<true>, "fmod"},  {},                 truncateModFormula},
    {"Mod",                {sameForType<true>, "fmod"},  {},                 truncateModFormula},
    {"AddN",               addNType},
    {"AccumulateNV2",      addNType},
    {"BiasAdd",            biasAddType},
    // comparisons and logic
    {"Less",               "<",                          lessValue},
    {"LessEqual",          "<=",                         lessEqualValue},
    {"Greater",            ">",                          greaterValue},
    {"GreaterEqual",       ">=",                         greaterEqualValue},
    {"Equal",              {equalityType, "=="},         equalValue,         conflictingShapesFormula},
    {"NotEqual",           {equalityType, "!="},         notEqualValue,      conflictingShapesFormula},
    {"ApproximateEqual",   "(t s, t s) -> bool s",       {},                 approximateEqualFormula},
    {"LogicalAnd",         "and",                        logicalAndValue},
    {"LogicalOr",          "or",                         logicalOrValue},
    {"LogicalNot",         "not",                        logicalNotValue},
    // bits
    {"PopulationCount",    "(t s) -> u s",               {},                 populationCountFormula},
    {"BitwiseAnd",         "bit_and"},
    {"BitwiseOr",          "bit_or"},
    {"BitwiseXor",         "bit_xor"},
    {"LeftShift",          "shift_left"},
    {"RightShift",         "shift_right"},
    {"Invert",             "bit_not"},
    {"CompareAndBitpack",  "(t s @ [n], t []) -> u s @ [n / 8]",
                                                         {},                 compareAndBitpackFormula},
    // functions of one operand
    {"Neg",                "-",                          negValue,           complexNegFormula},
    {"Abs",                "abs"},
    {"Sign",               "sign"},
    {"Square",             "square",                     {},                 complexSquareFormula},
    {"Sqrt",               "sqrt",                       sqrtValue,          complexSqrtFormula},
    {"Rsqrt",              "rsqrt",                      {},                 complexRsqrtFormula},
    {"Reciprocal",         "reciprocal",                 {},                 complexReciprocalFormula},
    {"Inv",                "reciprocal"},
    {"Exp",                "exp",                        {},                 complexExpFormula},
    {"Expm1",              "expm1"},
    {"Log",                "log",                        {},                 complexLogFormula},
    {"Log1p",              "log1p"},
    {"Tanh",               "tanh"},
    {"Sigmoid",            "sigmoid"},
    {"Erf",                "erf"},
    {"Sin",                "sin"},
    {"Cos",                "cos"},
    {"Tan",                "tan"},
    {"Asin",               "asin"},
    {"Acos",               "acos"},
    {"Atan",               "atan"},
    {"Sinh",               "sinh"},
    {"Cosh",               "cosh"},
    {"Asinh",              "asinh"},
    {"Acosh",              "acosh"},
    {"Atanh",              "atanh"},
    {"Floor",              "floor",                      floorValue},
    {"Ceil",               "ceil",                       ceilValue},
    {"Round",              "round",                      roundValue},
    {"Rint",               "round",                      roundValue},
    {"IsNan",              "is_nan"},
    {"IsInf",              "is_inf"},
    {"IsFinite",           "is_finite"},
    // activations
    {"Relu",               "relu",                       {},                 integerReluFormula},
    {"Relu6",              "relu6"},
    {"Elu",                "elu"},
    {"Selu",               "selu"},
    {"Softplus",           "softplus"},
    {"Softsign",           "softsign"},
    {"LeakyRelu",          leakyReluType},
    // selection, casts, copies
    {"ZerosLike",          "zeros_like",                 zerosLikeValue,     byPartsFormula},
    {"OnesLike",           "ones_like",                  onesLikeValue},
    {"SelectV2",           "select",                     selectValue,        byPartsFormula},
    {"Select",             selectType,                   selectValue},
    {"ClipByValue",        "clip",                       {},                 clipFormula},
    {"Cast",               castType,                     castValue,          {complexCastFormula, castFormula}},
    {"GuaranteeConst",     itselfType},
    {"DeepCopy",           likeFirstInput,               {},                 itselfFormula},
    {"Identity",           byAnalysis,                   firstInputValue},
    {"StopGradient",       byAnalysis,                   firstInputValue},
    {"PreventGradient",    byAnalysis,                   firstInputValue},
    {"Snapshot",           byAnalysis,                   firstInputValue},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::elementwise
