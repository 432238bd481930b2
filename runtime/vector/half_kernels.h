// The kernels of half.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/vector/batch.h"
#include "runtime/vector/half.h"

namespace axle::runtime {

// A template over the batch, because the linker must not share it between instruction sets.
template <class V>
float widenedF16(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7FFFu, sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  std::uint32_t bits = magnitude << 13;
  float scaled = 0;
  std::memcpy(&scaled, &bits, sizeof scaled);
  scaled *= 0x1p112f;  // the difference of the exponents' biases; right for numbers below 2^-14 too
  std::memcpy(&bits, &scaled, sizeof bits);
  bits |= sign | (magnitude >= 0x7C00u ? 0x7F800000u : 0u);
  std::memcpy(&scaled, &bits, sizeof scaled);
  return scaled;
}

template <class V>
[[gnu::always_inline]] inline void widenRowOfF16(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
#if defined(__F16C__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 8 <= count; i += 8)
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
#elif defined(__aarch64__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 4 <= count; i += 4) vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from + i))));
#endif
  for (; i < count; ++i) to[i] = widenedF16<V>(from[i]);
}

template <class V>
[[gnu::always_inline]] inline void widenRowOfBf16(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
#if defined(__AVX2__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 8 <= count; i += 8) {
      const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
      _mm256_storeu_ps(to + i, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
    }
#elif defined(__SSE2__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 8 <= count; i += 8) {
      const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)), zero = _mm_setzero_si128();
      _mm_storeu_ps(to + i, _mm_castsi128_ps(_mm_unpacklo_epi16(zero, bits)));
      _mm_storeu_ps(to + i + 4, _mm_castsi128_ps(_mm_unpackhi_epi16(zero, bits)));
    }
#elif defined(__ARM_NEON)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 4 <= count; i += 4)
      vst1q_f32(to + i, vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(vld1_u16(from + i)), 16)));
#endif
  for (; i < count; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(from[i]) << 16;
    std::memcpy(to + i, &bits, sizeof bits);
  }
}

template <class V>
void widenRowsOfF16(const HalfRows& x) {
  for (std::int64_t r = 0; r < x.rows; ++r) widenRowOfF16<V>(x.from + r * x.fromPitch, x.columns, x.to + r * x.toPitch);
}
template <class V>
void widenRowsOfBf16(const HalfRows& x) {
  for (std::int64_t r = 0; r < x.rows; ++r)
    widenRowOfBf16<V>(x.from + r * x.fromPitch, x.columns, x.to + r * x.toPitch);
}

// A vector of elements that are stored as f16, or as bf16.
template <class V, bool isBf16>
[[gnu::always_inline]] inline V loadHalf(const std::uint16_t* from) {
#if defined(__AVX512F__)
  if constexpr (V::size == 16) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    if constexpr (isBf16)
      return V(_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16)));
    else
      return V(_mm512_cvtph_ps(bits));
  }
#endif
  float wide[V::size];
  if constexpr (isBf16)
    widenRowOfBf16<V>(from, V::size, wide);
  else
    widenRowOfF16<V>(from, V::size, wide);
  return V::load_unaligned(wide);
}

// Adds the products of `rows` elements of the left factor, from `p` on, to the sums.
template <class V, bool isBf16, int rows>
[[gnu::always_inline]] inline void addHalfRows(const HalfProduct& x, std::int64_t p, std::int64_t column) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  const std::uint16_t* const right = x.right + p * x.pitch;
  V left[rows];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) left[r] = V(x.left[p + r]);
  for (; column + lanes <= x.columns; column += lanes) {
    V sum = V::load_unaligned(x.sums + column);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) sum = fma(loadHalf<V, isBf16>(right + r * x.pitch + column), left[r], sum);
    sum.store_unaligned(x.sums + column);
  }
}

// Rows of the right factor are read as they lie, several at once: sums are loaded and stored once for all of them.
template <class V, bool isBf16>
void multiplyHalf(const HalfProduct& x) {
  constexpr int together = 8;
  for (std::int64_t i = 0; i < x.columns; ++i) x.sums[i] = 0;
  const std::int64_t whole = x.columns / static_cast<std::int64_t>(V::size) * static_cast<std::int64_t>(V::size);
  std::int64_t p = 0;
  for (; p + together <= x.k; p += together) {
    addHalfRows<V, isBf16, together>(x, p, 0);
    addHalfRows<Lane<V>, isBf16, together>(x, p, whole);
  }
  for (; p < x.k; ++p) {
    addHalfRows<V, isBf16, 1>(x, p, 0);
    addHalfRows<Lane<V>, isBf16, 1>(x, p, whole);
  }
}

// Defines the tables of half.h in the namespace of an instruction set, for its batch V.
#define AXLE_DEFINE_HALVES(V)                              \
  const WidenRows widenF16 = widenRowsOfF16<V>;            \
  const WidenRows widenBf16 = widenRowsOfBf16<V>;          \
  const MultiplyHalf multiplyF16 = multiplyHalf<V, false>; \
  const MultiplyHalf multiplyBf16 = multiplyHalf<V, true>;

}  // namespace axle::runtime
