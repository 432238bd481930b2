// Unary operators, element by element. f16 and bf16 are computed in f32.
#include <cmath>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"

namespace axle::runtime {
namespace {

// Each operator: the element types it takes, and its value for one element in the type it is computed in.
struct Neg {
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
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::sqrt(x);
  }
};
struct Tanh {
  static constexpr int set = floats;
  template <class C>
  static C apply(C x) {
    return std::tanh(x);
  }
};
struct Sigmoid {
  static constexpr int set = floats;
  // The argument of exp is never positive, so it cannot overflow.
  template <class C>
  static C apply(C x) {
    const C e = std::exp(-std::fabs(x));
    return x >= 0 ? C{1} / (C{1} + e) : e / (C{1} + e);
  }
};
struct Abs {
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
  static constexpr int set = numbers;
  template <class C>
  static C apply(C x) {
    return x <= C{0} ? C{0} : x;
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
bool runUnary(Step& step, Fault&) {
  const T* x = step.in(0).as<T>();
  T* y = step.out(0).as<T>();
  const std::int64_t count = step.out(0).shape.elements();
  for (std::int64_t i = 0; i < count; ++i) y[i] = narrow<T>(Op::apply(widen(x[i])));
  return true;
}

template <class Op>
const char* prepareUnary(Step& step) {
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  step.kernel = forElem<Op::set>(step.in(0).elem, []<class T>() -> Kernel { return &runUnary<Op, T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* prepareNeg(Step& step) { return prepareUnary<Neg>(step); }
const char* prepareNot(Step& step) { return prepareUnary<Not>(step); }
const char* prepareExp(Step& step) { return prepareUnary<Exp>(step); }
const char* prepareLog(Step& step) { return prepareUnary<Log>(step); }
const char* prepareSqrt(Step& step) { return prepareUnary<Sqrt>(step); }
const char* prepareTanh(Step& step) { return prepareUnary<Tanh>(step); }
const char* prepareSigmoid(Step& step) { return prepareUnary<Sigmoid>(step); }
const char* prepareAbs(Step& step) { return prepareUnary<Abs>(step); }
const char* prepareErf(Step& step) { return prepareUnary<Erf>(step); }
const char* prepareRsqrt(Step& step) { return prepareUnary<Rsqrt>(step); }
const char* prepareFloor(Step& step) { return prepareUnary<Floor>(step); }
const char* prepareCeil(Step& step) { return prepareUnary<Ceil>(step); }
const char* prepareRound(Step& step) { return prepareUnary<Round>(step); }
const char* prepareSign(Step& step) { return prepareUnary<Sign>(step); }
const char* prepareRelu(Step& step) { return prepareUnary<Relu>(step); }
const char* prepareSin(Step& step) { return prepareUnary<Sin>(step); }
const char* prepareCos(Step& step) { return prepareUnary<Cos>(step); }
const char* prepareAsin(Step& step) { return prepareUnary<Asin>(step); }
const char* prepareAcos(Step& step) { return prepareUnary<Acos>(step); }
const char* prepareAtan(Step& step) { return prepareUnary<Atan>(step); }
const char* prepareTan(Step& step) { return prepareUnary<Tan>(step); }
const char* prepareSinh(Step& step) { return prepareUnary<Sinh>(step); }
const char* prepareCosh(Step& step) { return prepareUnary<Cosh>(step); }
const char* prepareAsinh(Step& step) { return prepareUnary<Asinh>(step); }
const char* prepareAcosh(Step& step) { return prepareUnary<Acosh>(step); }
const char* prepareAtanh(Step& step) { return prepareUnary<Atanh>(step); }
const char* prepareLog1p(Step& step) { return prepareUnary<Log1p>(step); }
const char* prepareExpm1(Step& step) { return prepareUnary<Expm1>(step); }
const char* prepareLog2(Step& step) { return prepareUnary<Log2>(step); }
const char* prepareExp2(Step& step) { return prepareUnary<Exp2>(step); }
const char* prepareCbrt(Step& step) { return prepareUnary<Cbrt>(step); }
const char* prepareTrunc(Step& step) { return prepareUnary<Trunc>(step); }
const char* prepareBitNot(Step& step) { return prepareUnary<BitNot>(step); }

}  // namespace axle::runtime
