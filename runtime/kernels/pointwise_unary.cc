// Unary pointwise operators. f16 and bf16 are computed in f32.
#include <cmath>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/vector_rows.h"
#include "runtime/kernels/widened_rows.h"

namespace axle::runtime {
namespace {

// Each operator has the element types that it takes, and its value for one element, in the type for computing.
struct Neg {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorNeg); }
  static constexpr int set = numbers;
  template <class C>
  static C apply(C x) {
    if constexpr (std::is_integral_v<C>)
      return static_cast<C>(Wrapping<C>{0} - static_cast<Wrapping<C>>(x));
    else
      return -x;
  }
};
struct Not {
  static constexpr int set = booleans;
  static bool apply(bool x) { return !x; }
};
struct Exp {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorExp); }
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::exp(x);
  }
};
struct Log {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::log(x);
  }
};
struct Sqrt {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorSqrt); }
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::sqrt(x);
  }
};
struct Tanh {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorTanh); }
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::tanh(x);
  }
};
struct Sigmoid {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorSigmoid); }
  static RowKernel gate() { return AXLE_KERNELS_IN_USE(vectorGate); }
  static constexpr int set = floats;
  // The argument of exp is never positive, so it cannot overflow.
  template <class C>
  static C apply(C x) {
    const C e = std::exp(-std::fabs(x));
    return x >= 0 ? C{1} / (C{1} + e) : e / (C{1} + e);
  }
};
struct Abs {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorAbs); }
  static constexpr int set = numbers;
  template <class C>
  static C apply(C x) {
    if constexpr (std::is_floating_point_v<C>)
      return std::fabs(x);
    else
      return x < C{0} ? Neg::apply(x) : x;
  }
};
struct Erf {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::erf(x);
  }
};
struct Rsqrt {
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorRsqrt); }
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return C{1} / std::sqrt(x);
  }
};
struct Floor {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::floor(x);
  }
};
struct Ceil {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::ceil(x);
  }
};
struct Round {  // ties to even
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::nearbyint(x);
  }
};
struct Sign {  // NaN for NaN
  static constexpr int set = numbers;
  template <class C>
  static C apply(C x) {
    return x > C{0} ? C{1} : x < C{0} ? static_cast<C>(-1) : x == C{0} ? C{0} : x;
  }
};
struct Relu {  // NaN for NaN
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorRelu); }
  static constexpr int set = numbers;
  template <class C>
  static C apply(C x) {
    return x <= C{0} ? C{0} : x;
  }
};
struct HardSwish {  // x * (relu6(x + 3) / 6), each step rounded
  static RowKernel vector() { return AXLE_KERNELS_IN_USE(vectorHardSwish); }
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    const C gate = x + C{3};
    return x * ((gate <= C{0} ? C{0} : gate >= C{6} ? C{6} : gate) / C{6});
  }
};
struct Sin {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::sin(x);
  }
};
struct Cos {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::cos(x);
  }
};
struct Asin {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::asin(x);
  }
};
struct Acos {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::acos(x);
  }
};
struct Atan {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::atan(x);
  }
};
struct Tan {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::tan(x);
  }
};
struct Sinh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::sinh(x);
  }
};
struct Cosh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::cosh(x);
  }
};
struct Asinh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::asinh(x);
  }
};
struct Acosh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::acosh(x);
  }
};
struct Atanh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::atanh(x);
  }
};
struct Log1p {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::log1p(x);
  }
};
struct Expm1 {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::expm1(x);
  }
};
struct Log2 {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::log2(x);
  }
};
struct Exp2 {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::exp2(x);
  }
};
struct Cbrt {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::cbrt(x);
  }
};
struct Trunc {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::trunc(x);
  }
};
struct BitNot {
  static constexpr int set = ints;
  template <class C>
  static C apply(C x) {
    return static_cast<C>(~x);
  }
};

template <class Op, class T>
bool rowOfUnary(const Row& row) {
  const T* x = static_cast<const T*>(row.operands[0]);
  T* y = static_cast<T*>(row.result);
  for (std::int64_t i = 0; i < row.count; ++i) y[i] = narrow<T>(Op::apply(widen(x[i])));
  return true;
}

template <class Op, int linked = allElems>
RowChoice chooseUnary(const Elem* operands, Elem result) {
  constexpr int set = Op::set & linked;
  if (operands[0] != result) return {nullptr, "input and output differ in element type"};
  if constexpr ((set & onlyHalves) != 0)
    if (const Elem wide = computedIn(result); wide != result)
      return widenedRows(chooseUnary<Op, linked>(&wide, wide), 1, result, result);
  if (const RowKernel kernel = vectorKernel<Op>(result)) {
    RowChoice choice{kernel, nullptr, true};
    if constexpr (requires { Op::gate(); }) choice.gate = Op::gate();
    return choice;
  }
  const RowKernel kernel =
      forElem < set & ~onlyHalves > (result, []<class T>() -> RowKernel { return &rowOfUnary<Op, T>; });
  return {kernel, kernel == nullptr ? "not for this element type" : nullptr};
}

}  // namespace

