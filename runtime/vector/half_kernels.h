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

#if defined(__SSE2__) && !defined(__F16C__)
[[gnu::always_inline]] inline __m128i selected(__m128i which, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(which, yes), _mm_andnot_si128(which, no));
}

// The same of four numbers, in the lower half of the vector.
[[gnu::always_inline]] inline __m128 wideF16(__m128i halves) {
  const __m128i half = _mm_unpacklo_epi16(halves, _mm_setzero_si128());
  const __m128i magnitude = _mm_and_si128(half, _mm_set1_epi32(0x7FFF)),
                sign = _mm_slli_epi32(_mm_xor_si128(half, magnitude), 16);
  const __m128 scaled = _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), _mm_set1_ps(0x1p112f));
  const __m128i isNoNumber = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7BFF)),
                exponent = _mm_and_si128(isNoNumber, _mm_set1_epi32(0x7F800000));
  return _mm_or_ps(scaled, _mm_castsi128_ps(_mm_or_si128(sign, exponent)));
}
#endif

template <class V>
[[gnu::always_inline]] inline void widenRowOfF16(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
#if defined(__F16C__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 8 <= count; i += 8)
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
#elif defined(__ARM_NEON)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 4 <= count; i += 4) vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from + i))));
#elif defined(__SSE2__)
  if constexpr (!std::is_same_v<V, Lane<void>>)
    for (; i + 4 <= count; i += 4)
      _mm_storeu_ps(to + i, wideF16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i))));
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

// halvesOf(x): the bits of f16, of a NaN any; wideF16: these as f32; storeBits stores them; storeLower stores the lower
// halves.
#if defined(__AVX512F__)
[[gnu::always_inline]] inline __m256i halvesOf(__m512 x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
[[gnu::always_inline]] inline __m512 wideF16(__m256i halves) { return _mm512_cvtph_ps(halves); }
[[gnu::always_inline]] inline void storeBits(__m256i halves, std::uint16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
}
[[gnu::always_inline]] inline void storeLower(__m512i x, std::uint16_t* to) { storeBits(_mm512_cvtepi32_epi16(x), to); }
#endif
#if defined(__AVX2__)
[[gnu::always_inline]] inline __m128i halvesOf(__m256 x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
[[gnu::always_inline]] inline __m256 wideF16(__m128i halves) { return _mm256_cvtph_ps(halves); }
[[gnu::always_inline]] inline void storeBits(__m128i halves, std::uint16_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
}
[[gnu::always_inline]] inline void storeLower(__m256i x, std::uint16_t* to) {
  storeBits(_mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)), to);
}
#elif defined(__SSE2__)
// As narrowedF16.
[[gnu::always_inline]] inline __m128i halvesOf(__m128 x) {
  const __m128i bits = _mm_castps_si128(x), magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7FFFFFFF)),
                sign = _mm_srai_epi32(_mm_xor_si128(bits, magnitude), 16);
  const __m128i small = _mm_sub_epi32(_mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0.5f))),
                                      _mm_set1_epi32(0x3F000000));
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(magnitude, 13), _mm_set1_epi32(1));
  const __m128i normal =
      _mm_srli_epi32(_mm_add_epi32(_mm_sub_epi32(magnitude, _mm_set1_epi32(0x38000000 - 0xFFF)), odd), 13);
  const __m128i large =
      selected(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7F800000)), _mm_set1_epi32(0x7E00), _mm_set1_epi32(0x7C00));
  const __m128i rounded = selected(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x477FFFFF)), large,
                                   selected(_mm_cmpgt_epi32(_mm_set1_epi32(0x38800000), magnitude), small, normal));
  const __m128i made = _mm_or_si128(rounded, sign);  // as signed 16-bit numbers, so that none is out of range
  return _mm_packs_epi32(made, made);
}
[[gnu::always_inline]] inline void storeBits(__m128i halves, std::uint16_t* to) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), halves);
}
[[gnu::always_inline]] inline void storeLower(__m128i x, std::uint16_t* to) {
  const __m128i made = _mm_srai_epi32(_mm_slli_epi32(x, 16), 16);  // as above
  storeBits(_mm_packs_epi32(made, made), to);
}
#elif defined(__ARM_NEON)
[[gnu::always_inline]] inline float16x4_t halvesOf(float32x4_t x) {
  const float16x4_t halves = vcvt_f16_f32(x);
#if defined(__aarch64__)
  return halves;
#else  // of NaN without its sign
  const uint16x4_t sign = vand_u16(vshrn_n_u32(vreinterpretq_u32_f32(x), 16), vdup_n_u16(0x8000u));
  return vreinterpret_f16_u16(vorr_u16(vreinterpret_u16_f16(halves), sign));
#endif
}
[[gnu::always_inline]] inline float32x4_t wideF16(float16x4_t halves) { return vcvt_f32_f16(halves); }
[[gnu::always_inline]] inline void storeBits(float16x4_t halves, std::uint16_t* to) {
  vst1_u16(to, vreinterpret_u16_f16(halves));
}
[[gnu::always_inline]] inline void storeLower(uint32x4_t x, std::uint16_t* to) { vst1_u16(to, vmovn_u32(x)); }
#endif

