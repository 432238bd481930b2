#include "io/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace axle {
namespace {

TEST(Half, EveryF16RoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = f32FromF16(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(f32FromF16(f16FromF32(value))));
    else
      EXPECT_EQ(f16FromF32(value), half) << bits;
  }
}

TEST(Half, F16ValuesMatchTheFormat) {
  EXPECT_EQ(f32FromF16(0x3c00), 1.0f);
  EXPECT_EQ(f32FromF16(0xc000), -2.0f);
  EXPECT_EQ(f32FromF16(0x7bff), 65504.0f);
  EXPECT_EQ(f32FromF16(0x0001), 0x1p-24f);
  EXPECT_EQ(f32FromF16(0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(f32FromF16(0x0400), 0x1p-14f);
  EXPECT_EQ(f32FromF16(0xfc00), -std::numeric_limits<float>::infinity());
}

// Numbers between an f16 and the next round down below the middle, up above it, and to the even one at the middle.
TEST(Half, F16RoundsToNearestEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = f32FromF16(bits), high = f32FromF16(bits + 1), middle = (low + high) / 2;
    EXPECT_EQ(f16FromF32(middle), bits % 2 ? bits + 1 : bits);
    EXPECT_EQ(f16FromF32(std::nextafter(middle, 0.0f)), bits);
    EXPECT_EQ(f16FromF32(std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(f16FromF32(65519.996f), 0x7bff);
  EXPECT_EQ(f16FromF32(65520.0f), 0x7c00);
  EXPECT_EQ(f16FromF32(1e30f), 0x7c00);
}

TEST(Half, Bf16RoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f32FromBf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(f32FromBf16(bf16FromF32(value))));
    else
      EXPECT_EQ(bf16FromF32(value), bits);
  }
  EXPECT_EQ(bf16FromF32(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(bf16FromF32(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(bf16FromF32(std::nextafter(1.0f + 0x1p-8f, 2.0f)), 0x3f81);
  EXPECT_EQ(bf16FromF32(std::numeric_limits<float>::max()), 0x7f80);
}

}  // namespace
}  // namespace axle
