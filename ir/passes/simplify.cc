// Algebra that keeps every bit: identities, casts, chains that equal one operator, and operators that only move
// elements.
#include <cmath>

#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

bool isFloat(Elem elem) { return info(elem).isFloat; }

// Whether x has the result's type. If not, another operand broadcasts it.
bool keepsType(const Found& f) {
  return f.fact(x).elem == f.resultFact().elem && f.fact(x).shape == f.resultFact().shape;
}
bool isNumber(const Found& f, double number) { return keepsType(f) && f.number(c) == number; }
bool isZero(const Found& f, bool isNegative) {
  return isNumber(f, 0) && (!isFloat(f.fact(x).elem) || std::signbit(*f.number(c)) == isNegative);
}

bool isOne(const Found& f) { return isNumber(f, 1) && f.fact(x).elem != Elem::boolean; }
bool isAddedZero(const Found& f) { return isZero(f, true); }        // x + -0: 0 + -0 is 0, and -0 + -0 is -0
bool isSubtractedZero(const Found& f) { return isZero(f, false); }  // x - 0: -0 - 0 is -0
bool isTrue(const Found& f) { return isNumber(f, 1); }
bool isFalse(const Found& f) { return isNumber(f, 0); }
bool isFloatPower(const Found& f) { return isFloat(f.fact(x).elem) && isNumber(f, 1); }

// ---- chains that equal one operator

const Pattern divisor{Pattern::Kind::constantHole, 6};

// Has two holes for the constant 6, which an imported graph may have twice. For f16 and bf16, HARD_SWISH rounds once
// and the chain at each step.
Pattern hardSwishChain() {
  const Pattern gate = once(on(Op::maximum, once(on(Op::add, x, s)), w));
  return on(Op::mul, x, once(on(Op::div, once(on(Op::minimum, gate, c)), divisor)));
}

bool isHardSwish(const Found& f) {
  const Elem elem = f.resultFact().elem;
  return (elem == Elem::f32 || elem == Elem::f64) && keepsType(f) && f.number(s) == 3 && f.number(w) == 0 &&
         !std::signbit(*f.number(w)) && f.number(c) == 6 && f.number(divisor) == 6;
}

// ---- casts

int mantissaBits(Elem elem) {
  switch (elem) {
    case Elem::f16:
      return 11;
    case Elem::bf16:
      return 8;
    case Elem::f32:
      return 24;
    default:
      return 53;
  }
}

int valueBits(Elem elem) { return static_cast<int>(info(elem).bytes) * 8 - (info(elem).isSigned ? 1 : 0); }

// Whether the second type has every value of the first.
bool contains(Elem from, Elem to) {
  if (from == to) return true;
  const ElemInfo &a = info(from), &b = info(to);
  if (from == Elem::string || to == Elem::string || to == Elem::boolean) return false;
  if (from == Elem::boolean) return true;
  if (a.isFloat)
    return b.isFloat && mantissaBits(from) <= mantissaBits(to) && (from != Elem::bf16 || to != Elem::f16) &&
           a.bytes < b.bytes;
  if (b.isFloat) return valueBits(from) <= mantissaBits(to) && to != Elem::f16;
  return valueBits(from) <= valueBits(to) && (!a.isSigned || b.isSigned);
}

// Whether cast(cast(x)) is one cast: the first must lose nothing, and the second must convert the value from both types
// in the same way, since integers wrap and floats saturate.
bool isDoubleCast(const Found& f) {
  const Elem from = f.fact(x).elem, over = f.factOf(0).elem, to = f.resultFact().elem;
  return contains(from, over) && (isFloat(from) == isFloat(over) || isFloat(to) || contains(from, to));
}

OutletId castOnce(const Found& f, PatchBuilder& p) {
  return f.fact(x).elem == f.resultFact().elem ? f[x] : p.wire(Op::cast, {f[x]}, {}, &f.resultFact());
}

// ---- choice

bool isChosen(const Found& f, bool value) {
  const std::optional<double> number = f.number(c);
  return number && (*number != 0) == value && keepsType(f);
}
bool choosesFirst(const Found& f) { return isChosen(f, true); }
bool choosesSecond(const Found& f) { return isChosen(f, false); }

}  // namespace

std::span<const Rule> simplifyRules() {
  // clang-format off
  static const Rule own[] = {
      {"x * 1",           on(Op::mul, x, c),                         x,                  isOne},
      {"x / 1",           on(Op::div, x, c),                         x,                  isOne},
      {"x + 0",           on(Op::add, x, c),                         x,                  isAddedZero},
      {"x - 0",           on(Op::sub, x, c),                         x,                  isSubtractedZero},
      {"x ^ 1",           on(Op::pow, x, c),                         x,                  isFloatPower},
      {"x and true",      on(Op::logicalAnd, x, c),                  x,                  isTrue},
      {"x or false",      on(Op::logicalOr, x, c),                   x,                  isFalse},
      {"maximum of one",  on(Op::maximum, x, x),                     x},
      {"minimum of one",  on(Op::minimum, x, x),                     x},
      {"double negation", on(Op::neg, on(Op::neg, x)),               x},
      {"double not",      on(Op::logicalNot, on(Op::logicalNot, x)), x},
      {"add a negative",  on(Op::add, x, once(on(Op::neg, y))),      on(Op::sub, x, y)},
      {"subtract a negative", on(Op::sub, x, once(on(Op::neg, y))),  on(Op::add, x, y)},
      {"double relu",     on(Op::relu, on(Op::relu, x).as(0)),       on(Op::relu, x).as(0)},
      {"double abs",      on(Op::abs, on(Op::abs, x).as(0)),         on(Op::abs, x).as(0)},
      {"double floor",    on(Op::floor, on(Op::floor, x).as(0)),     on(Op::floor, x).as(0)},
      {"double ceil",     on(Op::ceil, on(Op::ceil, x).as(0)),       on(Op::ceil, x).as(0)},
      {"double round",    on(Op::round, on(Op::round, x).as(0)),     on(Op::round, x).as(0)},
      {"double trunc",    on(Op::trunc, on(Op::trunc, x).as(0)),     on(Op::trunc, x).as(0)},
      {"double sign",     on(Op::sign, on(Op::sign, x).as(0)),       on(Op::sign, x).as(0)},
      {"hard swish",      hardSwishChain(),                          on(Op::hardSwish, x), isHardSwish},
      {"double cast",     on(Op::cast, on(Op::cast, x).as(0)),       castOnce,           isDoubleCast},
      {"choose the first", on(Op::select, c, x, y),                  x,                  choosesFirst},
      {"choose the second", on(Op::select, c, y, x),                 x,                  choosesSecond},
      {"choose one of one", on(Op::select, y, x, x),                 x,                  keepsType},
  };
  // clang-format on
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules(std::begin(own), std::end(own));
    const std::span<const Rule> structure = structureRules();
    rules.insert(rules.end(), structure.begin(), structure.end());
    return rules;
  }();
  return all;
}

}  // namespace axle::ir
