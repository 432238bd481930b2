// Tests the vector kernels in every instruction set that this machine has: pointwise functions against libm, reductions
// against plain sums, f16 and bf16.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "io/half.h"
#include "runtime/vector/half.h"
#include "runtime/vector/pointwise.h"
#include "runtime/vector/reduction.h"
#include "tests/runtime/drawn_elements.h"
#include "tests/runtime/instruction_sets.h"

namespace axle::runtime::test {
namespace {

// Returns numbers of all magnitudes, and special cases.
std::vector<float> allSortsOfNumbers() {
  std::vector<float> xs{0.0f,   -0.0f,   1e-45f,  -1e-45f, 0x1p-126f, 1.0f,   -1.0f,    0.625f,    88.7f, 88.8f, -87.3f,
                        -88.0f, -104.0f, -200.0f, 200.0f,  3e38f,     -3e38f, INFINITY, -INFINITY, NAN,   -NAN};
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i) xs.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (int i = 0; i < 200000; ++i) xs.push_back(static_cast<float>(random()) * 0x1p-25f - 64.0f);
  return xs;
}

// Returns the distance of a result from the exact one in units in the last place. Results within `smallest` of 0 count
// as 0.
double distance(float actual, double exact, double smallest) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : INFINITY;
  if (std::isnan(actual)) return INFINITY;
  const auto rounded = static_cast<float>(exact);
  if (actual == rounded || std::abs(static_cast<double>(actual) - exact) <= smallest) return 0;
  if (std::isinf(actual) || std::isinf(rounded)) return INFINITY;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
  return std::abs(static_cast<double>(actual) - exact) / unit;
}

void checkFunction(RowKernel kernel, double (*exact)(double), double units, double smallest) {
  static const std::vector<float> xs = allSortsOfNumbers();
  std::vector<float> out(xs.size());
  const auto run = [&](std::size_t from, std::size_t count) {
    kernel({{xs.data() + from, nullptr, nullptr},
            {true, false, false},
            out.data() + from,
            static_cast<std::int64_t>(count)});
  };
  run(0, xs.size() - 21);
  for (std::size_t i = xs.size() - 21; i < xs.size(); i += 3) run(i, 3);  // fewer than a vector
  for (std::size_t i = 0; i < xs.size(); ++i)
    ASSERT_LE(distance(out[i], exact(xs[i]), smallest), units) << "at " << xs[i] << ": " << out[i];
}

TEST(Vector, PointwiseFunctions) {
  inEachInstructionSet([&](std::string_view name) {
    if (name == "plain") return;
    // 32-bit ARM treats denormals as 0.
    constexpr double denormal = sizeof(void*) == 4 ? 0x1p-126 : 0;
    checkFunction(AXLE_KERNELS_IN_USE(vectorNeg), [](double x) { return -x; }, 0, denormal);
    checkFunction(AXLE_KERNELS_IN_USE(vectorAbs), [](double x) { return std::abs(x); }, 0, denormal);
    checkFunction(
        AXLE_KERNELS_IN_USE(vectorRelu), [](double x) { return std::isnan(x) ? x : std::max(0.0, x); }, 0, denormal);
    checkFunction(AXLE_KERNELS_IN_USE(vectorExp), [](double x) { return std::exp(x); }, 4, 0x1p-126);
    checkFunction(AXLE_KERNELS_IN_USE(vectorSigmoid), [](double x) { return 1 / (1 + std::exp(-x)); }, 4, 0x1p-125);
    checkFunction(AXLE_KERNELS_IN_USE(vectorTanh), [](double x) { return std::tanh(x); }, 4, denormal);
    if (AXLE_KERNELS_IN_USE(vectorSqrt) == nullptr) return;
    checkFunction(AXLE_KERNELS_IN_USE(vectorSqrt), [](double x) { return std::sqrt(x); }, 0.5, 0);
    checkFunction(AXLE_KERNELS_IN_USE(vectorRsqrt), [](double x) { return 1 / std::sqrt(x); }, 1.5, 0);
    checkFunction(
        AXLE_KERNELS_IN_USE(vectorHardSwish),
        [](double x) { return x * (std::isnan(x) ? x : std::clamp(x + 3, 0.0, 6.0) / 6); }, 2, 0x1p-149);
  });
}

