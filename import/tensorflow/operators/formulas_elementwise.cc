// Formulas of operators that work element by element.
#include <cmath>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

FormulaResults divNoNan(Formula& f) { return {choose(f.in(1) == 0.0, 0, f.in(0) / f.in(1))}; }
FormulaResults mulNoNan(Formula& f) { return {choose(f.in(1) == 0.0, 0, f.in(0) * f.in(1))}; }
FormulaResults xdivy(Formula& f) { return {choose(f.in(0) == 0.0, 0, f.in(0) / f.in(1))}; }
FormulaResults xlog1py(Formula& f) { return {choose(f.in(0) == 0.0, 0, f.in(0) * apply("log1p", f.in(1)))}; }

FormulaResults approximateEqual(Formula& f) {
  return {apply("abs", f.in(0) - f.in(1)) < static_cast<double>(f.n.real("tolerance", 1e-5F))};
}

// The core operator rounds down.
Ex truncated(Ex a, Ex b) {
  Ex quotient = a / b;
  if (info(a.formula->elem(a)).isFloat) return apply("trunc", quotient);
  if (!info(a.formula->elem(a)).isSigned) return quotient;
  Ex isAbove = quotient * b != a && apply("xor", a < 0.0, b < 0.0);
  return choose(isAbove, quotient + 1.0, quotient);
}

FormulaResults truncateDiv(Formula& f) { return {truncated(f.in(0), f.in(1))}; }
FormulaResults truncateMod(Formula& f) { return {f.in(0) - truncated(f.in(0), f.in(1)) * f.in(1)}; }

// Of whole numbers: by the bits of the exponent.
FormulaResults wholePower(Formula& f) {
  Elem elem = f.elem(f.in(0));
  if (!info(elem).isInt) return {};
  Ex one = f.in(0) * f.in(1) * 0.0 + 1.0;
  auto moves = [&](const Formula::States& now) { return f.op("any", {now[2] > 0.0}); };
  auto step = [&](const Formula::States& now) -> Formula::States {
    Ex isOdd = apply("bit_and", now[2], f.number(1, elem)) == 1.0;
    return {choose(isOdd, now[0] * now[1], now[0]), now[1] * now[1], apply("shift_right", now[2], f.number(1, elem))};
  };
  return {f.loop({one, f.in(0) * one, f.in(1) * one}, moves, step)[0]};
}

// The remainder has the divisor's sign.
FormulaResults floorMod(Formula& f) {
  Ex remainder = apply("fmod", f.in(0), f.in(1));
  Ex isOther = remainder != 0.0 && apply("xor", remainder < 0.0, f.in(1) < 0.0);
  return {choose(isOther, remainder + f.in(1), remainder)};
}

FormulaResults cast(Formula& f) {
  auto to = f.n.type("DstT");
  return to && elementOf(*to) ? FormulaResults{f.converted(f.in(0), f.elemOf(*to))} : FormulaResults();
}

FormulaResults itself(Formula& f) { return {f.in(0)}; }

FormulaResults clip(Formula& f) { return {apply("minimum", apply("maximum", f.in(0), f.in(1)), f.in(2))}; }

FormulaResults wholeRelu(Formula& f) { return {apply("maximum", f.in(0), f.like(0, f.in(0)))}; }

// By bits: of 0 and 1 in each place.
FormulaResults populationCount(Formula& f) {
  Elem elem = f.elem(f.in(0));
  Ex count;
  for (std::size_t bit = 0; bit < info(elem).bytes * 8; ++bit) {
    Ex one =
        apply("bit_and", apply("shift_right", f.in(0), f.like(static_cast<double>(bit), f.in(0))), f.like(1, f.in(0)));
    count = count.formula ? count + one : one;
  }
  return {f.cast(count, Elem::u8)};
}

// Where shapes do not fit, nothing is equal.
FormulaResults unequalShapes(Formula& f) {
  if (!areUnlike(f.n)) return {};
  return {f.number(f.n.node.op == "NotEqual", Elem::boolean)};
}

Ex positive(Ex x) { return x > 0.0; }

