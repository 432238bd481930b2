// Quantised tensors: codes, and the numbers that the smallest and the largest code stand for.
#include <algorithm>
#include <limits>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::quantized {
namespace {

constexpr std::string_view quantizedConvolution =
    "(t [n, h, w, c], u [r, s, c, k], v a, v b, v d, v e; strides : ints(4), dilations : ints(4), padding : padding)"
    " -> (x [n, conv_out(h, r, strides[1], padding[0], dilations[1]), conv_out(w, s, strides[2], padding[1], "
    "dilations[2]), k],"
    " v [], v [])";

constexpr std::string_view quantizedPool =
    "(t [n, h, w, c], u a, u b; ksize : ints(4), strides : ints(4), padding : padding)"
    " -> (t [n, conv_out(h, ksize[1], strides[1], padding[0], 1), conv_out(w, ksize[2], strides[2], padding[1], 1), c],"
    " u [], u [])";

constexpr std::string_view quantizedUnary = "(t s, u a, u b) -> (v s, u [], u [])";
constexpr std::string_view quantizedBinary = "(t a, u b, v c, v d, v e, v f) -> (x (a # b), v [], v [])";

// Gives the two scalars that the smallest and the largest code of the first outlet stand for.
Outcome giveRange(RuleNode& n) {
  for (std::size_t port = 1; port < 3; ++port) n.giveShape({}, port);
  return Outcome::done;
}

// The inputs are N tensors and the axis, then the ranges.
Outcome quantizedConcatType(RuleNode& n, std::string_view) {
  auto count = static_cast<std::size_t>(n.integer("N"));
  std::size_t first = n.node.op == "QuantizedConcat" ? 1 : 0;
  auto axis = n.number(first == 1 ? 0 : count);
  if (!axis || count + first > n.count()) return Outcome::waits;
  std::vector<TypedId> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(n.in(first + i));
  n.giveTypesOnly();
  Outcome outcome = n.give(parts.size() == 1 ? parts[0] : n.op("concat", parts, {{"axis", n.t.integer(*axis)}}));
  return outcome == Outcome::done ? giveRange(n) : outcome;
}

// The inputs are the two matrices, which attributes may transpose, then their ranges.
Outcome quantizedMatMulType(RuleNode& n, std::string_view) {
  auto matrix = [&](std::size_t i, const char* attribute) -> std::optional<TypedId> {
    if (!requireDims(n, i, {n.t.unknownSize("m"), n.t.unknownSize("k")}, n.places.inputs[i])) return std::nullopt;
    TypedId value = n.opaqueLike(n.in(i), ElemTerm::of(Elem::f32));
    if (!n.flag(attribute)) return value;
    return n.op("swap_axes", {value}, {{"a", n.t.integer(0)}, {"b", n.t.integer(1)}});
  };
  auto a = matrix(0, "transpose_a"), b = matrix(1, "transpose_b");
  if (!a || !b) return Outcome::failed;
  n.giveTypesOnly();
  Outcome outcome = n.give(n.op("matmul", {*a, *b}));
  return outcome == Outcome::done ? giveRange(n) : outcome;
}

// ---- formulas

constexpr double huge = std::numeric_limits<float>::max();

// The smallest and the largest code of an element type.
struct Codes {
  double least = 0, most = 0;
  bool isSigned = false;
  double count() const { return most - least + 1; }
};

std::optional<Codes> codesOf(Type type) {
  if (type == Type::qint8) return Codes{-128, 127, true};
  if (type == Type::quint8) return Codes{0, 255, false};
  if (type == Type::qint16) return Codes{-32768, 32767, true};
  if (type == Type::quint16) return Codes{0, 65535, false};
  return std::nullopt;
}

Expr larger(Expr a, Expr b) { return apply("maximum", a, b); }
Expr smaller(Expr a, Expr b) { return apply("minimum", a, b); }

Expr awayFromZero(Expr x) {
  Expr size = apply("floor", apply("abs", x) + 0.5);
  return choose(x < 0.0, -size, size);
}

// Returns one end of a range, for all elements or for each channel, shaped to broadcast against the elements.
std::optional<Expr> besideElements(NodeFormula& f, std::size_t input, std::int64_t axis) {
  auto its = f.dims(input), elements = f.dims(std::size_t{0});
  if (!its || !elements || its->size() > 1) return std::nullopt;
  if (its->empty()) return f.in(input);
  if (axis < 0 || axis >= static_cast<std::int64_t>(elements->size())) return f.op("sum", {f.in(input)});
  Dims shape(elements->size(), f.dim(1));
  shape[static_cast<std::size_t>(axis)] = its->front();
  return f.shaped(f.in(input), shape);
}

// The factor from numbers to codes that keeps both ends in range and 0 exact.
struct Scale {
  Expr scale, inverse;
  Expr low, high;  // the ends of the resulting range
};

Scale scaleOf(Expr low, Expr high, const Codes& codes) {
  FormulaBuilder& f = *low.formula;
  auto side = [&](Expr end, double code) {
    Expr counts = end * code > 0.0;
    return choose(counts, code / choose(counts, end, 1), huge);
  };
  Expr fromLow = side(low, codes.least), fromHigh = side(high, codes.most);
  Expr isLow = fromLow < fromHigh;
  Expr least = f.like(codes.least, low);
  Expr inverse = choose(isLow, low / choose(least == 0.0, 1, least), high / codes.most);
  return {smaller(fromLow, fromHigh), inverse, choose(isLow, low, inverse * codes.least),
          choose(isLow, inverse * codes.most, high)};
}

// Quantises and dequantises at once. V3 takes the number of bits as an input.
FormulaResults quantizeAndDequantizeFormula(NodeFormula& f) {
  std::int64_t bits = f.n.integer("num_bits", 8);
  if (f.n.node.op.ends_with("V3")) {
    auto given = f.n.number(3);
    if (!given) return {};
    bits = *given;
  }
  const bool isSigned = f.n.attribute("signed_input") ? f.n.flag("signed_input") : true;
  const bool isGiven = f.n.flag("range_given") || f.n.node.op == "QuantizeAndDequantizeV4";
  const std::int64_t axis = f.n.attribute("axis") ? f.n.integer("axis") : -1;
  auto elements = f.dims(std::size_t{0});
  if (bits < 2 || bits > 31 || !elements) return {};
  const auto half = static_cast<double>(std::int64_t{1} << (bits - 1));
  Codes codes{isSigned ? -half + (f.n.flag("narrow_range") ? 1 : 0) : 0, isSigned ? half - 1 : 2 * half - 1, isSigned};
  Expr x = f.in(0), low, high;
  if (isGiven && (!f.n.attribute("range_given") || f.n.flag("range_given"))) {
    auto from = besideElements(f, 1, axis), to = besideElements(f, 2, axis);
    if (!from || !to) return {};
    low = *from;
    high = *to;
  } else {
    Sizes others;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(elements->size()); ++i)
      if (i != axis) others.push_back(i);
    low = f.reduce("amin", x, others, true);
    high = f.reduce("amax", x, others, true);
  }
  Scale s = scaleOf(low, high, codes);
  if (f.n.flag("range_given")) x = larger(smaller(x, s.high), s.low);
  Expr code = x * s.scale;
  code = f.n.text("round_mode") == "HALF_UP" ? apply("floor", code + 0.5) : apply("round", code);
  return {code * s.inverse};
}

