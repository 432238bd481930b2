// The kernels of pointwise.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/functions.h"
#include "runtime/vector/pointwise.h"

namespace axle::runtime {

// Define an operator on one batch `x`, or on two, `a` and `b`.
#define AXLE_VECTOR_UNARY(Name, expression)      \
  struct Name {                                  \
    template <class V>                           \
    [[gnu::always_inline]] static V apply(V x) { \
      return expression;                         \
    }                                            \
  };
#define AXLE_VECTOR_BINARY(Name, expression)          \
  struct Name {                                       \
    template <class V>                                \
    [[gnu::always_inline]] static V apply(V a, V b) { \
      return expression;                              \
    }                                                 \
  };

namespace vector {
AXLE_VECTOR_UNARY(Neg, x* V(-1.0f))
AXLE_VECTOR_UNARY(Abs, xsimd::abs(x))
AXLE_VECTOR_UNARY(Relu, select(x <= V(0.0f), V(0.0f), x))
AXLE_VECTOR_UNARY(Sqrt, squareRoot(x))
AXLE_VECTOR_UNARY(Rsqrt, quotient(V(1.0f), squareRoot(x)))
AXLE_VECTOR_UNARY(Exp, exponential(x))
AXLE_VECTOR_UNARY(Tanh, hyperbolicTangent(x))
AXLE_VECTOR_UNARY(Sigmoid, logistic(x))
AXLE_VECTOR_UNARY(HardSwish, x* quotient(lesser(greater(x + V(3.0f), V(0.0f)), V(6.0f)), V(6.0f)))
AXLE_VECTOR_BINARY(Add, a + b)
AXLE_VECTOR_BINARY(Sub, a - b)
AXLE_VECTOR_BINARY(Mul, a* b)
AXLE_VECTOR_BINARY(Div, quotient(a, b))
AXLE_VECTOR_BINARY(Pow, power(a, b))
AXLE_VECTOR_BINARY(Gate, gated(a, b))
// Of zeros, the first one, as the plain kernels.
AXLE_VECTOR_BINARY(Maximum, select((a < b) | isnan(b), b, a))
AXLE_VECTOR_BINARY(Minimum, select((b < a) | isnan(b), b, a))
}  // namespace vector
#undef AXLE_VECTOR_UNARY
#undef AXLE_VECTOR_BINARY

// Copies fewer elements than a vector has, without calling memcpy.
template <class V>
[[gnu::always_inline]] inline void copyFew(float* to, const float* from, std::int64_t count) {
  for (; count >= 4; count -= 4, to += 4, from += 4) __builtin_memcpy(to, from, 4 * sizeof(float));
  if ((count & 2) != 0) __builtin_memcpy(to, from, 2 * sizeof(float)), to += 2, from += 2;
  if ((count & 1) != 0) *to = *from;
}

// Loads the first `count` elements and sets the others to 0.
template <class V>
V loadSome(const float* from, std::int64_t count) {
  alignas(64) float kept[V::size] = {};
  copyFew<V>(kept, from, count);
  return V::load_unaligned(kept);
}

template <class V>
void storeSome(V x, float* to, std::int64_t count) {
  alignas(64) float kept[V::size];
  x.store_unaligned(kept);
  copyFew<V>(to, kept, count);
}

// Computes the last elements of a row, fewer than a vector has.
template <class V, class Op>
[[gnu::noinline]] void unaryRest(const float* x, float* out, std::int64_t count) {
  storeSome(Op::template apply<V>(loadSome<V>(x, count)), out, count);
}
template <class V, class Op>
[[gnu::noinline]] void binaryRest(const float* a, bool aMoves, const float* b, bool bMoves, float* out,
                                  std::int64_t count) {
  const V x = aMoves ? loadSome<V>(a, count) : V(*a), y = bMoves ? loadSome<V>(b, count) : V(*b);
  storeSome(Op::template apply<V>(x, y), out, count);
}

template <class V, class Op>
bool unaryRow(const Row& row) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  const auto* x = static_cast<const float*>(row.operands[0]);
  auto* out = static_cast<float*>(row.result);
  for (std::int64_t r = 0; r < row.rows; ++r, x += row.pitches[0], out += row.resultPitch) {
    std::int64_t i = 0;
    for (; i + lanes <= row.count; i += lanes) Op::template apply<V>(V::load_unaligned(x + i)).store_unaligned(out + i);
    if (i < row.count) unaryRest<V, Op>(x + i, out + i, row.count - i);
  }
  return true;
}

