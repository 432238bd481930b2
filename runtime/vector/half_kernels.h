// The kernels of half.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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

// Rows without gaps as one.
template <class V>
HalfRows joined(HalfRows x) {
  if (x.fromPitch == x.columns && x.toPitch == x.columns) x.columns *= std::exchange(x.rows, 1);
  return x;
}

template <class V>
void widenRowsOfF16(const HalfRows& given) {
  const HalfRows x = joined<V>(given);
  for (std::int64_t r = 0; r < x.rows; ++r) widenRowOfF16<V>(x.from + r * x.fromPitch, x.columns, x.to + r * x.toPitch);
}
template <class V>
void widenRowsOfBf16(const HalfRows& given) {
  const HalfRows x = joined<V>(given);
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

// The bits of a number rounded to f16. NaN keeps its sign only.
template <class V>
std::uint16_t narrowedF16(float x) {
  std::uint32_t bits = 0, rounded = 0;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x47800000u) {
    rounded = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14: the addition rounds to units of 2^-24
    float small = 0;
    std::memcpy(&small, &magnitude, sizeof small);
    small += 0.5f;
    std::memcpy(&rounded, &small, sizeof rounded);
    rounded -= 0x3F000000u;
  } else {
    rounded = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

template <class V>
std::uint16_t narrowedBf16(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  const bool isNan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<std::uint16_t>((isNan ? bits | 0x400000u : bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

#if defined(__AVX512F__)
[[gnu::always_inline]] inline __m256i bitsOfF16(__m512 x) {
  const __mmask16 isNan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512i sign = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MIN));
  const __m512i nan = _mm512_or_si512(sign, _mm512_set1_epi32(0x7FC00000));
  return _mm512_cvtps_ph(_mm512_mask_mov_ps(x, isNan, _mm512_castsi512_ps(nan)), _MM_FROUND_TO_NEAREST_INT);
}
[[gnu::always_inline]] inline __m256i bitsOfBf16(__m512 x) {
  const __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
  const __mmask16 isNan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512i made = _mm512_mask_or_epi32(rounded, isNan, bits, _mm512_set1_epi32(0x400000));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(made, 16));
}
#endif
#if defined(__AVX2__)
[[gnu::always_inline]] inline __m128i bitsOfF16(__m256 x) {
  const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f)), isNan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  const __m256 nan = _mm256_or_ps(sign, _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000)));
  return _mm256_cvtps_ph(_mm256_blendv_ps(x, nan, isNan), _MM_FROUND_TO_NEAREST_INT);
}
[[gnu::always_inline]] inline __m128i bitsOfBf16(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
  const __m256i nan = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i isNan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m256i made = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, nan, isNan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(made), _mm256_extracti128_si256(made, 1));
}
#elif defined(__SSE2__)
[[gnu::always_inline]] inline __m128i bitsOfBf16(__m128 x) {
  const __m128i bits = _mm_castps_si128(x), isNan = _mm_castps_si128(_mm_cmpunord_ps(x, x));
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
  const __m128i rounded = _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7FFF)), odd);
  const __m128i nan = _mm_or_si128(bits, _mm_set1_epi32(0x400000));
  const __m128i made = _mm_or_si128(_mm_and_si128(isNan, nan), _mm_andnot_si128(isNan, rounded));
  return _mm_packs_epi32(_mm_srai_epi32(made, 16), made);  // of signed numbers, so that none is out of range
}
#elif defined(__ARM_NEON)
[[gnu::always_inline]] inline uint16x4_t bitsOfBf16(float32x4_t x) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x), isNumber = vceqq_f32(x, x);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7FFF)), odd);
  return vshrn_n_u32(vbslq_u32(isNumber, rounded, vorrq_u32(bits, vdupq_n_u32(0x400000))), 16);
}
#if defined(__aarch64__)
[[gnu::always_inline]] inline uint16x4_t bitsOfF16(float32x4_t x) {
  const uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(0x80000000u));
  const float32x4_t nan = vreinterpretq_f32_u32(vorrq_u32(sign, vdupq_n_u32(0x7FC00000u)));
  return vreinterpret_u16_f16(vcvt_f16_f32(vbslq_f32(vceqq_f32(x, x), x, nan)));
}
#endif
#endif

