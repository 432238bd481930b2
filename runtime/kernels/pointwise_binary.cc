// Binary pointwise operators, with broadcasting. f16 and bf16 are computed in f32.
#include <algorithm>
#include <cmath>

#include "dims/arithmetic.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/vector_rows.h"
#include "runtime/kernels/widened_rows.h"

namespace axle::runtime {
namespace {

// Each operator has the element types that it takes, whether its result is bool, and its value for one pair. The run
// ends with an error at a pair for which `fails` is true.
struct Arithmetic {
  static constexpr bool signless = false;  // one kernel for signed and unsigned integers of a width
  static constexpr int set = numbers;
  static constexpr bool givesBool = false;
  template <class C>
  static bool fails(C, C) {
    return false;
  }
};
struct WrappingArithmetic : Arithmetic {
  static constexpr bool signless = true;
  static constexpr int set = numbers & ~signedInts;
};
struct Comparison : Arithmetic {
  static constexpr bool givesBool = true;
};
struct Equality : Comparison {
  static constexpr bool signless = true;
  static constexpr int set = allElems & ~signedInts;
};
struct Logic : Comparison {
  static constexpr int set = booleans;
};

struct Add : WrappingArithmetic {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorAdd); }
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(toSum(a) + toSum(b));
  }
};
struct Sub : WrappingArithmetic {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorSub); }
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(toSum(a) - toSum(b));
  }
};
struct Mul : WrappingArithmetic {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorMul); }
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
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorDiv); }
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
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorMaximum); }
  template <class C>
  static C apply(C a, C b) {
    return greaterOf(a, b);
  }
};
struct Minimum : Arithmetic {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorMinimum); }
  template <class C>
  static C apply(C a, C b) {
    return lesserOf(a, b);
  }
};
struct Pow : Arithmetic {  // integers wrap; a negative exponent gives 1 / power, rounded toward zero
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorPow); }
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
struct Equal : Equality {
  template <class C>
  static bool apply(C a, C b) {
    return a == b;
  }
};
struct NotEqual : Equality {
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
struct ShiftLeft : Bits {  // a count below 0 is a large one of the unsigned type
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

// An operand advances by 1 element or stays. Returns false if the operator fails.
template <class Op, class T, class Out, bool aMoves, bool bMoves>
bool rowOfBinary(const Row& row) {
  const T* a = static_cast<const T*>(row.operands[0]);
  const T* b = static_cast<const T*>(row.operands[1]);
  Out* out = static_cast<Out*>(row.result);
  bool failed = false;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const Wide<T> x = widen(a[aMoves ? i : 0]), y = widen(b[bMoves ? i : 0]);
    if (Op::fails(x, y))
      failed = true;
    else
      out[i] = narrow<Out>(Op::apply(x, y));
  }
  return !failed;
}

// Sets all `count` elements to the first.
template <class Out>
[[gnu::noinline]] void repeatFirst(Out* out, std::int64_t count) {
  std::fill_n(out + 1, count - 1, *out);
}

template <class Op, class T>
bool runRow(const Row& row) {
  using Out = std::conditional_t<Op::givesBool, Bool, T>;
  if (row.moves[0])
    return (row.moves[1] ? rowOfBinary<Op, T, Out, true, true> : rowOfBinary<Op, T, Out, true, false>)(row);
  if (row.moves[1] || row.count == 0) return rowOfBinary<Op, T, Out, false, true>(row);
  Row first = row;
  first.count = 1;
  if (!rowOfBinary<Op, T, Out, false, true>(first)) return false;
  repeatFirst(static_cast<Out*>(row.result), row.count);
  return true;
}

template <class Op, int linked = allElems>
RowChoice chooseBinary(const Elem* operands, Elem result) {
  constexpr int set = Op::set & linked;
  if (operands[0] != operands[1]) return {nullptr, "the operands differ in element type"};
  if (result != (Op::givesBool ? Elem::boolean : operands[0])) return {nullptr, "the result has another element type"};
  if constexpr ((set & onlyHalves) != 0)
    if (const Elem wide = computedIn(operands[0]); wide != operands[0]) {
      const Elem both[] = {wide, wide};
      return widenedRows(chooseBinary<Op, linked>(both, computedIn(result)), 2, operands[0], result);
    }
  if (const RowKernel kernel = vectorKernel<Op>(result)) return {kernel, nullptr, true};
  const Elem elem = Op::signless ? unsignedOf(operands[0]) : operands[0];
  const RowKernel kernel = forElem < set & ~onlyHalves > (elem, []<class T>() -> RowKernel { return &runRow<Op, T>; });
  return {kernel, kernel == nullptr ? "not for this element type" : nullptr};
}

}  // namespace