FormulaResults quantizeFormula(NodeFormula& f) {
  auto to = f.n.type("T");
  auto codes = to ? codesOf(*to) : std::nullopt;
  if (!codes) return {};
  const std::string mode = f.n.text("mode").empty() ? "MIN_COMBINED" : f.n.text("mode");
  const std::int64_t axis = f.n.attribute("axis") ? f.n.integer("axis") : -1;
  auto from = besideElements(f, 1, axis), upTo = besideElements(f, 2, axis);
  auto ends = f.outletDims(1);
  if (!from || !upTo || !ends) return {};
  Expr x = f.in(0), low = smaller(*from, f.like(0, *from));
  Expr reach = larger(larger(apply("abs", *from), apply("abs", *upTo)), f.like(1, low));
  const auto least = static_cast<double>(f.n.real("ensure_minimum_range", 0.01F));
  Expr high = larger(larger(*upTo, low + reach * least), f.like(0, low));
  auto clamped = [&] { return larger(smaller(x, high), low); };
  Expr code;
  if (mode == "SCALED") {
    codes->least += f.n.flag("narrow_range") ? 1 : 0;
    Scale s = scaleOf(low, high, *codes);
    low = codes->least == 0 ? low * 0.0 : f.like(codes->least, low) / s.scale;
    high = codes->most / s.scale;
    code = clamped() * s.scale;
    code = f.n.text("round_mode") == "HALF_TO_EVEN" ? apply("round", code) : awayFromZero(code);
  } else if (mode == "MIN_FIRST") {
    Expr scale = (codes->count() - 1) / (high - low);
    if (*to == Type::quint8)
      code = awayFromZero((clamped() - low) * scale);
    else
      code = awayFromZero(x * scale) - awayFromZero(low * scale) + codes->least;
    code = larger(smaller(code, f.like(codes->most, code)), f.like(codes->least, code));
  } else {
    Expr place = (clamped() - low) * ((codes->most - codes->least) / (high - low));
    code = codes->isSigned ? awayFromZero(place - codes->count() / 2) : apply("floor", place + 0.5);
  }
  return {f.cast(code, f.elemOf(*to)), f.shaped(low, *ends), f.shaped(high, *ends)};
}

