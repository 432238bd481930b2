#include "driver/run/numbers.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "io/half.h"

namespace axle::run {
namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Number ofReal(double value) { return {false, false, 0, value}; }

template <class T>
Number integer(const std::byte* at) {
  const T value = load<T>(at);
  const bool negative = std::is_signed_v<T> && value < T{0};
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return {true, negative, negative ? std::uint64_t{0} - bits : bits, static_cast<double>(value)};
}

template <class T>
Number real(const std::byte* at) {
  return ofReal(static_cast<double>(load<T>(at)));
}

Number half(const std::byte* at) { return ofReal(static_cast<double>(f32FromF16(load<std::uint16_t>(at)))); }
Number brain(const std::byte* at) { return ofReal(static_cast<double>(f32FromBf16(load<std::uint16_t>(at)))); }
Number none(const std::byte*) { return ofReal(std::numeric_limits<double>::quiet_NaN()); }

// How to load an element, and the number of significant digits that distinguish all values of its type.
struct Row {
  Number (*load)(const std::byte*);
  int digits;
};
constexpr Row rows[elemCount] = {
    /* f16  */ {half, 5},
    /* bf16 */ {brain, 4},
    /* f32  */ {real<float>, 9},
    /* f64  */ {real<double>, 17},
    /* i8   */ {integer<std::int8_t>, 0},
    /* i16  */ {integer<std::int16_t>, 0},
    /* i32  */ {integer<std::int32_t>, 0},
    /* i64  */ {integer<std::int64_t>, 0},
    /* u8   */ {integer<std::uint8_t>, 0},
    /* u16  */ {integer<std::uint16_t>, 0},
    /* u32  */ {integer<std::uint32_t>, 0},
    /* u64  */ {integer<std::uint64_t>, 0},
    /* bool */ {integer<std::uint8_t>, 0},
    /* string */ {none, 0},
};

bool readsBack(Elem elem, const char* text, double value) {
  const double back = std::strtod(text, nullptr);
  if (elem == Elem::f64) return back == value;
  if (elem == Elem::f16) return f16FromF32(static_cast<float>(back)) == f16FromF32(static_cast<float>(value));
  if (elem == Elem::bf16) return bf16FromF32(static_cast<float>(back)) == bf16FromF32(static_cast<float>(value));
  return static_cast<float>(back) == static_cast<float>(value);
}

}  // namespace

Number numberAt(Elem elem, const std::byte* at) { return rows[static_cast<int>(elem)].load(at); }

double distance(const Number& a, const Number& b) {
  if (a.isInt && b.isInt) {
    if (a.negative != b.negative) return static_cast<double>(a.magnitude) + static_cast<double>(b.magnitude);
    return static_cast<double>(a.magnitude > b.magnitude ? a.magnitude - b.magnitude : b.magnitude - a.magnitude);
  }
  if (a.real == b.real || (std::isnan(a.real) && std::isnan(b.real))) return 0;
  const double difference = std::fabs(a.real - b.real);
  return std::isfinite(a.real) && std::isfinite(b.real) ? difference : std::numeric_limits<double>::infinity();
}

std::string numberText(Elem elem, const Number& number) {
  if (elem == Elem::boolean) return number.magnitude ? "true" : "false";
  if (number.isInt) return (number.negative ? "-" : "") + std::to_string(number.magnitude);
  if (std::isnan(number.real)) return "nan";
  if (std::isinf(number.real)) return number.real < 0 ? "-inf" : "inf";
  char text[40];
  if (std::fabs(number.real) < 1e15 && number.real == std::floor(number.real)) {
    std::snprintf(text, sizeof text, "%.0f", number.real);
    return text;
  }
  const int most = rows[static_cast<int>(elem)].digits;
  for (int digits = 1; digits <= most; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number.real);
    if (readsBack(elem, text, number.real)) break;
  }
  return text;
}

}  // namespace axle::run