TEST(Vector, Gates) {
  std::vector<float> a = allSortsOfNumbers(), b = a;
  std::shuffle(b.begin(), b.end(), std::mt19937(9));
  for (std::size_t i = 0; i < a.size(); i += 2) a[i] = std::fmod(a[i], 12.0f), b[i] = std::fmod(b[i], 90.0f);
  inEachInstructionSet([&](std::string_view) {
    const RowKernel kernel = AXLE_KERNELS_IN_USE(vectorGate);
    if (kernel == nullptr) return;
    std::vector<float> out(a.size());
    kernel({{a.data(), b.data(), nullptr}, {true, true, false}, out.data(), static_cast<std::int64_t>(out.size())});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double x = a[i], y = b[i], exact = std::tanh(x) / (1 + std::exp(-y));
      ASSERT_LE(distance(out[i], exact, 0x1p-125), 8) << x << ", " << y << ": " << out[i];
    }
  });
}

TEST(Vector, Powers) {
  std::vector<float> bases = allSortsOfNumbers(), exponents;
  std::mt19937 random(5);
  const float some[] = {-0.75f, 0.5f, 2.0f, -1.0f, 0.0f, 1.0f, 3.0f, INFINITY, NAN, 1e-30f, 1e30f};
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (std::isnan(bases[i])) bases[i] = NAN;  // a signalling NaN stays NaN even to the power of 0
    if (i % 3 == 1) bases[i] = static_cast<float>(random()) * 0x1p-28f;
    if (i % 3 == 2) bases[i] = 1.0f + static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 1e-5f;
    exponents.push_back(i % 2 == 0 ? some[random() % std::size(some)] : static_cast<float>(random()) * 0x1p-28f - 8.0f);
  }
  inEachInstructionSet([&](std::string_view) {
    const RowKernel kernel = AXLE_KERNELS_IN_USE(vectorPow);
    if (kernel == nullptr) return;
    std::vector<float> out(bases.size());
    kernel({{bases.data(), exponents.data(), nullptr},
            {true, true, false},
            out.data(),
            static_cast<std::int64_t>(out.size())});
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_LE(distance(out[i], std::pow(static_cast<double>(bases[i]), static_cast<double>(exponents[i])), 0), 4)
          << bases[i] << " to the power " << exponents[i] << ": " << out[i];
  });
}

TEST(Vector, PointwiseOperatorsOfTwo) {
  const float values[] = {0.0f, -0.0f, 1.5f, -2.0f, INFINITY, -INFINITY, NAN, 3e38f, 1e-30f};
  const auto larger = [](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); };
  const auto smaller = [](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); };
  struct Case {
    RowKernel (*kernel)();
    float (*exact)(float, float);
  };
  const Case cases[] = {{[] { return AXLE_KERNELS_IN_USE(vectorAdd); }, [](float a, float b) { return a + b; }},
                        {[] { return AXLE_KERNELS_IN_USE(vectorSub); }, [](float a, float b) { return a - b; }},
                        {[] { return AXLE_KERNELS_IN_USE(vectorMul); }, [](float a, float b) { return a * b; }},
                        {[] { return AXLE_KERNELS_IN_USE(vectorMaximum); }, larger},
                        {[] { return AXLE_KERNELS_IN_USE(vectorMinimum); }, smaller}};
  inEachInstructionSet([&](std::string_view name) {
    if (name == "plain") return;
    for (const Case& c : cases)
      for (std::int64_t count : {1, 3, 16, 37})
        for (bool aMoves : {false, true})
          for (bool bMoves : {false, true}) {
            std::vector<float> a, b, out(static_cast<std::size_t>(count) + 1, guard);
            for (std::int64_t i = 0; i < count; ++i) {
              a.push_back(values[static_cast<std::size_t>(i) % std::size(values)]);
              b.push_back(values[static_cast<std::size_t>(i / 3 + count) % std::size(values)]);
            }
            c.kernel()({{a.data(), b.data(), nullptr}, {aMoves, bMoves, false}, out.data(), count});
            for (std::size_t i = 0; i < a.size(); ++i) {
              const float expected = c.exact(a[aMoves ? i : 0], b[bMoves ? i : 0]);
              EXPECT_TRUE((out[i] == expected && std::signbit(out[i]) == std::signbit(expected)) ||
                          (std::isnan(out[i]) && std::isnan(expected)))
                  << out[i] << ", not " << expected;
            }
            EXPECT_EQ(out.back(), guard);
          }
  });
}