FormulaResults dequantizeFormula(NodeFormula& f) {
  auto codes = codesOf(f.n.fact(0).type);
  if (!codes) return {};
  const std::string mode = f.n.text("mode").empty() ? "MIN_COMBINED" : f.n.text("mode");
  const std::int64_t axis = f.n.attribute("axis") ? f.n.integer("axis") : -1;
  auto low = besideElements(f, 1, axis), high = besideElements(f, 2, axis);
  if (!low || !high) return {};
  Expr code = f.cast(f.in(0), Elem::f32), made;
  if (mode == "SCALED") {
    const double least = codes->least + (f.n.flag("narrow_range") ? 1 : 0);
    Expr scale = *high / codes->most;
    made = code * (least == 0 ? scale : larger(*low / least, scale));
  } else if (mode == "MIN_FIRST") {
    Expr scale = (*high - *low) / (codes->count() - 1);
    made = (code - codes->least) * scale +
           choose(*high == *low, *low, awayFromZero(*low / choose(scale == 0.0, 1, scale)) * scale);
  } else {
    made = (code + (codes->isSigned ? codes->count() / 2 : 0)) * ((*high - *low) / (codes->most - codes->least)) + *low;
  }
  return {f.cast(made, f.elemOf(f.n.type("dtype").value_or(Type::f32)))};
}

// Rounds to the steps of a range that is shifted so that 0 is exact.
Expr fakeQuantised(NodeFormula& f, Expr x, Expr low, Expr high) {
  const auto bits =
      static_cast<double>((std::int64_t{1} << std::clamp<std::int64_t>(f.n.integer("num_bits", 8), 2, 16)) - 1);
  const double least = f.n.flag("narrow_range") ? 1 : 0, most = bits;
  Expr step = (high - low) / (most - least);
  Expr zero = least - low / step;
  Expr nudged = apply("floor", zero + 0.5);
  nudged = choose(zero < least, least, choose(zero > most, most, nudged));
  Expr from = (least - nudged) * step, to = (most - nudged) * step;
  Expr clamped = apply("minimum", apply("maximum", x, from), to);
  Expr codes = apply("floor", (clamped - from) * (1.0 / step) + 0.5);
  // An empty range gives 0.
  return choose(low == 0.0 && high == 0.0, 0, codes * step + from);
}

FormulaResults fakeQuantArgsFormula(NodeFormula& f) {
  Expr x = f.in(0);
  Expr low = f.like(static_cast<double>(f.n.real("min", -6)), x),
       high = f.like(static_cast<double>(f.n.real("max", 6)), x);
  return {fakeQuantised(f, x, low, high)};
}

