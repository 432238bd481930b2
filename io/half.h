// The two 16-bit float formats to and from f32. Narrowing rounds to nearest, ties to even; a NaN stays a NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace axle {

constexpr float f32FromBf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

constexpr std::uint16_t bf16FromF32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

constexpr float f32FromF16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -subnormal : subnormal;
}

constexpr std::uint16_t f16FromF32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520 and above
  if (magnitude >= 0x38800000)                        // 2^-14, the smallest normal f16
    return static_cast<std::uint16_t>(sign | ((magnitude + 0xfff + (magnitude >> 13 & 1)) - (112u << 23)) >> 13);
  if (magnitude < 0x33000000) return sign;  // below 2^-25
  const std::uint32_t shift = 126 - (magnitude >> 23);
  const std::uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
  const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), tie = 1u << (shift - 1);
  return static_cast<std::uint16_t>(sign | (kept + (rest > tie || (rest == tie && (kept & 1)))));
}

}  // namespace axle