RowChoice rowAdd(const Elem* operands, Elem result) { return chooseBinary<Add>(operands, result); }
RowChoice rowSub(const Elem* operands, Elem result) { return chooseBinary<Sub>(operands, result); }
RowChoice rowMul(const Elem* operands, Elem result) { return chooseBinary<Mul>(operands, result); }
RowChoice rowDiv(const Elem* operands, Elem result) { return chooseBinary<Div>(operands, result); }
RowChoice rowMod(const Elem* operands, Elem result) { return chooseBinary<Mod>(operands, result); }
RowChoice rowMaximum(const Elem* operands, Elem result) { return chooseBinary<Maximum>(operands, result); }
RowChoice rowMinimum(const Elem* operands, Elem result) { return chooseBinary<Minimum>(operands, result); }
RowChoice rowPow(const Elem* operands, Elem result) { return chooseBinary<Pow>(operands, result); }
RowChoice rowLess(const Elem* operands, Elem result) { return chooseBinary<Less>(operands, result); }
RowChoice rowLessEqual(const Elem* operands, Elem result) { return chooseBinary<LessEqual>(operands, result); }
RowChoice rowGreater(const Elem* operands, Elem result) { return chooseBinary<Greater>(operands, result); }
RowChoice rowGreaterEqual(const Elem* operands, Elem result) { return chooseBinary<GreaterEqual>(operands, result); }
RowChoice rowEqual(const Elem* operands, Elem result) { return chooseBinary<Equal>(operands, result); }
RowChoice rowNotEqual(const Elem* operands, Elem result) { return chooseBinary<NotEqual>(operands, result); }
RowChoice rowAnd(const Elem* operands, Elem result) { return chooseBinary<And>(operands, result); }
RowChoice rowOr(const Elem* operands, Elem result) { return chooseBinary<Or>(operands, result); }
RowChoice rowAtan2(const Elem* operands, Elem result) { return chooseBinary<Atan2>(operands, result); }
RowChoice rowBitAnd(const Elem* operands, Elem result) { return chooseBinary<BitAnd>(operands, result); }
RowChoice rowBitOr(const Elem* operands, Elem result) { return chooseBinary<BitOr>(operands, result); }
RowChoice rowBitXor(const Elem* operands, Elem result) { return chooseBinary<BitXor>(operands, result); }
RowChoice rowShiftLeft(const Elem* operands, Elem result) { return chooseBinary<ShiftLeft>(operands, result); }
RowChoice rowShiftRight(const Elem* operands, Elem result) { return chooseBinary<ShiftRight>(operands, result); }

RowChoice f32::rowAdd(const Elem* operands, Elem result) { return chooseBinary<Add, onlyF32>(operands, result); }
RowChoice f32::rowSub(const Elem* operands, Elem result) { return chooseBinary<Sub, onlyF32>(operands, result); }
RowChoice f32::rowMul(const Elem* operands, Elem result) { return chooseBinary<Mul, onlyF32>(operands, result); }
RowChoice f32::rowDiv(const Elem* operands, Elem result) { return chooseBinary<Div, onlyF32>(operands, result); }
RowChoice f32::rowMaximum(const Elem* operands, Elem result) {
  return chooseBinary<Maximum, onlyF32>(operands, result);
}
RowChoice f32::rowMinimum(const Elem* operands, Elem result) {
  return chooseBinary<Minimum, onlyF32>(operands, result);
}

}  // namespace axle::runtime