// Rounds a vector and stores its bits.
template <class V, bool isBf16>
[[gnu::always_inline]] inline void storeHalf(V x, std::uint16_t* to) {
#if defined(__AVX512F__)
  if constexpr (V::size == 16)
    return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), isBf16 ? bitsOfBf16(x.data) : bitsOfF16(x.data));
#elif defined(__AVX2__)
  if constexpr (V::size == 8)
    return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), isBf16 ? bitsOfBf16(x.data) : bitsOfF16(x.data));
#elif defined(__SSE2__)
  if constexpr (V::size == 4 && isBf16) return _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bitsOfBf16(x.data));
#elif defined(__ARM_NEON)
  if constexpr (V::size == 4 && isBf16) return vst1_u16(to, bitsOfBf16(x.data));
#if defined(__aarch64__)
  if constexpr (V::size == 4 && !isBf16) return vst1_u16(to, bitsOfF16(x.data));
#endif
#endif
  float wide[V::size];
  x.store_unaligned(wide);
  for (std::size_t i = 0; i < V::size; ++i) to[i] = isBf16 ? narrowedBf16<V>(wide[i]) : narrowedF16<V>(wide[i]);
}

// Returns an operand of a link for the result at this place.
template <class V, bool isBf16>
[[gnu::always_inline]] inline V operandAt(const HalfLink& link, std::int64_t row, std::int64_t column) {
  if (!link.isOne) return loadHalf<V, isBf16>(link.operand + row * link.pitch + column);
  float one = 0;
  isBf16 ? widenRowOfBf16<V>(link.operand, 1, &one) : widenRowOfF16<V>(link.operand, 1, &one);
  return V(one);
}

// Stores `vectors` vectors of a row's results, each operator for all of them.
template <class V, bool isBf16, int vectors>
[[gnu::always_inline]] inline void storeHalvesAt(const HalfResults& x, std::int64_t row, std::int64_t column) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  V values[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) values[v] = V::load_unaligned(x.sums + row * x.sumPitch + column + v * lanes);
  for (const HalfLink *link = x.links, *end = x.links + x.count; link != end; ++link) {
    if (link->op == HalfLink::Op::relu) {  // the same number before and after rounding
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) values[v] = select(values[v] <= V(0.0f), V(0.0f), values[v]);
      continue;
    }
    V operands[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      std::uint16_t bits[V::size];
      storeHalf<V, isBf16>(values[v], bits);
      values[v] = loadHalf<V, isBf16>(bits);
      operands[v] = operandAt<V, isBf16>(*link, row, column + v * lanes);
    }
    const auto apply = [&](auto operation) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) values[v] = operation(values[v], operands[v]);
    };
    switch (link->op) {
      case HalfLink::Op::add:
        apply([](V a, V b) { return a + b; });
        break;
      case HalfLink::Op::mul:
        apply([](V a, V b) { return a * b; });
        break;
      case HalfLink::Op::maximum:
        apply([](V a, V b) { return select(isnan(b), b, select(a < b, b, a)); });
        break;
      case HalfLink::Op::minimum:
        apply([](V a, V b) { return select(isnan(b), b, select(b < a, b, a)); });
        break;
      case HalfLink::Op::relu:
        break;
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) storeHalf<V, isBf16>(values[v], x.out + row * x.outPitch + column + v * lanes);
}

template <class V, bool isBf16>
void storeHalves(const HalfResults& x) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  constexpr int together = 4;
  const bool isOneRow = x.count == 0 && x.sumPitch == x.columns && x.outPitch == x.columns;
  const std::int64_t rows = isOneRow ? 1 : x.rows, columns = isOneRow ? x.rows * x.columns : x.columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t column = 0;
    for (; column + together * lanes <= columns; column += together * lanes)
      storeHalvesAt<V, isBf16, together>(x, row, column);
    for (; column + lanes <= columns; column += lanes) storeHalvesAt<V, isBf16, 1>(x, row, column);
    for (; column < columns; ++column) storeHalvesAt<Lane<V>, isBf16, 1>(x, row, column);
  }
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
  const StoreHalves storeF16 = storeHalves<V, false>;      \
  const StoreHalves storeBf16 = storeHalves<V, true>;      \
  const MultiplyHalf multiplyF16 = multiplyHalf<V, false>; \
  const MultiplyHalf multiplyBf16 = multiplyHalf<V, true>;

}  // namespace axle::runtime
