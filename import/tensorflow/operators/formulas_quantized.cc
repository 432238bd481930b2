// Formulas of quantised tensors: codes, and what the smallest and the largest of them stand for.
#include <algorithm>
#include <limits>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

constexpr double huge = std::numeric_limits<float>::max();

// The codes of an element type.
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

Ex larger(Ex a, Ex b) { return apply("maximum", a, b); }
Ex smaller(Ex a, Ex b) { return apply("minimum", a, b); }
Ex awayFromZero(Ex x) {
  Ex size = apply("floor", apply("abs", x) + 0.5);
  return choose(x < 0.0, -size, size);
}

// A range's end, of one channel or of each, beside the elements.
std::optional<Ex> besideElements(Formula& f, std::size_t input, std::int64_t axis) {
  auto its = f.dims(input), elements = f.dims(std::size_t{0});
  if (!its || !elements || its->size() > 1) return std::nullopt;
  if (its->empty()) return f.in(input);
  if (axis < 0 || axis >= static_cast<std::int64_t>(elements->size())) return f.op("sum", {f.in(input)});
  Dims shape(elements->size(), f.dim(1));
  shape[static_cast<std::size_t>(axis)] = its->front();
  return f.shaped(f.in(input), shape);
}

// How much larger codes are than what they stand for, with both ends in range and 0 as 0.
struct Scale {
  Ex scale, inverse;
  Ex low, high;  // what is left of the range
};

Scale scaleOf(Ex low, Ex high, const Codes& codes) {
  Formula& f = *low.formula;
  auto side = [&](Ex end, double code) {
    Ex counts = end * code > 0.0;
    return choose(counts, code / choose(counts, end, 1), huge);
  };
  Ex fromLow = side(low, codes.least), fromHigh = side(high, codes.most);
  Ex isLow = fromLow < fromHigh;
  Ex least = f.like(codes.least, low);
  Ex inverse = choose(isLow, low / choose(least == 0.0, 1, least), high / codes.most);
  return {smaller(fromLow, fromHigh), inverse, choose(isLow, low, inverse * codes.least),
          choose(isLow, inverse * codes.most, high)};
}

// There and back: V3 has the number of bits as an input.
FormulaResults thereAndBack(Formula& f) {
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
  Ex x = f.in(0), low, high;
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
  Ex code = x * s.scale;
  code = f.n.text("round_mode") == "HALF_UP" ? apply("floor", code + 0.5) : apply("round", code);
  return {code * s.inverse};
}

FormulaResults quantize(Formula& f) {
  auto to = f.n.type("T");
  auto codes = to ? codesOf(*to) : std::nullopt;
  if (!codes) return {};
  const std::string mode = f.n.text("mode").empty() ? "MIN_COMBINED" : f.n.text("mode");
  const std::int64_t axis = f.n.attribute("axis") ? f.n.integer("axis") : -1;
  auto from = besideElements(f, 1, axis), upTo = besideElements(f, 2, axis);
  auto ends = f.outletDims(1);
  if (!from || !upTo || !ends) return {};
  Ex x = f.in(0), low = smaller(*from, f.like(0, *from));
  Ex reach = larger(larger(apply("abs", *from), apply("abs", *upTo)), f.like(1, low));
  const auto least = static_cast<double>(f.n.real("ensure_minimum_range", 0.01F));
  Ex high = larger(larger(*upTo, low + reach * least), f.like(0, low));
  auto clamped = [&] { return larger(smaller(x, high), low); };
  Ex code;
  if (mode == "SCALED") {
    codes->least += f.n.flag("narrow_range") ? 1 : 0;
    Scale s = scaleOf(low, high, *codes);
    low = codes->least == 0 ? low * 0.0 : f.like(codes->least, low) / s.scale;
    high = codes->most / s.scale;
    code = clamped() * s.scale;
    code = f.n.text("round_mode") == "HALF_TO_EVEN" ? apply("round", code) : awayFromZero(code);
  } else if (mode == "MIN_FIRST") {
    Ex scale = (codes->count() - 1) / (high - low);
    if (*to == Type::quint8)
      code = awayFromZero((clamped() - low) * scale);
    else
      code = awayFromZero(x * scale) - awayFromZero(low * scale) + codes->least;
    code = larger(smaller(code, f.like(codes->most, code)), f.like(codes->least, code));
  } else {
    Ex place = (clamped() - low) * ((codes->most - codes->least) / (high - low));
    code = codes->isSigned ? awayFromZero(place - codes->count() / 2) : apply("floor", place + 0.5);
  }
  return {f.cast(code, f.elemOf(*to)), f.shaped(low, *ends), f.shaped(high, *ends)};
}

FormulaResults dequantize(Formula& f) {
  auto codes = codesOf(f.n.fact(0).type);
  if (!codes) return {};
  const std::string mode = f.n.text("mode").empty() ? "MIN_COMBINED" : f.n.text("mode");
  const std::int64_t axis = f.n.attribute("axis") ? f.n.integer("axis") : -1;
  auto low = besideElements(f, 1, axis), high = besideElements(f, 2, axis);
  if (!low || !high) return {};
  Ex code = f.cast(f.in(0), Elem::f32), made;
  if (mode == "SCALED") {
    const double least = codes->least + (f.n.flag("narrow_range") ? 1 : 0);
    Ex scale = *high / codes->most;
    made = code * (least == 0 ? scale : larger(*low / least, scale));
  } else if (mode == "MIN_FIRST") {
    Ex scale = (*high - *low) / (codes->count() - 1);
    made = (code - codes->least) * scale +
           choose(*high == *low, *low, awayFromZero(*low / choose(scale == 0.0, 1, scale)) * scale);
  } else {
    made = (code + (codes->isSigned ? codes->count() / 2 : 0)) * ((*high - *low) / (codes->most - codes->least)) + *low;
  }
  return {f.cast(made, f.elemOf(f.n.type("dtype").value_or(Type::f32)))};
}

constexpr FormulaRow rows[] = {
    {"QuantizeAndDequantizeV2", thereAndBack},
    {"QuantizeAndDequantizeV3", thereAndBack},
    {"QuantizeAndDequantizeV4", thereAndBack},
    {"QuantizeV2", quantize},
    {"Dequantize", dequantize},
};

}  // namespace

std::span<const FormulaRow> quantizedFormulas() { return rows; }

}  // namespace axle::tensorflow