FormulaResults fakeQuantVarsFormula(NodeFormula& f) { return {fakeQuantised(f, f.in(0), f.in(1), f.in(2))}; }

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                          type                             value  formula
    {"FakeQuantWithMinMaxArgs",                      "(t s) -> t s",                  {},    fakeQuantArgsFormula},
    {"FakeQuantWithMinMaxVars",                      "(t s, t [], t []) -> t s",      {},    fakeQuantVarsFormula},
    {"FakeQuantWithMinMaxVarsPerChannel",            "(t s @ [c], t [c], t [c]) -> t s @ [c]",
                                                                                      {},    fakeQuantVarsFormula},
    {"QuantizeAndDequantize",                        "(t s) -> t s"},
    {"QuantizeAndDequantizeV2",                      "(t s, t a, t b) -> t s",
                                                                                   {},    quantizeAndDequantizeFormula},
    {"QuantizeAndDequantizeV3",                      "(t s, t a, t b, i []) -> t s",
                                                                                   {},    quantizeAndDequantizeFormula},
    {"QuantizeAndDequantizeV4",                      "(t s, t a, t b) -> t s",
                                                                                   {},    quantizeAndDequantizeFormula},
    {"QuantizeV2",                                   "(t s, u m, u m) -> (v s, u m, u m)",
                                                                                      {},    quantizeFormula},
    {"Dequantize",                                   "(t s, u m, u m) -> v s",        {},    dequantizeFormula},
    {"Requantize",                                   "(t s, u a, u b, u c, u d) -> (v s, u [], u [])"},
    {"RequantizationRange",                          "(t s, u a, u b) -> (u [], u [])"},
    {"QuantizedMatMul",                              quantizedMatMulType},
    {"QuantizedConv2D",                              quantizedConvolution},
    {"QuantizedMaxPool",                             quantizedPool},
    {"QuantizedAvgPool",                             quantizedPool},
    {"QuantizedRelu",                                quantizedUnary},
    {"QuantizedRelu6",                               quantizedUnary},
    {"QuantizedBiasAdd",                             "(t s @ [c], u [c], v a, v b, v d, v e) -> (x s @ [c], v [], v "
                                                     "[])"},
    {"QuantizedAdd",                                 quantizedBinary},
    {"QuantizedMul",                                 quantizedBinary},
    {"QuantizedMatMulWithBias",                      quantizedMatMulType},
    {"QuantizedMatMulWithBiasAndDequantize",         quantizedMatMulType},
    {"QuantizedMatMulWithBiasAndRelu",               quantizedMatMulType},
    {"QuantizedMatMulWithBiasAndReluAndRequantize",  quantizedMatMulType},
    {"QuantizedMatMulWithBiasAndRequantize",         quantizedMatMulType},
    {"QuantizedConcat",                              quantizedConcatType},
    {"QuantizedConcatV2",                            quantizedConcatType},
    {"QuantizeDownAndShrinkRange",                   quantizedUnary},
    {"QuantizedReluX",                               "(t s, u [], u a, u b) -> (v s, u [], u [])"},
    {"QuantizedInstanceNorm",                        "(t [n, h, w, c], f [], f []) -> (t [n, h, w, c], f [], f [])"},
    {"QuantizedBatchNormWithGlobalNormalization",    "(t [n, h, w, c], f [], f [], t [c], f [], f [], t [c], f [], f "
                                                     "[], t [c], f [], f [], t [c], f [], f []) -> (u [n, h, w, c], f "
                                                     "[], f [])"},
    {"QuantizedResizeBilinear",                      "(t [n, h, w, c], f [], f []; size : ints(2)) -> (t [n, size[0], "
                                                     "size[1], c], f [], f [])"},
    {"RequantizePerChannel",                         "(t s, u a, u b, u c, u d) -> (v s, u [], u [])"},
    {"RequantizationRangePerChannel",                "(t s, u a, u b) -> (u [], u [])"},
    {"UniformQuantize",                              "(t s, f c, i d) -> u s"},
    {"UniformDequantize",                            "(t s, f c, i d) -> u s"},
    {"UniformRequantize",                            "(t s, f c, i d, f e, i g) -> u s"},
    {"UniformQuantizedClipByValue",                  "(t s, t a, t b, f c, i d) -> t s"},
    {"UniformQuantizedAdd",                          "(t a, t b, f c, i d, f e, i g, f h, i j) -> t (a # b)"},
    {"UniformQuantizedDot",                          "(t [m, k], t [k, n], f c, i d, f e, i g, f h, i j) -> u [m, n]"},
    {"UniformQuantizedDotHybrid",                    "(t [m, k], u [k, n], f c, i d) -> v [m, n]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::quantized
