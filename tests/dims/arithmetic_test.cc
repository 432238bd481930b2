// Checked arithmetic at the limits of the integer types, alone and in the normal form.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dims/arithmetic.h"
#include "dims/decide/decider.h"
#include "dims/decide/evaluate.h"
#include "dims/dim.h"
#include "tests/dims/written_fact.h"

namespace axle {
namespace {

using decide::Wide;

constexpr DimOp operators[] = {DimOp::add, DimOp::sub, DimOp::mul, DimOp::div,
                               DimOp::mod, DimOp::max, DimOp::min, DimOp::ceildiv};

// Returns the result in unbounded integers, by the definition of each operator; none if it is undefined.
std::optional<Wide> exactResult(DimOp op, Wide a, Wide b) {
  const auto floored = [](Wide x, Wide y) {
    Wide quotient = x / y;
    while (quotient * y != x && (quotient * y > x) == (y > 0)) --quotient;
    return quotient;
  };
  if (divides(op) && b == 0) return std::nullopt;
  switch (op) {
    case DimOp::add:
      return a + b;
    case DimOp::sub:
      return a - b;
    case DimOp::mul:
      return a * b;
    case DimOp::div:
      return floored(a, b);
    case DimOp::mod:
      return a - b * floored(a, b);
    case DimOp::ceildiv:
      return -floored(-a, b);
    case DimOp::max:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

template <class Integer>
void expectExact(DimOp op, Integer a, Integer b) {
  const auto exact = exactResult(op, a, b);
  const SizeValue<Integer> found = apply(op, a, b);
  const bool fits =
      exact && *exact >= std::numeric_limits<Integer>::min() && *exact <= std::numeric_limits<Integer>::max();
  const DimState expected = !exact ? DimState::undefined : fits ? DimState::known : DimState::overflow;
  ASSERT_EQ(found.state, expected) << +a << " " << spelling(op) << " " << +b;
  ASSERT_TRUE(!fits || found.value == static_cast<Integer>(*exact)) << +a << " " << spelling(op) << " " << +b;
  if (op != DimOp::div || b == 0) return;
  const bool divisible = fits && *exact * b == a;
  ASSERT_EQ(exactQuotient(a, b), divisible ? std::optional(found.value) : std::nullopt) << +a << " / " << +b;
}

TEST(Arithmetic, EveryPairOfBytesIsExactUndefinedOrOverflow) {
  for (DimOp op : operators)
    for (int a = -128; a < 128; ++a)
      for (int b = -128; b < 128; ++b)
        ASSERT_NO_FATAL_FAILURE(expectExact(op, static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)));
}

// Numbers near 0, near the powers of two that products and sums reach, and near both ends.
std::vector<std::int64_t> borders() {
  std::vector<std::int64_t> out;
  constexpr std::int64_t root = std::int64_t{3037000500};  // the least number whose square overflows
  for (std::int64_t center : {std::int64_t{0}, root, -root, INT64_MAX / 2, INT64_MIN / 2, std::int64_t{1} << 32})
    for (std::int64_t near = -3; near <= 3; ++near) out.push_back(center + near);
  for (std::int64_t near = 0; near <= 3; ++near) {
    out.push_back(INT64_MIN + near);
    out.push_back(INT64_MAX - near);
  }
  return out;
}

TEST(Arithmetic, Int64LimitsAreExactUndefinedOrOverflow) {
  for (DimOp op : operators)
    for (std::int64_t a : borders())
      for (std::int64_t b : borders()) ASSERT_NO_FATAL_FAILURE(expectExact(op, a, b));
}

TEST(Arithmetic, NormalFormFoldsConstantsTheSameWay) {
  DimStore store;
  for (DimOp op : operators)
    for (std::int64_t a : borders())
      for (std::int64_t b : borders()) {
        const DimValue expected = apply(op, a, b);
        const Dim folded = store.apply(op, store.constant(a), store.constant(b));
        ASSERT_EQ(store.isUndefined(folded), !expected.known()) << a << " " << spelling(op) << " " << b;
        ASSERT_TRUE(!expected.known() || store.asConstant(folded) == expected.value);
      }
}

// (a*n + c) op (b*n + d) is undefined or equals the result in 128 bits; nothing traps or wraps around.
TEST(Arithmetic, CoefficientsAtInt64LimitsKeepValues) {
  const std::int64_t constants[] = {0, -1, 1, INT64_MIN, INT64_MAX};
  int compared = 0;
  for (std::int64_t a : borders())
    for (std::int64_t b : borders()) {
      DimStore store;
      const Dim n = store.variable(store.newVariable("n"));
      for (std::int64_t c : constants)
        for (std::int64_t d : constants) {
          const Dim left = store.add(store.mul(store.constant(a), n), store.constant(c));
          const Dim right = store.add(store.mul(store.constant(b), n), store.constant(d));
          for (DimOp op : operators) {
            const Dim made = store.apply(op, left, right);
            if (store.isUndefined(made)) continue;
            ASSERT_FALSE(store.print(made).empty());
            for (const Term& term : store.terms(made))
              ASSERT_TRUE(term.coefficient != INT64_MIN || store.asConstant(made)) << store.print(made);
            for (std::int64_t size : {0, 1, 2, 7}) {
              const std::int64_t sizes[] = {size};
              const auto found = decide::evaluate(store, made, sizes);
              const auto exact = exactResult(op, Wide{a} * size + c, Wide{b} * size + d);
              if (!found || !exact || (divides(op) && Wide{b} * size + d < 1)) continue;
              ASSERT_TRUE(*found == *exact) << store.print(left) << " " << spelling(op) << " " << store.print(right)
                                            << " is " << store.print(made) << " for n = " << size;
              ++compared;
            }
          }
        }
    }
  EXPECT_GT(compared, 100000);
}

TEST(Arithmetic, VerdictsAtInt64LimitsAreSound) {
  struct Row {
    const char* claim;
    decide::Verdict verdict;
  };
  const Row rows[] = {
      {"((0 - 9223372036854775807 - 1)*n)/(0 - n) == 1", decide::Verdict::unknown},
      {"((0 - 9223372036854775807 - 1)*n)%(0 - n) == 1", decide::Verdict::unknown},
      {"(0 - 9223372036854775807 - 1)/(0 - 1) == 1", decide::Verdict::refuted},
      {"(0 - 9223372036854775807 - 1)%(0 - 1) == 0", decide::Verdict::refuted},
      {"0 - 9223372036854775807 - 1 <= n", decide::Verdict::unknown},
      {"n*9223372036854775807 != 0 - n*9223372036854775807", decide::Verdict::contingent},
      {"max(0 - 9223372036854775807 - 1, n) == n", decide::Verdict::unknown},
      {"9223372036854775807*n + 9223372036854775807*m >= n", decide::Verdict::proved},
      {"(9223372036854775807*n)/(9223372036854775807*m) <= n", decide::Verdict::contingent},
  };
  for (const Row& row : rows) {
    DimStore store;
    const WrittenFact fact = WrittenFactReader(store).read(row.claim);
    const decide::Question question{store, {}, fact.fact, [](DimVar) { return true; }, {}, fact.divisors};
    EXPECT_STREQ(spelling(decide::Decider().decide(question).verdict), spelling(row.verdict)) << row.claim;
  }
}

}  // namespace
}  // namespace axle
