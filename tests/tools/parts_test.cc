// Tests the parts of the command `run` that need no bundle.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "driver/run/compare.h"
#include "driver/run/draw.h"
#include "driver/run/json.h"
#include "driver/run/numbers.h"
#include "driver/run/report.h"
#include "io/half.h"
#include "tests/io/scratch.h"

namespace axle::run {
namespace {

using runtime::constView;
using runtime::Shape;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Number number(Elem elem, T value) {
  return numberAt(elem, reinterpret_cast<const std::byte*>(&value));
}

template <class T>
std::string text(Elem elem, T value) {
  return numberText(elem, number(elem, value));
}

// Writes any value of nlohmann's library piece by piece.
void write(JsonWriter& json, const nlohmann::ordered_json& value) {
  if (value.is_object()) {
    json.openObject();
    for (const auto& [name, member] : value.items()) {
      json.key(name);
      write(json, member);
    }
    json.close();
  } else if (value.is_array()) {
    json.openList();
    for (const auto& item : value) write(json, item);
    json.close();
  } else if (value.is_string()) {
    json.add(value.get<std::string>());
  } else if (value.is_number_float()) {
    json.add(value.get<double>());
  } else if (value.is_number_unsigned()) {
    json.add(value.get<std::uint64_t>());
  } else if (value.is_number()) {
    json.add(value.get<std::int64_t>());
  } else {
    json.add(std::optional<int>());
  }
}

nlohmann::ordered_json randomJson(std::mt19937& random, int depth) {
  static const std::string strings[] = {"",     "a \"b\" \\", "\n\t\r\b\f", std::string("\x01\x1f\0", 3),
                                        "\x7f", "größe",      "形 🎈"};
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return strings[random() % std::size(strings)];
    case 1:
      return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 40);
    case 2:
      return std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 12) - 6);
    case 3:
      return UINT64_MAX - random() % 3;
    case 4:
      return nullptr;
    case 5: {
      auto list = nlohmann::ordered_json::array();
      for (auto n = random() % 4; n > 0; --n) list.push_back(randomJson(random, depth - 1));
      return list;
    }
    default: {
      auto object = nlohmann::ordered_json::object();
      for (auto n = random() % 4; n > 0; --n) object[strings[n] + std::to_string(n)] = randomJson(random, depth - 1);
      return object;
    }
  }
}

TEST(Json, IsWrittenAsAnotherLibraryWritesIt) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto value = randomJson(random, 4);
    JsonWriter line, indented(2);
    write(line, value);
    write(indented, value);
    ASSERT_EQ(line.text(), value.dump());
    ASSERT_EQ(indented.text(), value.dump(2));
  }
}

TEST(Json, IsValidWhateverTheTextIs) {
  JsonWriter json;
  json.openList();
  json.add(
      std::string_view("a\xFF"
                       "b\xC3"));
  json.add(std::string_view("\xED\xA0\x80\xF4\x90\x80\x80\xC0\xAF"));  // a surrogate, above U+10FFFF, overlong
  json.add(std::numeric_limits<double>::infinity());
  json.close();
  const auto read = nlohmann::json::parse(json.text());
  EXPECT_EQ(read[0], "a\uFFFDb\uFFFD");
  EXPECT_TRUE(read[2].is_null());
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (auto n = random() % 12; n > 0; --n)
      bytes += static_cast<char>(random() % 4 == 0 ? random() % 128 : 0x80 + random() % 128);
    JsonWriter any;
    any.add(bytes);
    EXPECT_TRUE(nlohmann::json::accept(any.text())) << any.text();
  }
}

