// Functions of batches. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"

namespace axle::runtime {

// Returns a / b, rounded as IEEE 754 requires if the instruction set can (32-bit NEON cannot: it approximates).
template <class V>
V quotient(V a, V b) {
  return a / b;
}
template <class V>
V squareRoot(V x) {
  return xsimd::sqrt(x);
}
#if defined(__aarch64__)
using Neon64 = xsimd::batch<float, xsimd::neon64>;
inline Neon64 quotient(Neon64 a, Neon64 b) { return Neon64(vdivq_f32(a, b)); }
inline Neon64 squareRoot(Neon64 x) { return Neon64(vsqrtq_f32(x)); }
#endif

// Returns the greater value, NaN if either is NaN.
template <class V>
V greater(V a, V b) {
  return select(isnan(a), a, max(a, b));
}
template <class V>
V lesser(V a, V b) {
  return select(isnan(a), a, min(a, b));
}

// Returns 2^n for whole numbers n from -126 to 127.
template <class V>
V powerOfTwo(V n) {
  using Int = xsimd::batch<std::int32_t, typename V::arch_type>;
  const Int bits = (xsimd::to_int(n) + Int(127)) << 23;
  return xsimd::bitwise_cast<V>(bits);
}

// Returns ((first*x + c)*x + ...): the coefficients begin with that of the highest power.
template <class V, class... Coefficient>
[[gnu::always_inline]] inline V polynomial(V x, V first, Coefficient... c) {
  ((first = fma(first, x, V(c))), ...);
  return first;
}

// e^(sign*x) = e^(sign*rest) * 2^n with |rest| <= log(2)/2. The lowest 9 bits of `shifted` are n + bias: adding
// 1.5*2^23 rounds to a whole number and puts its bits there. For |x| < 2^20. `slope`: (e^(sign*rest) - 1)/rest, as a
// polynomial that gives e^(sign*rest) a relative error of at most 3e-9.
template <class V>
struct Exponential {
  using Int = xsimd::batch<std::int32_t, typename V::arch_type>;
  V rest, slope, shifted;

