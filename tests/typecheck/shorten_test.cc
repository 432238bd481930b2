// Facts as they are printed, against the facts that they stand for, for all small sizes.
#include "typecheck/report/shorten.h"

#include <gtest/gtest.h>

#include <random>

#include "dims/decide/evaluate.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr std::int64_t count = 5;  // of the values of each size, from 0

// A sum of up to three products of the sizes, each times a small number.
Dim randomSum(DimStore& dims, std::span<const Dim> sizes, std::mt19937& random) {
  Dim sum = dims.constant(static_cast<int>(random() % 5) - 2);
  for (std::size_t i = random() % 3 + 1; i > 0; --i) {
    Dim product = dims.constant(static_cast<int>(random() % 7) - 3);
    for (std::size_t factor = random() % 3; factor > 0; --factor)
      product = dims.mul(product, sizes[random() % sizes.size()]);
    sum = dims.add(sum, product);
  }
  return sum;
}

TEST(Shorten, FactsWithoutFactorsHoldForTheSameSizes) {
  Solution solution;
  Provenance provenance;
  Solver solver{solution, provenance};
  DimStore& dims = solution.dims;
  std::vector<Dim> sizes;
  for (const char* name : {"x", "y", "z"}) sizes.push_back(freshDimTerm(solver, name));
  std::mt19937 random(11);
  std::size_t shortened = 0;
  for (int round = 0; round < 3000; ++round) {
    const Dim factor = sizes[random() % sizes.size()];
    DimFact bound;
    bound.left = factor;
    bound.relation = random() % 2 ? FactRelation::ge : FactRelation::gt;
    bound.right = dims.constant(static_cast<int>(random() % 4) - 1);
    const FactRelation relations[] = {FactRelation::ge, FactRelation::gt, FactRelation::le, FactRelation::lt,
                                      FactRelation::eq};
    Dim left = randomSum(dims, sizes, random), right = randomSum(dims, sizes, random);
    if (random() % 4) left = dims.mul(left, factor), right = dims.mul(right, factor);
    const DimComparison fact{left, relations[random() % std::size(relations)], right};
    const DimComparison shorter = withoutFactors(solver, fact, sizesAboveZero(solver, {bound}));
    shortened += shorter.left != fact.left;
    std::vector<std::int64_t> values(dims.variableCount());
    auto holds = [&](const DimComparison& each) { return *decide::holds(dims, each, values); };
    for (std::int64_t at = 0; at < count * count * count; ++at) {
      for (const auto& [size, value] :
           {std::pair(0, at % count), std::pair(1, at / count % count), std::pair(2, at / count / count)})
        values[dims.asVariable(sizes[size])->index] = value;
      if (!holds(bound)) continue;
      ASSERT_EQ(holds(fact), holds(shorter))
          << dims.print(left) << " " << spelling(fact.relation) << " " << dims.print(right);
    }
  }
  EXPECT_GT(shortened, 300u);
}

TEST(Shorten, DivisibilitiesAreJoined) {
  Solution solution;
  Provenance provenance;
  Solver solver{solution, provenance};
  DimStore& dims = solution.dims;
  const Dim x = freshDimTerm(solver, "x");
  auto number = [&](std::int64_t value) { return dims.constant(value); };
  for (std::int64_t a = 1; a <= 6; ++a)
    for (std::int64_t b = 1; b <= 6; ++b)
      for (const Dim size : {x, dims.add(dims.mul(number(2), x), number(3))}) {
        const Dim quotient = dims.div(size, number(a)), ofQuotient = dims.div(quotient, number(b));
        const DimComparison whole{dims.mod(size, number(a)), FactRelation::eq, number(0)};
        const DimComparison facts[] = {{dims.mod(quotient, number(b)), FactRelation::eq, number(0)},
                                       {quotient, FactRelation::eq, dims.mul(number(b), ofQuotient)}};
        for (const DimComparison& fact : facts) {
          const auto both = divisibilityOfBoth(solver, whole, fact);
          EXPECT_TRUE(both || size != x || a == 1 || b == 1) << a << " " << b;
          std::vector<std::int64_t> values(dims.variableCount());
          for (std::int64_t value = 0; both && value < 80; ++value) {
            values[dims.asVariable(x)->index] = value;
            auto holds = [&](const DimComparison& each) { return *decide::holds(dims, each, values); };
            EXPECT_EQ(holds(whole) && holds(fact), holds(*both)) << a << " " << b << " " << value;
          }
        }
      }
}

}  // namespace
}  // namespace axle
