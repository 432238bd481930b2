// Binary operators, element by element, with broadcasting.
#include <cmath>

#include "dims/arithmetic.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

// Each operator: the element types it takes, whether it gives bool, and its value for one pair. A pair for which
// `fails` is true ends the run.
struct Arithmetic {
  static constexpr bool signless = false;  // one kernel for signed and unsigned integers of a width
  static constexpr int set = numbers;
  static constexpr bool givesBool = false;
  template <class C>
  static bool fails(C, C) {
    return false;
  }
};
struct Comparison : Arithmetic {
  static constexpr bool givesBool = true;
};
struct Logic : Comparison {
  static constexpr int set = booleans;
};

struct Add : Arithmetic {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(toSum(a) + toSum(b));
  }
};
struct Sub : Arithmetic {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(toSum(a) - toSum(b));
  }
};
struct Mul : Arithmetic {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(toSum(a) * toSum(b));
  }
};
struct IntegerDivision : Arithmetic {
  template <class C>
  static bool fails(C, C b) {
    return std::is_integral_v<C> && b == C{0};
  }
};
struct Div : IntegerDivision {  // floors
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>)
      return a / b;
    else if constexpr (std::is_unsigned_v<C>)
      return static_cast<C>(a / b);
    else if (b == C{-1})
      return static_cast<C>(Wrapping<C>{0} - static_cast<Wrapping<C>>(a));
    else
      return floorDiv(a, b);
  }
};
struct Mod : IntegerDivision {  // has the divisor's sign
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) {
      const C rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (std::is_unsigned_v<C>) {
      return static_cast<C>(a % b);
    } else {
      return floorMod(a, b);
    }
  }
};
struct Maximum : Arithmetic {
  template <class C>
  static C apply(C a, C b) {
    return greaterOf(a, b);
  }
};
struct Minimum : Arithmetic {
  template <class C>
  static C apply(C a, C b) {
    return lesserOf(a, b);
  }
};
struct Pow : Arithmetic {  // integers wrap; a negative exponent gives 1 / power, rounded toward zero
  template <class C>
  static bool fails(C a, C b) {
    return std::is_integral_v<C> && a == C{0} && b < C{0};
  }
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) {
      return std::pow(a, b);
    } else {
      if (b < C{0}) return a == C{1} ? C{1} : a == static_cast<C>(-1) ? ((b & 1) != 0 ? a : C{1}) : C{0};
      Wrapping<C> power = 1, square = static_cast<Wrapping<C>>(a);
      for (auto rest = static_cast<Wrapping<C>>(b); rest != 0; rest >>= 1, square *= square)
        if ((rest & 1) != 0) power *= square;
      return static_cast<C>(power);
    }
  }
};

struct Less : Comparison {
  template <class C>
  static bool apply(C a, C b) {
    return a < b;
  }
};
struct LessEqual : Comparison {
  template <class C>
  static bool apply(C a, C b) {
    return a <= b;
  }
};
struct Greater : Comparison {
  template <class C>
  static bool apply(C a, C b) {
    return a > b;
  }
};
struct GreaterEqual : Comparison {
  template <class C>
  static bool apply(C a, C b) {
    return a >= b;
  }
};
struct Equal : Comparison {
  static constexpr int set = allElems;
  template <class C>
  static bool apply(C a, C b) {
    return a == b;
  }
};
struct NotEqual : Comparison {
  static constexpr int set = allElems;
  template <class C>
  static bool apply(C a, C b) {
    return a != b;
  }
};
struct And : Logic {
  static bool apply(bool a, bool b) { return a && b; }
};
struct Or : Logic {
  static bool apply(bool a, bool b) { return a || b; }
};
struct Atan2 : Arithmetic {
  static constexpr int set = floats;
  template <class C>
  static C apply(C a, C b) {
    return std::atan2(a, b);
  }
};
struct Bits : Arithmetic {
  static constexpr int set = unsignedInts;
  static constexpr bool signless = true;
};
struct BitAnd : Bits {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(a & b);
  }
};
struct BitOr : Bits {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(a | b);
  }
};
struct BitXor : Bits {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(a ^ b);
  }
};
template <class C>
constexpr bool shiftsOut(C count) {
  return count < C{0} || static_cast<std::uint64_t>(count) >= 8 * sizeof(C);
}
struct ShiftLeft : Arithmetic {
  static constexpr int set = ints;
  template <class C>
  static C apply(C a, C b) {
    return shiftsOut(b) ? C{0} : static_cast<C>(static_cast<Wrapping<C>>(a) << b);
  }
};
struct ShiftRight : Arithmetic {  // keeps the sign of signed integers
  static constexpr int set = ints;
  template <class C>
  static C apply(C a, C b) {
    return shiftsOut(b) ? static_cast<C>(a < C{0} ? -1 : 0) : static_cast<C>(a >> b);
  }
};