// Operators on several rows, whose operands have gaps between rows, or one row for all.
TEST(Vector, PointwiseRowsThatAreApart) {
  Draws draws(7);
  inEachInstructionSet([&](std::string_view name) {
    if (name == "plain") return;
    const RowKernel multiply = AXLE_KERNELS_IN_USE(vectorMul), negate = AXLE_KERNELS_IN_USE(vectorNeg);
    for (int round = 0; round < 100; ++round) {
      const std::int64_t rows = 1 + draws.below(5), columns = 1 + draws.below(40), aPitch = columns + draws.below(7),
                         bPitch = draws.below(2) == 0 ? 0 : columns, outPitch = columns + draws.below(5);
      const bool bMoves = draws.below(3) != 0;
      const std::vector<float> a = draws.numbers(rows * aPitch, drawElement),
                               b = draws.numbers(rows * columns, drawElement);
      std::vector<float> products(static_cast<std::size_t>(rows * outPitch + 1), guard), negated = products;
      multiply({{a.data(), b.data(), nullptr},
                {true, bMoves, false},
                products.data(),
                columns,
                rows,
                {aPitch, bMoves ? bPitch : 0, 0},
                outPitch});
      negate({{a.data(), nullptr, nullptr},
              {true, false, false},
              negated.data(),
              columns,
              rows,
              {aPitch, 0, 0},
              outPitch});
      expectBlock(products, outPitch, rows, columns, [&](std::int64_t row, std::int64_t column) {
        return a[static_cast<std::size_t>(row * aPitch + column)] *
               b[static_cast<std::size_t>(bMoves ? row * bPitch + column : 0)];
      });
      expectBlock(negated, outPitch, rows, columns, [&](std::int64_t row, std::int64_t column) {
        return -a[static_cast<std::size_t>(row * aPitch + column)];
      });
      if (testing::Test::HasFailure()) return;
    }
  });
}

TEST(Vector, Reductions) {
  Draws draws(7);
  inEachInstructionSet([&](std::string_view) {
    const CombineRows sumRows = AXLE_KERNELS_IN_USE(sumRows), maxRows = AXLE_KERNELS_IN_USE(maxRows);
    const CombineRow sumRow = AXLE_KERNELS_IN_USE(sumRow), maxRow = AXLE_KERNELS_IN_USE(maxRow);
    for (int round = 0; round < 300; ++round) {
      const std::int64_t count = draws.below(12), columns = draws.below(150);
      const std::vector<float> x = draws.numbers(count * columns + 1, drawElement),
                               start = draws.numbers(columns + 1, drawElement);
      std::vector<const float*> rows;
      rows.push_back(start.data());
      for (std::int64_t i = 0; i < count; ++i) rows.push_back(x.data() + i * columns);
      std::vector<float> sums(start.size(), guard), largest = start;
      sumRows(rows.data(), count + 1, columns, sums.data());
      rows[0] = largest.data();  // the result's own memory
      maxRows(rows.data(), count + 1, columns, largest.data());
      EXPECT_EQ(sums.back(), guard);
      EXPECT_EQ(largest.back(), start.back());
      for (std::int64_t c = 0; c < columns; ++c) {
        float sum = start[static_cast<std::size_t>(c)], most = sum;
        for (std::int64_t i = 0; i < count; ++i) {
          const float element = x[static_cast<std::size_t>(i * columns + c)];
          sum += element, most = std::max(most, element);
        }
        ASSERT_EQ(sums[static_cast<std::size_t>(c)], sum);
        ASSERT_EQ(largest[static_cast<std::size_t>(c)], most);
      }
      float sum = 0.5f, most = -100;
      for (std::int64_t i = 0; i < count * columns; ++i)
        sum += x[static_cast<std::size_t>(i)], most = std::max(most, x[static_cast<std::size_t>(i)]);
      ASSERT_EQ(sumRow(x.data(), count * columns, 0.5f), sum);
      ASSERT_EQ(maxRow(x.data(), count * columns, -100), most);
    }
    const float withNan[] = {1, NAN, 2};
    EXPECT_TRUE(std::isnan(maxRow(withNan, 3, 0)));
  });
}