template <class V, class Op, bool aMoves, bool bMoves>
bool binaryRowOf(const Row& row) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  const auto* a = static_cast<const float*>(row.operands[0]);
  const auto* b = static_cast<const float*>(row.operands[1]);
  auto* out = static_cast<float*>(row.result);
  const V one(*a), other(*b);
  for (std::int64_t r = 0; r < row.rows; ++r, a += row.pitches[0], b += row.pitches[1], out += row.resultPitch) {
    std::int64_t i = 0;
    for (; i + lanes <= row.count; i += lanes) {
      const V x = aMoves ? V::load_unaligned(a + i) : one, y = bMoves ? V::load_unaligned(b + i) : other;
      Op::template apply<V>(x, y).store_unaligned(out + i);
    }
    if (i < row.count)
      binaryRest<V, Op>(aMoves ? a + i : a, aMoves, bMoves ? b + i : b, bMoves, out + i, row.count - i);
  }
  return true;
}

template <class V, class Op>
bool binaryRow(const Row& row) {
  if (row.count == 0) return true;
  if (row.moves[0]) return row.moves[1] ? binaryRowOf<V, Op, true, true>(row) : binaryRowOf<V, Op, true, false>(row);
  return row.moves[1] ? binaryRowOf<V, Op, false, true>(row) : binaryRowOf<V, Op, false, false>(row);
}

// A kernel with quotients or roots; null if the instruction set does not round them as IEEE 754 requires.
#if defined(__ARM_NEON) && !defined(__aarch64__)
#define AXLE_ROUNDED(kernel) nullptr
#else
#define AXLE_ROUNDED(kernel) kernel
#endif

// A kernel that needs fused multiply-add; null if the instruction set has none.
#if defined(__FMA__) || defined(__aarch64__)
#define AXLE_FUSED(kernel) kernel
#else
#define AXLE_FUSED(kernel) nullptr
#endif

// Defines the tables of pointwise.h in the namespace of an instruction set, for its batch V.
#define AXLE_DEFINE_POINTWISE(V)                                                    \
  const RowKernel vectorNeg = unaryRow<V, vector::Neg>;                             \
  const RowKernel vectorAbs = unaryRow<V, vector::Abs>;                             \
  const RowKernel vectorRelu = unaryRow<V, vector::Relu>;                           \
  const RowKernel vectorExp = unaryRow<V, vector::Exp>;                             \
  const RowKernel vectorTanh = unaryRow<V, vector::Tanh>;                           \
  const RowKernel vectorSigmoid = unaryRow<V, vector::Sigmoid>;                     \
  const RowKernel vectorGate = binaryRowOf<V, vector::Gate, true, true>;            \
  const RowKernel vectorAdd = binaryRow<V, vector::Add>;                            \
  const RowKernel vectorSub = binaryRow<V, vector::Sub>;                            \
  const RowKernel vectorMul = binaryRow<V, vector::Mul>;                            \
  const RowKernel vectorMaximum = binaryRow<V, vector::Maximum>;                    \
  const RowKernel vectorMinimum = binaryRow<V, vector::Minimum>;                    \
  const RowKernel vectorSqrt = AXLE_ROUNDED((unaryRow<V, vector::Sqrt>));           \
  const RowKernel vectorRsqrt = AXLE_ROUNDED((unaryRow<V, vector::Rsqrt>));         \
  const RowKernel vectorHardSwish = AXLE_ROUNDED((unaryRow<V, vector::HardSwish>)); \
  const RowKernel vectorDiv = AXLE_ROUNDED((binaryRow<V, vector::Div>));            \
  const RowKernel vectorPow = AXLE_FUSED((binaryRow<V, vector::Pow>));

}  // namespace axle::runtime
