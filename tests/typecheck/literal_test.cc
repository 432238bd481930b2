// Tests the bytes of literals.
#include "typecheck/types/literal_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace axle {
namespace {

LiteralValue whole(std::uint64_t magnitude, bool negative = false) {
  LiteralValue v;
  v.integer = magnitude;
  v.negative = negative;
  return v;
}
LiteralValue real(double magnitude) {
  LiteralValue v;
  v.form = ast::NumberForm::real;
  v.real = magnitude;
  return v;
}
LiteralValue form(ast::NumberForm f, bool negative = false) {
  LiteralValue v;
  v.form = f;
  v.negative = negative;
  return v;
}

std::uint64_t bitsOf(const LiteralValue& v, Elem elem) {
  auto bytes = encodeLiteral(v, elem);
  EXPECT_TRUE(bytes);
  std::uint64_t bits = 0;
  if (bytes) std::memcpy(&bits, bytes->data(), bytes->size());
  return bits;
}

TEST(Literal, IntegersKeepTheirRange) {
  struct Row {
    Elem elem;
    std::uint64_t most, least;
  };
  constexpr Row rows[] = {{Elem::i8, 127, 128},
                          {Elem::u8, 255, 0},
                          {Elem::i16, 32767, 32768},
                          {Elem::u16, 65535, 0},
                          {Elem::i32, 2147483647, 2147483648},
                          {Elem::u32, 4294967295, 0},
                          {Elem::i64, 9223372036854775807u, 9223372036854775808u}};
  for (const Row& row : rows) {
    EXPECT_TRUE(encodeLiteral(whole(row.most), row.elem)) << info(row.elem).name;
    EXPECT_TRUE(encodeLiteral(whole(row.least, true), row.elem)) << info(row.elem).name;
    EXPECT_EQ(encodeLiteral(whole(row.most + 1), row.elem).error(), std::to_string(row.most + 1));
    EXPECT_EQ(encodeLiteral(whole(row.least + 1, true), row.elem).error(), "-" + std::to_string(row.least + 1));
  }
  EXPECT_EQ(bitsOf(whole(18446744073709551615u), Elem::u64), 18446744073709551615u);
  EXPECT_EQ(bitsOf(whole(1, true), Elem::i16), 0xffffu);
}

TEST(Literal, FloatsRoundToNearestEven) {
  EXPECT_EQ(bitsOf(real(1.0), Elem::f16), 0x3c00u);
  EXPECT_EQ(bitsOf(real(65504), Elem::f16), 0x7bffu);
  EXPECT_EQ(bitsOf(real(0x1p-24), Elem::f16), 1u);    // the smallest subnormal
  EXPECT_EQ(bitsOf(real(0x1p-25), Elem::f16), 0u);    // a tie, to even
  EXPECT_EQ(bitsOf(real(0x1.8p-24), Elem::f16), 2u);  // a tie, to even
  EXPECT_EQ(bitsOf(real(1 + 0x1p-11), Elem::f16), 0x3c00u);
  EXPECT_EQ(bitsOf(real(1 + 0x3p-11), Elem::f16), 0x3c02u);
  EXPECT_EQ(bitsOf(real(1 + 0x1p-8), Elem::bf16), 0x3f80u);
  float third = 1.0f / 3, small = 1e-45f;
  std::uint32_t bits;
  std::memcpy(&bits, &third, 4);
  EXPECT_EQ(bitsOf(real(1.0 / 3), Elem::f32), bits);
  std::memcpy(&bits, &small, 4);
  EXPECT_EQ(bitsOf(real(1e-45), Elem::f32), bits);
  double tenth = 0.1;
  std::uint64_t wide;
  std::memcpy(&wide, &tenth, 8);
  EXPECT_EQ(bitsOf(real(0.1), Elem::f64), wide);
}

// Every f32, written as a literal, reads back as itself; tries a sample of all magnitudes.
TEST(Literal, FloatsOfTheirOwnPrecisionAreExact) {
  for (std::uint64_t pattern = 0; pattern < 0x7f800000u; pattern += 65521) {
    float value;
    auto bits = static_cast<std::uint32_t>(pattern);
    std::memcpy(&value, &bits, 4);
    ASSERT_EQ(floatBits(static_cast<double>(value), 23, 8), pattern);
  }
}

TEST(Literal, FloatsBeyondTheirRangeAreErrors) {
  EXPECT_EQ(encodeLiteral(real(65520), Elem::f16).error(), "65520");
  EXPECT_EQ(encodeLiteral(whole(70000), Elem::f16).error(), "70000");
  EXPECT_EQ(encodeLiteral(real(1e39), Elem::f32).error(), "1e+39");
  EXPECT_TRUE(encodeLiteral(real(1e39), Elem::f64));
}

TEST(Literal, InfinitiesNanAndLowest) {
  EXPECT_EQ(bitsOf(form(ast::NumberForm::inf), Elem::f16), 0x7c00u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::inf, true), Elem::f32), 0xff800000u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::nan), Elem::f32), 0x7fc00000u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::lowest), Elem::f32), 0xff800000u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::lowest), Elem::i8), 0x80u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::lowest), Elem::u32), 0u);
  EXPECT_EQ(bitsOf(form(ast::NumberForm::lowest), Elem::boolean), 0u);
  EXPECT_FALSE(encodeLiteral(form(ast::NumberForm::inf), Elem::i32));
}

}  // namespace
}  // namespace axle