TEST(Numbers, PrintTheShortestFormThatReadsBack) {
  EXPECT_EQ(text(Elem::f32, 0.1f), "0.1");
  EXPECT_EQ(text(Elem::f32, 16777216.0f), "16777216");
  EXPECT_EQ(text(Elem::f32, 10.0f), "10");
  EXPECT_EQ(text(Elem::f32, 1000.5f), "1000.5");
  EXPECT_EQ(text(Elem::f32, 1e-7f), "1e-07");
  EXPECT_EQ(text(Elem::bf16, bf16FromF32(12352)), "12352");
  EXPECT_EQ(text(Elem::f32, 1.0f / 3), "0.33333334");
  EXPECT_EQ(text(Elem::f64, 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text(Elem::f64, 1e300), "1e+300");
  EXPECT_EQ(text(Elem::f32, -0.0f), "-0");
  EXPECT_EQ(text(Elem::f32, -inf), "-inf");
  EXPECT_EQ(text(Elem::f32, nan), "nan");
  EXPECT_EQ(text(Elem::f16, f16FromF32(0.1f)), "0.1");
  EXPECT_EQ(text(Elem::bf16, bf16FromF32(0.1f)), "0.1");
  EXPECT_EQ(text(Elem::i8, std::int8_t{-128}), "-128");
  EXPECT_EQ(text(Elem::i64, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text(Elem::u64, std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text(Elem::boolean, std::uint8_t{1}), "true");
}

TEST(Numbers, EveryPrintedF16ReadsBack) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    EXPECT_EQ(f16FromF32(std::strtof(text(Elem::f16, half).c_str(), nullptr)), half);
  }
}

TEST(Numbers, DistanceIsExactForIntegers) {
  const auto i64 = [](std::int64_t value) { return number(Elem::i64, value); };
  const auto u64 = [](std::uint64_t value) { return number(Elem::u64, value); };
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(distance(i64(most), i64(most - 1)), 1);
  EXPECT_EQ(distance(i64(-3), i64(4)), 7);
  EXPECT_EQ(distance(i64(least), i64(most)), 0x1p64);
  EXPECT_EQ(distance(u64(0x8000000000000000), i64(most)), 1);
  EXPECT_EQ(distance(number(Elem::boolean, std::uint8_t{1}), number(Elem::f32, 0.75f)), 0.25);
}

TEST(Numbers, DistanceOfNonFiniteNumbers) {
  const auto f32 = [](float value) { return number(Elem::f32, value); };
  EXPECT_EQ(distance(f32(nan), f32(nan)), 0);
  EXPECT_EQ(distance(f32(inf), f32(inf)), 0);
  EXPECT_EQ(distance(f32(inf), f32(-inf)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distance(f32(nan), f32(0)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distance(f32(0), f32(nan)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distance(f32(1), f32(inf)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distance(f32(nan), number(Elem::i32, std::int32_t{0})), std::numeric_limits<double>::infinity());
}

Comparison compareF32(const std::vector<float>& is, const std::vector<float>& should, Tolerance tolerance = {}) {
  return compare(constView(Elem::f32, {static_cast<std::int64_t>(is.size())}, is.data()),
                 constView(Elem::f32, {static_cast<std::int64_t>(should.size())}, should.data()), tolerance);
}

TEST(Compare, AppliesBothTolerances) {
  EXPECT_TRUE(compareF32({1000, 0}, {1000.0625f, 1e-5f}).met());
  EXPECT_FALSE(compareF32({1000.25f}, {1000}).met());
  EXPECT_FALSE(compareF32({2e-5f}, {0}).met());
  EXPECT_TRUE(compareF32({2e-5f}, {0}, {0, 1e-4}).met());
  EXPECT_FALSE(compareF32({1.0000001f}, {1}, {0, 0}).met());
  EXPECT_TRUE(compareF32({nan, inf, -inf}, {nan, inf, -inf}, {0, 0}).met());
  EXPECT_FALSE(compareF32({1}, {inf}).met());
  EXPECT_FALSE(compareF32({nan}, {1}).met());
  EXPECT_FALSE(compareF32({1, 2}, {1, 2, 3}).met());
  EXPECT_TRUE(compareF32({}, {}).met());
}

TEST(Compare, ReportsPositionAndDistance) {
  const std::array<float, 6> is{0, 1, 2, 3, 4.5f, 5}, should{0, 1, 2, 3, 4, 5.25f};
  const auto actual = constView(Elem::f32, {2, 3}, is.data()), expected = constView(Elem::f32, {2, 3}, should.data());
  EXPECT_EQ(comparisonText("out.0", compare(actual, expected, {}), actual, expected),
            "out.0: largest error 0.5 (f32 [2, 3]), 2 of 6 beyond the tolerance: [1, 1] is 4.5, expected 4");
  EXPECT_EQ(comparisonText("out.0", compare(actual, expected, {1, 0}), actual, expected),
            "out.0: largest error 0.5 (f32 [2, 3])");
  const auto flat = constView(Elem::f32, {6}, should.data());
  EXPECT_EQ(comparisonText("out", compare(actual, flat, {}), actual, flat),
            "out: largest error inf, it is f32 [2, 3], expected f32 [6]");
}

TEST(Compare, ComparesDifferentElementTypes) {
  const std::array<std::uint16_t, 3> halves{f16FromF32(0.5f), f16FromF32(2), f16FromF32(inf)};
  const std::array<double, 3> doubles{0.5, 2, std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(
      compare(constView(Elem::f16, {3}, halves.data()), constView(Elem::f64, {3}, doubles.data()), {0, 0}).met());
  const std::array<std::uint8_t, 2> bools{1, 0};
  const std::array<std::int64_t, 2> ints{1, 0};
  EXPECT_TRUE(
      compare(constView(Elem::boolean, {2}, bools.data()), constView(Elem::i64, {2}, ints.data()), {0, 0}).met());
}

template <class T>
std::vector<T> drawn(Elem elem, std::size_t count, std::uint64_t seed = 0, std::uint64_t input = 0) {
  std::vector<T> values(count);
  draw(elem, seed, input, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(Draw, IsTheSameOnEveryMachine) {
  // SplitMix64 from 0 starts with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec.
  EXPECT_EQ(drawn<std::int32_t>(Elem::i32, 4), (std::vector<std::int32_t>{3, 1, 0, 3}));
  EXPECT_EQ(drawn<float>(Elem::f32, 2), (std::vector<float>{0xe220a8p-23f - 1, 0x6e789ep-23f - 1}));
  EXPECT_EQ(drawn<double>(Elem::f64, 1),
            std::vector<double>{static_cast<double>(0xe220a8397b1dcdaf >> 11) * 0x1p-52 - 1});
  EXPECT_NE(drawn<float>(Elem::f32, 2, 1), drawn<float>(Elem::f32, 2, 0));
  EXPECT_NE(drawn<float>(Elem::f32, 2, 0, 1), drawn<float>(Elem::f32, 2, 0, 0));
}

TEST(Draw, FillsTheWholeRange) {
  const auto check = [](const std::vector<double>& values, double least, double most) {
    double sum = 0, low = 2, high = -2;
    for (const double value : values) {
      EXPECT_GE(value, -1);
      EXPECT_LT(value, 1);
      sum += value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    EXPECT_LT(low, least);
    EXPECT_GT(high, most);
    EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 0.05);
  };
  check(drawn<double>(Elem::f64, 5000), -0.99, 0.99);
  std::vector<double> halves, brains;
  for (const auto bits : drawn<std::uint16_t>(Elem::f16, 5000)) halves.push_back(static_cast<double>(f32FromF16(bits)));
  for (const auto bits : drawn<std::uint16_t>(Elem::bf16, 5000))
    brains.push_back(static_cast<double>(f32FromBf16(bits)));
  check(halves, -0.99, 0.99);
  check(brains, -0.99, 0.98);
  for (const auto value : drawn<std::uint8_t>(Elem::boolean, 100)) EXPECT_LE(value, 1);
  for (const auto value : drawn<std::int64_t>(Elem::i64, 100)) EXPECT_TRUE(value >= 0 && value < 4);
}

TEST(Report, PrintsSmallTensorsInFull) {
  const std::array<float, 6> values{0, 0.5f, 1, 1.5f, 2, inf};
  EXPECT_EQ(outputText("out", constView(Elem::f32, {2, 3}, values.data())),
            "out : f32 [2, 3]\n  [[0, 0.5, 1],\n   [1.5, 2, inf]]\n");
  EXPECT_EQ(outputText("out", constView(Elem::f32, {}, values.data())), "out : f32 []\n  0\n");
  EXPECT_EQ(outputText("out", constView(Elem::f32, {0, 3}, nullptr)), "out : f32 [0, 3]\n  no values\n");
}

TEST(Report, SummarisesLargeTensors) {
  std::vector<float> values(200, 0.25f);
  values[3] = -2;
  values[7] = 8;
  EXPECT_EQ(outputText("out", constView(Elem::f32, {200}, values.data())), "out : f32 [200]\n  200 values, -2 to 8\n");
  values[9] = nan;
  EXPECT_EQ(outputText("out", constView(Elem::f32, {200}, values.data())),
            "out : f32 [200]\n  200 values, -2 to 8, 1 of them nan\n");
}

TEST(Report, Times) {
  std::vector<double> times;
  for (int i = 100; i > 0; --i) times.push_back(i);
  EXPECT_EQ(timesText(times), "time: min 1 ms, median 50.5 ms, p99 99 ms over 100 runs\n");
  EXPECT_EQ(timesText({2}), "time: min 2 ms, median 2 ms, p99 2 ms over 1 run\n");
}

TEST(Report, WritesOneFilePerOutput) {
  const ScratchFolder folder;
  const std::array<float, 2> values{1, 2};
  const auto view = constView(Elem::f32, {2}, values.data());
  const std::string inner = folder.file("a/b");
  ASSERT_TRUE(writeOutputs(inner, {{"conv1/Relu:0", view}, {"out.1", view}}));
  EXPECT_TRUE(std::filesystem::exists(inner + "/conv1.Relu.0.npy"));
  EXPECT_TRUE(std::filesystem::exists(inner + "/out.1.npy"));
  const auto clash = writeOutputs(inner, {{"a/b", view}, {"a:b", view}});
  ASSERT_FALSE(clash);
  EXPECT_EQ(clash.error().exitCode, 2);
  EXPECT_EQ(clash.error().text(),
            "error: two outputs would be written to " + inner + "/a.b.npy; choose one with --output");
  // A list maps shortened file names to the whole names.
  const std::string scope(300, 's');
  ASSERT_TRUE(writeOutputs(inner, {{scope + "/a/" + scope, view}, {scope + "/b/" + scope, view}}));
  EXPECT_NE(outputPath(inner, scope + "/a/" + scope), outputPath(inner, scope + "/b/" + scope));
  EXPECT_TRUE(std::filesystem::exists(outputPath(inner, scope + "/a/" + scope)));
  EXPECT_TRUE(std::filesystem::exists(inner + "/names.tsv"));
  const auto blocked = writeOutputs(inner + "/out.1.npy", {{"out", view}});
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().text(), "error: " + inner + "/out.1.npy: cannot make the folder: Not a directory");
}

}  // namespace
}  // namespace axle::run