template <class V>
using BitsOf = xsimd::batch<std::uint32_t, typename V::arch_type>;

// The numbers as they are; NaN with its sign only.
template <class V>
[[gnu::always_inline]] inline V withSimpleNan(V x) {
#if defined(__AVX512F__)
  if constexpr (V::size == 16) {  // GCC makes more of the lines below
    constexpr int andOr = 0xEA;   // of the bits a, b and c: a & b | c
    return V(_mm512_castsi512_ps(
        _mm512_mask_ternarylogic_epi32(_mm512_castps_si512(x.data), _mm512_cmp_ps_mask(x.data, x.data, _CMP_UNORD_Q),
                                       _mm512_set1_epi32(-0x800000), _mm512_set1_epi32(0x400000), andOr)));
  }
#endif
  const auto nan = (xsimd::bitwise_cast<BitsOf<V>>(x) & BitsOf<V>(0x80000000u)) | BitsOf<V>(0x7FC00000u);
  return select(isnan(x), xsimd::bitwise_cast<V>(nan), x);
}

// The bits of numbers rounded to bf16, in the upper halves; what the lower ones have is left open. NaN stays NaN if its
// lower half is 0.
template <class V>
[[gnu::always_inline]] inline BitsOf<V> nextBf16(V x) {
  const auto bits = xsimd::bitwise_cast<BitsOf<V>>(x);
  return bits + BitsOf<V>(0x7FFFu) + ((bits >> 16) & BitsOf<V>(1u));
}
// The same of any NaN.
template <class V>
[[gnu::always_inline]] inline BitsOf<V> roundedToBf16(V x) {
  const V nan = xsimd::bitwise_cast<V>(xsimd::bitwise_cast<BitsOf<V>>(x) | BitsOf<V>(0x400000u));
  return xsimd::bitwise_cast<BitsOf<V>>(select(isnan(x), nan, xsimd::bitwise_cast<V>(nextBf16(x))));
}

// Rounds a vector and stores its bits.
template <class V, bool isBf16>
[[gnu::always_inline]] inline void storeHalf(V x, std::uint16_t* to) {
  if constexpr (V::size == 1)
    *to = isBf16 ? narrowedBf16<V>(x.value) : narrowedF16<V>(x.value);
  else if constexpr (isBf16)
    storeLower((roundedToBf16(x) >> 16).data, to);
  else
    storeBits(halvesOf(withSimpleNan(x).data), to);
}

// Rounds a vector of sums.
template <class V, bool isBf16>
[[gnu::always_inline]] inline V roundedToHalf(V x) {
  if constexpr (V::size == 1) {
    std::uint16_t bits = 0;
    storeHalf<V, isBf16>(x, &bits);
    return loadHalf<V, isBf16>(&bits);
  } else if constexpr (isBf16) {
    return xsimd::bitwise_cast<V>(nextBf16(x) & BitsOf<V>(0xFFFF0000u));
  } else {
    return V(wideF16(halvesOf(x.data)));
  }
}

// `vectors` vectors of the operands that are the same in each row, of all links.
template <class V, int vectors>
using HeldOperands = float[mostHalfLinks][vectors * V::size];