  V factor() const { return fma(slope, rest, V(1.0f)); }
  Int exponentBits() const { return xsimd::bitwise_cast<Int>(shifted) << 23; }
};
template <int sign, int bias, class V>
[[gnu::always_inline]] inline Exponential<V> exponentialOf(V x) {
  const V shift(0x1.8p23f + bias), shifted = fma(x, V(sign * 1.44269504088896341f), shift), n = shifted - shift;
  V rest = fma(n, V(-sign * 0.693359375f), x);
  rest = fma(n, V(sign * 2.12194440e-4f), rest);
  const V slope = polynomial(rest, V(1.381446571e-3f), sign * 8.36878053e-3f, 4.166839424e-2f, sign * 0.1666652011f,
                             0.4999999341f, sign * 1.0f);
  return {rest, slope, shifted};
}

// Returns e^x. The factor's exponent cannot overflow between the limits: at the higher one n is 128 and the factor
// below 1.
template <class V>
[[gnu::always_inline]] inline V exponential(V x) {
  constexpr float lowest = -87.33654f, highest = 88.72283f;  // e^x is 2^-126, and the largest f32
  const Exponential<V> e = exponentialOf<1, 0>(x);
  const V y = xsimd::bitwise_cast<V>(xsimd::bitwise_cast<typename Exponential<V>::Int>(e.factor()) + e.exponentBits());
  return select(x < V(lowest), V(0.0f), select(x <= V(highest), y, x + V(INFINITY)));
}

// Returns 1/(1 + e^-x). Between the limits 2^n is 0, normal or infinite.
template <class V>
[[gnu::always_inline]] inline V logistic(V x) {
  const Exponential<V> e = exponentialOf<-1, 127>(min(V(88.0f), max(V(-89.0f), x)));
  return quotient(V(1.0f), fma(e.factor(), xsimd::bitwise_cast<V>(e.exponentBits()), V(1.0f)));
}

// Returns tanh(x): |tanh(x)| is y/(y + 2) with y = e^2|x| - 1, which is precise for small x too. Beyond the limit it is
// 1.
template <class V>
[[gnu::always_inline]] inline V hyperbolicTangent(V x) {
  const V size = min(V(10.0f), xsimd::abs(x));
  const Exponential<V> e = exponentialOf<1, 127>(size + size);
  const V power = xsimd::bitwise_cast<V>(e.exponentBits());
  const V y = fma(e.slope * e.rest, power, power - V(1.0f));
  return quotient(y, y + V(2.0f)) | xsimd::bitofsign(x);
}

// Returns tanh(a)/(1 + e^-b) with one division. tanh |a| = y/(2 - y) with y = 1 - e^-2|a|, whose denominator cannot
// overflow.
template <class V>
[[gnu::always_inline]] inline V gated(V a, V b) {
  const V size = min(V(10.0f), xsimd::abs(a));
  const Exponential<V> e = exponentialOf<-1, 127>(size + size);
  const V power = xsimd::bitwise_cast<V>(e.exponentBits());
  const V y = V(1.0f) - power - e.slope * e.rest * power;
  const Exponential<V> f = exponentialOf<-1, 127>(min(V(88.0f), max(V(-89.0f), b)));
  const V gate = fma(f.factor(), xsimd::bitwise_cast<V>(f.exponentBits()), V(1.0f));
  return quotient(y, (V(2.0f) - y) * gate) | xsimd::bitofsign(a);
}

// Returns a*b + c with one rounding, if the instruction set has that.
template <class V>
V fused(V a, V b, V c) {
  return fma(a, b, c);
}
#if defined(__AVX512F__)
using Avx512 = xsimd::batch<float, xsimd::avx512bw>;
inline Avx512 fused(Avx512 a, Avx512 b, Avx512 c) { return _mm512_fmadd_ps(a, b, c); }
#endif

template <class V, class... Coefficient>
[[gnu::always_inline]] inline V fusedPolynomial(V x, V first, Coefficient... c) {
  ((first = fused(first, x, V(c))), ...);
  return first;
}

// Returns x^y, computing the exponent of 2 in twice the precision: log2(x) = e + 2*atanh((m - 1)/(m + 1))/log(2) for x
// = 2^e * m. Sets `outside` if the formula does not hold: if x is not positive or not normal, or the result may not be
// normal.
template <class V>
[[gnu::always_inline]] inline V powerOfPositive(V x, V y, bool& outside) {
  using Int = xsimd::batch<std::int32_t, typename V::arch_type>;
  const Int bits = xsimd::bitwise_cast<Int>(x), e = (bits - Int(0x3f330000)) >> 23;
  const V m = xsimd::bitwise_cast<V>(bits - (e << 23)), exponent = xsimd::to_float(e);
  const V sum = m + V(1.0f), rest = m - (sum - V(1.0f));
  const V s = quotient(m - V(1.0f), sum);
  const V sLow = quotient(fused(-s, sum, m - V(1.0f)) - s * rest, sum);
  const V square = s * s;
  const V p =
      fusedPolynomial(square, V(0.1538461538f), 0.1818181818f, 0.2222222222f, 0.2857142857f, 0.4f, 0.6666666667f);
  const V high = s + s, low = fused(p * square, s, sLow + sLow);
  const V log = fused(high, V(1.44269502f), exponent);
  const V logLow = fused(high, V(1.44269502f), exponent - log) + fused(high, V(1.92596303e-8f), low * V(1.44269502f));
  const V z = y * log;
  outside = !xsimd::all((x >= V(0x1p-126f)) & (x < V(INFINITY)) & (xsimd::abs(z) < V(125.0f)));
  const V n = xsimd::nearbyint(z), r = fused(y, logLow, fused(y, log, -n)) * V(0.693147182f);
  V q = fusedPolynomial(r, V(1.9875691500e-4f), 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                        5.0000001201e-1f);
  q = fused(q, r * r, r + V(1.0f));
  return q * powerOfTwo(select(xsimd::abs(n) < V(126.0f), n, V(0.0f)));
}

template <class V>
V power(V x, V y) {
  bool outside = false;
  const V result = powerOfPositive(x, y, outside);
  if (!outside) return result;
  alignas(64) float bases[V::size], exponents[V::size];
  x.store_unaligned(bases);
  y.store_unaligned(exponents);
  for (std::size_t i = 0; i < V::size; ++i) bases[i] = __builtin_powf(bases[i], exponents[i]);
  return V::load_unaligned(bases);
}

}  // namespace axle::runtime