FormulaResults reluGrad(Formula& f) { return {choose(positive(f.in(1)), f.in(0), 0)}; }
FormulaResults relu6Grad(Formula& f) { return {choose(positive(f.in(1)) && f.in(1) < 6.0, f.in(0), 0)}; }
FormulaResults leakyReluGrad(Formula& f) {
  return {choose(positive(f.in(1)), f.in(0), f.in(0) * static_cast<double>(f.n.real("alpha", 0.2F)))};
}
FormulaResults eluGrad(Formula& f) { return {choose(f.in(1) < 0.0, (f.in(1) + 1.0) * f.in(0), f.in(0))}; }
FormulaResults sigmoidGrad(Formula& f) { return {f.in(1) * f.in(0) * (1.0 - f.in(0))}; }
FormulaResults tanhGrad(Formula& f) { return {f.in(1) * (1.0 - f.in(0) * f.in(0))}; }
FormulaResults sqrtGrad(Formula& f) { return {f.in(1) * 0.5 / f.in(0)}; }
FormulaResults rsqrtGrad(Formula& f) { return {f.in(1) * -0.5 * f.in(0) * f.in(0) * f.in(0)}; }
FormulaResults seluGrad(Formula& f) {
  constexpr double scale = 1.0507009873554805, alpha = 1.6732632423543772;
  return {choose(f.in(1) < 0.0, (f.in(1) + scale * alpha) * f.in(0), f.in(0) * scale)};
}
FormulaResults reciprocalGrad(Formula& f) { return {-f.in(1) * f.in(0) * f.in(0)}; }
FormulaResults softplusGrad(Formula& f) { return {f.in(0) / (apply("exp", -f.in(1)) + 1.0)}; }
FormulaResults softsignGrad(Formula& f) {
  Ex scale = apply("abs", f.in(1)) + 1.0;
  return {f.in(0) / (scale * scale)};
}

// Eight neighbours are a byte, the first one its highest bit.
FormulaResults compareAndPack(Formula& f) {
  auto sizes = f.sizes(0);
  if (!sizes || sizes->empty() || sizes->back() % 8 != 0) return {};
  sizes->back() /= 8;
  sizes->push_back(8);
  Ex bits = f.cast(f.reshape(f.in(0) > f.in(1), *sizes), Elem::u8);
  return {f.reduce("sum", bits * f.integers(Type::u8, {8}, {128, 64, 32, 16, 8, 4, 2, 1}), {-1})};
}

// As far as the other number lies: the bits of numbers of one sign count them.
FormulaResults nextAfter(Formula& f) {
  Ex x = f.in(0), y = f.in(1);
  const bool isDouble = f.elem(x) == Elem::f64;
  if (!isDouble && f.elem(x) != Elem::f32) return {};
  const Elem bits = isDouble ? Elem::i64 : Elem::i32;
  Ex least = f.bitcast(f.integers(isDouble ? Type::i64 : Type::i32, {}, {1}), f.elem(x));
  Ex isAway = (y > x) == (x > 0.0), number = f.bitcast(x, bits);
  Ex moved = f.bitcast(number + choose(isAway, 1, f.number(-1, bits)), f.elem(x));
  Ex next = choose(x == 0.0, choose(y > 0.0, least, -least), moved);
  next = choose(x == y, y, next);
  return {choose(apply("is_nan", x) || apply("is_nan", y), NAN, next)};
}

constexpr FormulaRow rows[] = {
    {"Cast", cast},
    {"DivNoNan", divNoNan},
    {"MulNoNan", mulNoNan},
    {"Xdivy", xdivy},
    {"Xlog1py", xlog1py},
    {"NextAfter", nextAfter},
    {"ApproximateEqual", approximateEqual},
    {"TruncateDiv", truncateDiv},
    {"Div", truncateDiv},
    {"Pow", wholePower},
    {"FloorMod", floorMod},
    {"TruncateMod", truncateMod},
    {"Mod", truncateMod},
    {"PopulationCount", populationCount},
    {"CompareAndBitpack", compareAndPack},
    {"DeepCopy", itself},
    {"ClipByValue", clip},
    {"Relu", wholeRelu},
    {"Equal", unequalShapes},
    {"NotEqual", unequalShapes},
    {"ReluGrad", reluGrad},
    {"Relu6Grad", relu6Grad},
    {"LeakyReluGrad", leakyReluGrad},
    {"EluGrad", eluGrad},
    {"SigmoidGrad", sigmoidGrad},
    {"TanhGrad", tanhGrad},
    {"SqrtGrad", sqrtGrad},
    {"RsqrtGrad", rsqrtGrad},
    {"ReciprocalGrad", reciprocalGrad},
    {"InvGrad", reciprocalGrad},
    {"SeluGrad", seluGrad},
    {"SoftplusGrad", softplusGrad},
    {"SoftsignGrad", softsignGrad},
};

}  // namespace

std::span<const FormulaRow> elementwiseFormulas() { return rows; }

}  // namespace axle::tensorflow