// Stores `vectors` vectors of a row's results, each operator for all of them.
template <class V, bool isBf16, int vectors>
[[gnu::always_inline]] inline void storeHalvesAt(const HalfResults& x, const HeldOperands<V, vectors>& held,
                                                 std::int64_t row, std::int64_t column) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  V values[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) values[v] = V::load_unaligned(x.sums + row * x.sumPitch + column + v * lanes);
  for (std::int64_t i = 0; i < x.count; ++i) {
    const HalfLink& link = x.links[i];
    if (link.op == HalfLink::Op::relu) {  // the same number before and after rounding
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) values[v] = select(values[v] <= V(0.0f), V(0.0f), values[v]);
      continue;
    }
    V operands[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t at = v * lanes;
      values[v] = roundedToHalf<V, isBf16>(values[v]);
      operands[v] = link.pitch == 0 ? V::load_unaligned(held[i] + at)
                                    : loadHalf<V, isBf16>(link.operand + row * link.pitch + column + at);
    }
    const auto apply = [&](auto operation) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) values[v] = operation(values[v], operands[v]);
    };
    switch (link.op) {
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

// Stores `vectors` vectors of the results of rows [first, end), from a column on; of `rowsTogether` rows without gaps
// at once, if their results fill the vectors. `x` is a copy, which no store can change.
template <class V, bool isBf16, int vectors>
[[gnu::noinline]] void storeColumns(HalfResults x, std::int64_t first, std::int64_t end, std::int64_t rowsTogether,
                                    std::int64_t column) {
  HeldOperands<V, vectors> held;
  for (std::int64_t i = 0; i < x.count; ++i) {
    const HalfLink& link = x.links[i];
    if (link.operand == nullptr || link.pitch != 0) continue;
    std::int64_t from = column;
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t at = v * static_cast<std::int64_t>(V::size);
      const V operand =
          link.isOne ? V(loadHalf<Lane<V>, isBf16>(link.operand).value) : loadHalf<V, isBf16>(link.operand + from);
      from += static_cast<std::int64_t>(V::size);
      if (from >= x.columns) from = 0;
      operand.store_unaligned(held[i] + at);
    }
  }
  for (std::int64_t row = first; row < end; row += rowsTogether)
    storeHalvesAt<V, isBf16, vectors>(x, held, row, column);
}

// Whether rows follow one another without gaps, in operands that differ from row to row too.
template <class V>
bool areGapless(const HalfResults& x) {
  bool areSo = x.sumPitch == x.columns && x.outPitch == x.columns;
  for (std::int64_t i = 0; i < x.count; ++i) areSo = areSo && (x.links[i].pitch == 0 || x.links[i].pitch == x.columns);
  return areSo;
}

template <class V, bool isBf16>
void storeHalves(const HalfResults& given) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  constexpr int together = 4;
  constexpr std::int64_t width = together * lanes;
  HalfResults x = given;
  std::int64_t row = 0, column = 0;
  if (areGapless<V>(x) && x.count == 0) {  // rows of any width
    x.columns *= std::exchange(x.rows, 1);
    for (; column + width <= x.columns; column += width)
#pragma GCC unroll 4
      for (std::int64_t at = column; at < column + width; at += lanes)
        storeHalf<V, isBf16>(V::load_unaligned(x.sums + at), x.out + at);
  } else if (areGapless<V>(x) && x.columns % lanes == 0 && x.columns > 0 && x.columns < width &&
             width % x.columns == 0) {
    const std::int64_t rowsTogether = width / x.columns;
    row = x.rows / rowsTogether * rowsTogether;
    storeColumns<V, isBf16, together>(x, 0, row, rowsTogether, 0);
  }
  for (; column + width <= x.columns; column += width) storeColumns<V, isBf16, together>(x, row, x.rows, 1, column);
  for (; column + lanes <= x.columns; column += lanes) storeColumns<V, isBf16, 1>(x, row, x.rows, 1, column);
  for (; column < x.columns; ++column) storeColumns<Lane<V>, isBf16, 1>(x, row, x.rows, 1, column);
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