// One row of results; an operand moves by 1 element or stays. False where the operator fails.
template <class Op, class T, class Out, bool aMoves, bool bMoves>
bool rowOf(const T* a, const T* b, Out* out, std::int64_t count) {
  bool failed = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const Wide<T> x = widen(a[aMoves ? i : 0]), y = widen(b[bMoves ? i : 0]);
    if (Op::fails(x, y))
      failed = true;
    else
      out[i] = narrow<Out>(Op::apply(x, y));
  }
  return !failed;
}

template <class Op, class T>
bool runBinary(Step& step, Fault& fault) {
  using Out = std::conditional_t<Op::givesBool, Bool, T>;
  using Row = bool (*)(const T*, const T*, Out*, std::int64_t);
  static constexpr Row rows[2][2] = {{rowOf<Op, T, Out, false, false>, rowOf<Op, T, Out, false, true>},
                                     {rowOf<Op, T, Out, true, false>, rowOf<Op, T, Out, true, true>}};
  const Shape* shapes[] = {&step.in(0).shape, &step.in(1).shape};
  BroadcastLoop loop(step.out(0).shape, shapes);
  const Row row = rows[loop.innerStep(0) != 0][loop.innerStep(1) != 0];
  const T* a = step.in(0).as<T>();
  const T* b = step.in(1).as<T>();
  Out* out = step.out(0).as<Out>();
  do {
    if (!row(a + loop.offset(0), b + loop.offset(1), out, loop.inner())) {
      fault.code = ErrorCode::divisionByZero;
      fault.message = "an integer is divided by zero";
      return false;
    }
    out += loop.inner();
  } while (loop.next());
  return true;
}

template <class Op>
const char* prepareBinary(Step& step) {
  if (step.in(0).elem != step.in(1).elem) return "the operands differ in element type";
  if (step.out(0).elem != (Op::givesBool ? Elem::boolean : step.in(0).elem))
    return "the result has another element type";
  if (!stretches(step.in(0).shape, step.out(0).shape) || !stretches(step.in(1).shape, step.out(0).shape))
    return "the operands do not stretch to the result's shape";
  const Elem elem = Op::signless ? unsignedOf(step.in(0).elem) : step.in(0).elem;
  step.kernel = forElem<Op::set>(elem, []<class T>() -> Kernel { return &runBinary<Op, T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* prepareAdd(Step& step) { return prepareBinary<Add>(step); }
const char* prepareSub(Step& step) { return prepareBinary<Sub>(step); }
const char* prepareMul(Step& step) { return prepareBinary<Mul>(step); }
const char* prepareDiv(Step& step) { return prepareBinary<Div>(step); }
const char* prepareMod(Step& step) { return prepareBinary<Mod>(step); }
const char* prepareMaximum(Step& step) { return prepareBinary<Maximum>(step); }
const char* prepareMinimum(Step& step) { return prepareBinary<Minimum>(step); }
const char* preparePow(Step& step) { return prepareBinary<Pow>(step); }
const char* prepareLess(Step& step) { return prepareBinary<Less>(step); }
const char* prepareLessEqual(Step& step) { return prepareBinary<LessEqual>(step); }
const char* prepareGreater(Step& step) { return prepareBinary<Greater>(step); }
const char* prepareGreaterEqual(Step& step) { return prepareBinary<GreaterEqual>(step); }
const char* prepareEqual(Step& step) { return prepareBinary<Equal>(step); }
const char* prepareNotEqual(Step& step) { return prepareBinary<NotEqual>(step); }
const char* prepareAnd(Step& step) { return prepareBinary<And>(step); }
const char* prepareOr(Step& step) { return prepareBinary<Or>(step); }
const char* prepareAtan2(Step& step) { return prepareBinary<Atan2>(step); }
const char* prepareBitAnd(Step& step) { return prepareBinary<BitAnd>(step); }
const char* prepareBitOr(Step& step) { return prepareBinary<BitOr>(step); }
const char* prepareBitXor(Step& step) { return prepareBinary<BitXor>(step); }
const char* prepareShiftLeft(Step& step) { return prepareBinary<ShiftLeft>(step); }
const char* prepareShiftRight(Step& step) { return prepareBinary<ShiftRight>(step); }

}  // namespace axle::runtime
