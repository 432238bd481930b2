// Formulas of elementwise operators.
#include <cmath>

#include "import/tensorflow/operators/elementwise.h"

namespace axle::tensorflow::elementwise {

FormulaResults divNoNanFormula(NodeFormula& f) { return {choose(f.in(1) == 0.0, 0, f.in(0) / f.in(1))}; }
FormulaResults mulNoNanFormula(NodeFormula& f) { return {choose(f.in(1) == 0.0, 0, f.in(0) * f.in(1))}; }
FormulaResults xdivyFormula(NodeFormula& f) { return {choose(f.in(0) == 0.0, 0, f.in(0) / f.in(1))}; }
FormulaResults xlog1pyFormula(NodeFormula& f) { return {choose(f.in(0) == 0.0, 0, f.in(0) * apply("log1p", f.in(1)))}; }

FormulaResults approximateEqualFormula(NodeFormula& f) {
  return {apply("abs", f.in(0) - f.in(1)) < static_cast<double>(f.n.real("tolerance", 1e-5F))};
}

namespace {

// Returns the quotient rounded towards 0; the core operator rounds down.
Expr truncated(Expr a, Expr b) {
  Expr quotient = a / b;
  if (info(a.formula->elem(a)).isFloat) return apply("trunc", quotient);
  if (!info(a.formula->elem(a)).isSigned) return quotient;
  Expr isAbove = quotient * b != a && apply("xor", a < 0.0, b < 0.0);
  return choose(isAbove, quotient + 1.0, quotient);
}

}  // namespace

FormulaResults truncateDivFormula(NodeFormula& f) { return {truncated(f.in(0), f.in(1))}; }
FormulaResults truncateModFormula(NodeFormula& f) { return {f.in(0) - truncated(f.in(0), f.in(1)) * f.in(1)}; }

// Computes the power of integers, by the bits of the exponent.
FormulaResults integerPowerFormula(NodeFormula& f) {
  Elem elem = f.elem(f.in(0));
  if (!info(elem).isInt) return {};
  Expr one = f.in(0) * f.in(1) * 0.0 + 1.0;
  auto moves = [&](const States& now) { return f.op("any", {now[2] > 0.0}); };
  auto step = [&](const States& now) -> States {
    Expr isOdd = apply("bit_and", now[2], f.number(1, elem)) == 1.0;
    return {choose(isOdd, now[0] * now[1], now[0]), now[1] * now[1], apply("shift_right", now[2], f.number(1, elem))};
  };
  return {f.loop({one, f.in(0) * one, f.in(1) * one}, moves, step)[0]};
}

// Computes the remainder with the divisor's sign.
FormulaResults floorModFormula(NodeFormula& f) {
  Expr remainder = apply("fmod", f.in(0), f.in(1));
  Expr isOther = remainder != 0.0 && apply("xor", remainder < 0.0, f.in(1) < 0.0);
  return {choose(isOther, remainder + f.in(1), remainder)};
}

FormulaResults castFormula(NodeFormula& f) {
  auto to = f.n.type("DstT");
  return to && elementOf(*to) ? FormulaResults{f.converted(f.in(0), f.elemOf(*to))} : FormulaResults();
}

FormulaResults itselfFormula(NodeFormula& f) { return {f.in(0)}; }
FormulaResults clipFormula(NodeFormula& f) { return {apply("minimum", apply("maximum", f.in(0), f.in(1)), f.in(2))}; }
FormulaResults integerReluFormula(NodeFormula& f) { return {apply("maximum", f.in(0), f.like(0, f.in(0)))}; }

// Adds up the bits, one position at a time.
FormulaResults populationCountFormula(NodeFormula& f) {
  Elem elem = f.elem(f.in(0));
  Expr count;
  for (std::size_t bit = 0; bit < info(elem).bytes * 8; ++bit) {
    Expr one =
        apply("bit_and", apply("shift_right", f.in(0), f.like(static_cast<double>(bit), f.in(0))), f.like(1, f.in(0)));
    count = count.formula ? count + one : one;
  }
  return {f.cast(count, Elem::u8)};
}

// Tensors whose shapes conflict are unequal.
FormulaResults conflictingShapesFormula(NodeFormula& f) {
  if (!shapesConflict(f.n)) return {};
  return {f.number(f.n.node.op == "NotEqual", Elem::boolean)};
}

// Packs eight neighbours into a byte; the first becomes the highest bit.
FormulaResults compareAndBitpackFormula(NodeFormula& f) {
  auto sizes = f.sizes(0);
  if (!sizes || sizes->empty() || sizes->back() % 8 != 0) return {};
  sizes->back() /= 8;
  sizes->push_back(8);
  Expr bits = f.cast(f.reshape(f.in(0) > f.in(1), *sizes), Elem::u8);
  return {f.reduce("sum", bits * f.integers(Elem::u8, {8}, {128, 64, 32, 16, 8, 4, 2, 1}), {-1})};
}

// The bits of the next float are the next integer: floats of one sign are ordered like their bits.
FormulaResults nextAfterFormula(NodeFormula& f) {
  Expr x = f.in(0), y = f.in(1);
  const bool isDouble = f.elem(x) == Elem::f64;
  if (!isDouble && f.elem(x) != Elem::f32) return {};
  const Elem bits = isDouble ? Elem::i64 : Elem::i32;
  Expr least = f.bitcast(f.integers(bits, {}, {1}), f.elem(x));
  Expr isAway = (y > x) == (x > 0.0), number = f.bitcast(x, bits);
  Expr moved = f.bitcast(number + choose(isAway, 1, f.number(-1, bits)), f.elem(x));
  Expr next = choose(x == 0.0, choose(y > 0.0, least, -least), moved);
  next = choose(x == y, y, next);
  return {choose(apply("is_nan", x) || apply("is_nan", y), NAN, next)};
}

}  // namespace axle::tensorflow::elementwise
