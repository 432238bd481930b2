// Element types in kernels: for each, the type that stores it, the type for computing and the type for sums.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "io/elem.h"

namespace axle::runtime {

struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};
// Any byte but 0 is true: bytes come from files.
struct Bool {
  std::uint8_t byte;
};

template <class To, class From>
To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

inline float toFloat(F16 half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1Fu, fraction = half.bits & 0x3FFu;
  if (exponent == 0x1F) return bitsAs<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent != 0) return bitsAs<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

// Rounds to nearest, ties to even.
inline F16 toF16(float value) {
  std::uint32_t x = bitsAs<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((x >> 16) & 0x8000u);
  x &= 0x7FFFFFFFu;
  const auto make = [sign](std::uint32_t magnitude) { return F16{static_cast<std::uint16_t>(sign | magnitude)}; };
  if (x > 0x7F800000u) return make(0x7E00u);
  if (x >= 0x47800000u) return make(0x7C00u);
  std::uint32_t shift = 13, from = x - 0x38000000u;
  if (x < 0x38800000u) {  // below 2^-14: in units of 2^-24
    if (x < 0x33000000u) return make(0);
    shift = 126 - (x >> 23);
    from = (x & 0x7FFFFFu) | 0x800000u;
  }
  std::uint32_t kept = from >> shift;
  const std::uint32_t rest = from & ((1u << shift) - 1), half = 1u << (shift - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  return make(kept);
}

inline float toFloat(BF16 value) { return bitsAs<float>(static_cast<std::uint32_t>(value.bits) << 16); }

inline BF16 toBF16(float value) {
  const std::uint32_t x = bitsAs<std::uint32_t>(value);
  if ((x & 0x7FFFFFFFu) > 0x7F800000u) return BF16{static_cast<std::uint16_t>((x >> 16) | 0x40u)};
  return BF16{static_cast<std::uint16_t>((x + 0x7FFFu + ((x >> 16) & 1)) >> 16)};
}

// Rounds to odd, so that a second rounding to fewer bits gives the result of a single rounding.
inline float toOddFloat(double value) {
  const float near = static_cast<float>(value);
  if (!(value == value) || static_cast<double>(near) == value) return near;
  std::uint32_t bits = bitsAs<std::uint32_t>(near);
  const double magnitude = value < 0 ? -value : value;
  if (static_cast<double>(bitsAs<float>(bits & 0x7FFFFFFFu)) > magnitude) --bits;
  return bitsAs<float>(bits | 1u);
}

// Converts an element to the type that it is computed in.
inline float widen(F16 x) { return toFloat(x); }
inline float widen(BF16 x) { return toFloat(x); }
inline bool widen(Bool x) { return x.byte != 0; }
template <class T>
  requires std::is_arithmetic_v<T>
T widen(T x) {
  return x;
}
template <class T>
using Wide = decltype(widen(T{}));

template <class T>
T narrow(Wide<T> x) {
  if constexpr (std::is_same_v<T, F16>)
    return toF16(x);
  else if constexpr (std::is_same_v<T, BF16>)
    return toBF16(x);
  else if constexpr (std::is_same_v<T, Bool>)
    return Bool{static_cast<std::uint8_t>(x ? 1 : 0)};
  else
    return x;
}

// The type for integer arithmetic, which wraps: it neither overflows nor promotes to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// The type of sums of products: f32 for the halves, the wrapping type for integers.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, Wrapping<T>, Wide<T>>;

template <class T>
Sum<T> toSum(T x) {
  return static_cast<Sum<T>>(widen(x));
}
template <class T>
T fromSum(Sum<T> x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(x);
  else
    return narrow<T>(x);
}

template <class C>
C lowestOf() {
  if constexpr (std::is_floating_point_v<C>)
    return -std::numeric_limits<C>::infinity();
  else
    return std::numeric_limits<C>::lowest();
}
template <class C>
C highestOf() {
  if constexpr (std::is_floating_point_v<C>)
    return std::numeric_limits<C>::infinity();
  else
    return std::numeric_limits<C>::max();
}

// Returns the greater or lesser of two values; NaN if either is NaN.
template <class C>
C greaterOf(C a, C b) {
  return a != a ? a : (b > a || b != b) ? b : a;
}
template <class C>
C lesserOf(C a, C b) {
  return a != a ? a : (b < a || b != b) ? b : a;
}

// The number of adjacent results that a kernel computes at once, with a sum for each.
inline constexpr std::int64_t tileWidth = 128;

// Sets of element types.
constexpr int setOf(Elem elem) { return 1 << static_cast<int>(elem); }
inline constexpr int onlyF32 = setOf(Elem::f32), onlyHalves = setOf(Elem::f16) | setOf(Elem::bf16),
                     floats = onlyF32 | onlyHalves | setOf(Elem::f64),
                     signedInts = setOf(Elem::i8) | setOf(Elem::i16) | setOf(Elem::i32) | setOf(Elem::i64),
                     unsignedInts = setOf(Elem::u8) | setOf(Elem::u16) | setOf(Elem::u32) | setOf(Elem::u64),
                     booleans = setOf(Elem::boolean), ints = signedInts | unsignedInts, numbers = floats | ints,
                     allElems = numbers | booleans;

// Returns the unsigned type of the same width for a signed integer type; any other type unchanged. Arithmetic that
// wraps
// (`Sum`) gives the same bits for both, so its kernels are compiled for unsigned types only.
inline Elem unsignedOf(Elem elem) {
  const bool isSigned = elem >= Elem::i8 && elem <= Elem::i64;
  return isSigned ? static_cast<Elem>(static_cast<int>(elem) + static_cast<int>(Elem::u8) - static_cast<int>(Elem::i8))
                  : elem;
}

// Returns choose.operator()<T>() for the storage type T of `elem` if it is in the set, otherwise a value-initialised
// result.
template <int set, class Choose>
auto forElem(Elem elem, Choose choose) -> decltype(choose.template operator()<float>()) {
  const auto chosen = [&]<Elem one, class T>() -> decltype(choose.template operator()<float>()) {
    if constexpr ((set & setOf(one)) != 0) return choose.template operator()<T>();
    return {};
  };
  switch (elem) {
    case Elem::f16:
      return chosen.template operator()<Elem::f16, F16>();
    case Elem::bf16:
      return chosen.template operator()<Elem::bf16, BF16>();
    case Elem::f32:
      return chosen.template operator()<Elem::f32, float>();
    case Elem::f64:
      return chosen.template operator()<Elem::f64, double>();
    case Elem::i8:
      return chosen.template operator()<Elem::i8, std::int8_t>();
    case Elem::i16:
      return chosen.template operator()<Elem::i16, std::int16_t>();
    case Elem::i32:
      return chosen.template operator()<Elem::i32, std::int32_t>();
    case Elem::i64:
      return chosen.template operator()<Elem::i64, std::int64_t>();
    case Elem::u8:
      return chosen.template operator()<Elem::u8, std::uint8_t>();
    case Elem::u16:
      return chosen.template operator()<Elem::u16, std::uint16_t>();
    case Elem::u32:
      return chosen.template operator()<Elem::u32, std::uint32_t>();
    case Elem::u64:
      return chosen.template operator()<Elem::u64, std::uint64_t>();
    case Elem::boolean:
      return chosen.template operator()<Elem::boolean, Bool>();
    default:
      return {};
  }
}

}  // namespace axle::runtime