RowChoice rowNeg(const Elem* operands, Elem result) { return chooseUnary<Neg>(operands, result); }
RowChoice rowNot(const Elem* operands, Elem result) { return chooseUnary<Not>(operands, result); }
RowChoice rowExp(const Elem* operands, Elem result) { return chooseUnary<Exp>(operands, result); }
RowChoice rowLog(const Elem* operands, Elem result) { return chooseUnary<Log>(operands, result); }
RowChoice rowSqrt(const Elem* operands, Elem result) { return chooseUnary<Sqrt>(operands, result); }
RowChoice rowTanh(const Elem* operands, Elem result) { return chooseUnary<Tanh>(operands, result); }
RowChoice rowSigmoid(const Elem* operands, Elem result) { return chooseUnary<Sigmoid>(operands, result); }
RowChoice rowAbs(const Elem* operands, Elem result) { return chooseUnary<Abs>(operands, result); }
RowChoice rowErf(const Elem* operands, Elem result) { return chooseUnary<Erf>(operands, result); }
RowChoice rowRsqrt(const Elem* operands, Elem result) { return chooseUnary<Rsqrt>(operands, result); }
RowChoice rowFloor(const Elem* operands, Elem result) { return chooseUnary<Floor>(operands, result); }
RowChoice rowCeil(const Elem* operands, Elem result) { return chooseUnary<Ceil>(operands, result); }
RowChoice rowRound(const Elem* operands, Elem result) { return chooseUnary<Round>(operands, result); }
RowChoice rowSign(const Elem* operands, Elem result) { return chooseUnary<Sign>(operands, result); }
RowChoice rowRelu(const Elem* operands, Elem result) { return chooseUnary<Relu>(operands, result); }
RowChoice rowHardSwish(const Elem* operands, Elem result) { return chooseUnary<HardSwish>(operands, result); }
RowChoice rowSin(const Elem* operands, Elem result) { return chooseUnary<Sin>(operands, result); }
RowChoice rowCos(const Elem* operands, Elem result) { return chooseUnary<Cos>(operands, result); }
RowChoice rowAsin(const Elem* operands, Elem result) { return chooseUnary<Asin>(operands, result); }
RowChoice rowAcos(const Elem* operands, Elem result) { return chooseUnary<Acos>(operands, result); }
RowChoice rowAtan(const Elem* operands, Elem result) { return chooseUnary<Atan>(operands, result); }
RowChoice rowTan(const Elem* operands, Elem result) { return chooseUnary<Tan>(operands, result); }
RowChoice rowSinh(const Elem* operands, Elem result) { return chooseUnary<Sinh>(operands, result); }
RowChoice rowCosh(const Elem* operands, Elem result) { return chooseUnary<Cosh>(operands, result); }
RowChoice rowAsinh(const Elem* operands, Elem result) { return chooseUnary<Asinh>(operands, result); }
RowChoice rowAcosh(const Elem* operands, Elem result) { return chooseUnary<Acosh>(operands, result); }
RowChoice rowAtanh(const Elem* operands, Elem result) { return chooseUnary<Atanh>(operands, result); }
RowChoice rowLog1p(const Elem* operands, Elem result) { return chooseUnary<Log1p>(operands, result); }
RowChoice rowExpm1(const Elem* operands, Elem result) { return chooseUnary<Expm1>(operands, result); }
RowChoice rowLog2(const Elem* operands, Elem result) { return chooseUnary<Log2>(operands, result); }
RowChoice rowExp2(const Elem* operands, Elem result) { return chooseUnary<Exp2>(operands, result); }
RowChoice rowCbrt(const Elem* operands, Elem result) { return chooseUnary<Cbrt>(operands, result); }
RowChoice rowTrunc(const Elem* operands, Elem result) { return chooseUnary<Trunc>(operands, result); }
RowChoice rowBitNot(const Elem* operands, Elem result) { return chooseUnary<BitNot>(operands, result); }

RowChoice f32::rowExp(const Elem* operands, Elem result) { return chooseUnary<Exp, onlyF32>(operands, result); }
RowChoice f32::rowTanh(const Elem* operands, Elem result) { return chooseUnary<Tanh, onlyF32>(operands, result); }
RowChoice f32::rowSigmoid(const Elem* operands, Elem result) { return chooseUnary<Sigmoid, onlyF32>(operands, result); }
RowChoice f32::rowRelu(const Elem* operands, Elem result) { return chooseUnary<Relu, onlyF32>(operands, result); }
RowChoice f32::rowHardSwish(const Elem* operands, Elem result) {
  return chooseUnary<HardSwish, onlyF32>(operands, result);
}
RowChoice f32::rowRsqrt(const Elem* operands, Elem result) { return chooseUnary<Rsqrt, onlyF32>(operands, result); }

}  // namespace axle::runtime