TEST(Vector, Halves) {
  std::vector<std::uint16_t> all(1 << 16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const auto agree = [&](WidenRows widen, float (*expected)(std::uint16_t)) {
    for (const std::int64_t from : {0, 1, 3}) {
      const std::int64_t count = static_cast<std::int64_t>(all.size()) - from - 5;
      std::vector<float> made(all.size(), guard);
      const std::int64_t rows = 7, columns = count / rows;
      widen({all.data() + from, columns, rows, columns, made.data(), columns});
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const float x = expected(all[static_cast<std::size_t>(from + i)]), y = made[static_cast<std::size_t>(i)];
        ASSERT_TRUE(std::isnan(x) ? std::isnan(y) : std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y))
            << from + i;
      }
      EXPECT_EQ(made[static_cast<std::size_t>(rows * columns)], guard);
    }
  };
  inEachInstructionSet([&](std::string_view) {
    agree(AXLE_KERNELS_IN_USE(widenF16), f32FromF16);
    agree(AXLE_KERNELS_IN_USE(widenBf16), f32FromBf16);
  });
}

// Numbers between all halves, beside them and beside the middle between two, and those that are none.
std::vector<float> numbersBetweenHalves(float (*wide)(std::uint16_t)) {
  std::vector<float> made;
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const float x = wide(static_cast<std::uint16_t>(i)), y = wide(static_cast<std::uint16_t>(i + 1)),
                middle = std::isfinite(x) && std::isfinite(y) ? x + (y - x) / 2 : x;
    for (const float each : {x, middle}) {
      made.push_back(each);
      for (const float to : {-INFINITY, INFINITY}) made.push_back(std::nextafter(each, to));
    }
  }
  made.insert(made.end(), {65519.9f, 65520.0f, 3e38f, 0x1p-25f, 0x1.8p-25f, 0x1p-149f, 0x1p-133f, -0.0f});
  for (const std::uint32_t nan : {0x7F800001u, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu})
    made.push_back(std::bit_cast<float>(nan));
  return made;
}

TEST(Vector, SumsAreRoundedToHalves) {
  const auto agree = [](StoreHalves store, std::uint16_t (*half)(float), float (*wide)(std::uint16_t)) {
    const std::vector<float> from = numbersBetweenHalves(wide);
    std::vector<std::uint16_t> to(from.size());
    const auto count = static_cast<std::int64_t>(from.size());
    store({from.data(), count, 1, count, to.data(), count});
    for (std::size_t i = 0; i < from.size(); ++i)
      ASSERT_TRUE(std::isnan(from[i]) ? std::isnan(wide(to[i])) && (to[i] >> 15 != 0) == std::signbit(from[i])
                                      : to[i] == half(from[i]))
          << from[i] << " " << to[i];
  };
  inEachInstructionSet([&](std::string_view) {
    agree(AXLE_KERNELS_IN_USE(storeF16), f16FromF32, f32FromF16);
    agree(AXLE_KERNELS_IN_USE(storeBf16), bf16FromF32, f32FromBf16);
  });
}

TEST(Vector, ProductsOfOneRowWithHalves) {
  Draws draws(11);
  const auto agree = [&](MultiplyHalf multiply, std::uint16_t (*half)(float), std::string_view name) {
    for (const std::int64_t k : {0, 1, 7, 8, 9, 40})
      for (const std::int64_t columns : {1, 3, 15, 16, 17, 50}) {
        const std::int64_t pitch = columns + draws.below(3);
        const std::vector<float> left = draws.numbers(k, drawElement), right = draws.numbers(k * pitch, drawElement);
        std::vector<std::uint16_t> halves(right.size());
        std::transform(right.begin(), right.end(), halves.begin(), half);
        std::vector<float> sums(static_cast<std::size_t>(columns + 1), guard);
        multiply({left.data(), k, halves.data(), pitch, columns, sums.data()});
        expectBlock(sums, columns + 1, 1, columns, [&](std::int64_t, std::int64_t column) {
          float sum = 0;
          for (std::int64_t p = 0; p < k; ++p)
            sum += left[static_cast<std::size_t>(p)] * right[static_cast<std::size_t>(p * pitch + column)];
          return sum;
        });
        ASSERT_FALSE(testing::Test::HasFailure()) << k << " " << columns << " " << name;
      }
  };
  inEachInstructionSet([&](std::string_view name) {
    agree(AXLE_KERNELS_IN_USE(multiplyF16), f16FromF32, name);
    agree(AXLE_KERNELS_IN_USE(multiplyBf16), bf16FromF32, name);
  });
}

TEST(Vector, InstructionSetsAreChosenByName) {
  EXPECT_FALSE(useInstructionSet("mmx"));
  EXPECT_EQ(instructionSet(), instructionSets().back().set);
  EXPECT_EQ(instructionSets().front().name, "plain");
}

}  // namespace
}  // namespace axle::runtime::test
