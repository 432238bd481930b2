// Compares the normal form of dimensions with evaluation on concrete integers: no rule may change a value.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "dims/dim.h"

namespace axle {
namespace {

using Values = std::vector<std::int64_t>;

std::int64_t flooredQuotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// Returns the value of a dimension; none if it divides by 0.
std::optional<std::int64_t> valueOf(const DimStore& store, Dim d, const Values& values) {
  if (store.isUndefined(d)) return std::nullopt;
  std::int64_t sum = 0;
  for (const Term& term : store.terms(d)) {
    std::int64_t product = term.coefficient;
    for (const Factor& f : term.factors) {
      std::int64_t base = 0;
      if (f.isAtom) {
        const Atom& atom = store.atom(f.index);
        auto left = valueOf(store, atom.left, values), right = valueOf(store, atom.right, values);
        if (!left || !right) return std::nullopt;
        bool divides = atom.op == DimOp::div || atom.op == DimOp::mod;
        if (divides && *right == 0) return std::nullopt;
        switch (atom.op) {
          case DimOp::div:
            base = flooredQuotient(*left, *right);
            break;
          case DimOp::mod:
            base = *left - *right * flooredQuotient(*left, *right);
            break;
          case DimOp::max:
            base = std::max(*left, *right);
            break;
          case DimOp::min:
            base = std::min(*left, *right);
            break;
          default:
            ADD_FAILURE() << "no operator of atoms";
        }
      } else {
        base = values[f.index];
      }
      for (std::uint32_t i = 0; i < f.power; ++i) product *= base;
    }
    sum += product;
  }
  return sum;
}

struct Pair {
  Dim dim;
  std::optional<std::int64_t> value;  // by direct evaluation
};

// Makes a random expression, both as a normal form and by direct evaluation.
Pair random(DimStore& store, const std::vector<DimVar>& variables, const Values& values, std::mt19937& rng, int depth) {
  auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  if (depth == 0 || below(5) == 0) {
    if (below(2) == 0) {
      auto c = below(7) - 1;
      return {store.constant(c), c};
    }
    auto v = static_cast<std::size_t>(below(static_cast<unsigned>(variables.size())));
    return {store.variable(variables[v]), values[v]};
  }
  Pair a = random(store, variables, values, rng, depth - 1), b = random(store, variables, values, rng, depth - 1);
  bool known = a.value && b.value;
  switch (below(8)) {
    case 0:
      return {store.add(a.dim, b.dim), known ? std::optional(*a.value + *b.value) : std::nullopt};
    case 1:
      return {store.sub(a.dim, b.dim), known ? std::optional(*a.value - *b.value) : std::nullopt};
    case 2:
      return {store.mul(a.dim, b.dim), known ? std::optional(*a.value * *b.value) : std::nullopt};
    case 3:
      return {store.div(a.dim, b.dim),
              known && *b.value != 0 ? std::optional(flooredQuotient(*a.value, *b.value)) : std::nullopt};
    case 4:
      return {store.mod(a.dim, b.dim), known && *b.value != 0
                                           ? std::optional(*a.value - *b.value * flooredQuotient(*a.value, *b.value))
                                           : std::nullopt};
    case 5:
      return {store.max(a.dim, b.dim), known ? std::optional(std::max(*a.value, *b.value)) : std::nullopt};
    case 6:
      return {store.min(a.dim, b.dim), known ? std::optional(std::min(*a.value, *b.value)) : std::nullopt};
    default:
      return {store.ceildiv(a.dim, b.dim),
              known && *b.value > 0 ? std::optional(flooredQuotient(*a.value + *b.value - 1, *b.value)) : std::nullopt};
  }
}

TEST(Dim, NormalFormsKeepValues) {
  std::mt19937 rng(7);
  int compared = 0;
  for (int round = 0; round < 40000; ++round) {
    DimStore store;
    std::vector<DimVar> variables;
    Values values;
    for (int i = 0; i < 3; ++i) {
      variables.push_back(store.newVariable(std::string(1, static_cast<char>('a' + i))));
      values.push_back(static_cast<std::int64_t>(rng() % 9));
    }
    Pair p = random(store, variables, values, rng, 4);
    if (!p.value) continue;  // divides by 0: the expression has no value to keep
    auto found = valueOf(store, p.dim, values);
    if (!found) continue;  // keeps a quotient by a divisor that is 0 here
    ASSERT_EQ(*found, *p.value) << store.print(p.dim) << " for a, b, c = " << values[0] << ", " << values[1] << ", "
                                << values[2];
    ++compared;
  }
  EXPECT_GT(compared, 20000);
}

TEST(Dim, EqualExpressionsAreOneNormalForm) {
  DimStore s;
  Dim h = s.variable(s.newVariable("h")), w = s.variable(s.newVariable("w"));
  auto c = [&](std::int64_t v) { return s.constant(v); };
  EXPECT_EQ(s.mul(s.add(h, w), s.add(h, w)), s.add(s.add(s.mul(h, h), s.mul(c(2), s.mul(h, w))), s.mul(w, w)));
  EXPECT_EQ(s.ceildiv(h, c(2)), s.div(s.add(h, c(1)), c(2)));
  EXPECT_EQ(s.add(s.div(s.sub(h, c(1)), c(2)), c(1)), s.ceildiv(h, c(2)));  // a padded and a plain strided convolution
  EXPECT_EQ(s.div(s.div(h, c(2)), c(2)), s.div(h, c(4)));
  EXPECT_EQ(s.div(s.mul(c(6), h), c(3)), s.mul(c(2), h));
  EXPECT_EQ(s.div(s.mul(h, w), w), h);
  EXPECT_EQ(s.mod(s.add(s.mul(c(4), h), c(3)), c(4)), c(3));
  EXPECT_EQ(s.mod(s.mul(c(12), s.mod(h, c(13))), c(13)), s.mod(s.negate(h), c(13)));
  EXPECT_EQ(s.mod(s.mul(w, s.mul(c(2), s.mod(h, c(2)))), c(4)), s.mod(s.mul(c(2), s.mul(h, w)), c(4)));
  EXPECT_EQ(s.mod(s.mod(s.mod(h, c(24)), c(12)), c(4)), s.mod(h, c(4)));
  EXPECT_NE(s.mod(s.mod(h, c(6)), c(4)), s.mod(h, c(4)));
  EXPECT_EQ(s.max(h, s.add(h, c(1))), s.add(h, c(1)));
  EXPECT_EQ(s.max(h, w), s.max(w, h));
}

TEST(Dim, NestedMaximaAndMinimaAreOneNormalForm) {
  DimStore s;
  Dim h = s.variable(s.newVariable("h")), w = s.variable(s.newVariable("w")), n = s.variable(s.newVariable("n"));
  auto c = [&](std::int64_t v) { return s.constant(v); };
  EXPECT_EQ(s.max(h, s.min(h, c(2))), h);
  EXPECT_EQ(s.min(s.max(h, w), h), h);
  EXPECT_EQ(s.max(s.max(h, w), n), s.max(w, s.max(n, h)));
  EXPECT_EQ(s.max(s.max(h, w), s.max(w, n)), s.max(s.max(h, w), n));
  EXPECT_EQ(s.max(s.max(h, c(3)), c(2)), s.max(h, c(3)));
  EXPECT_EQ(s.min(s.min(h, w), s.add(h, c(1))), s.min(h, w));
  EXPECT_EQ(s.max(s.min(h, w), s.max(w, n)), s.max(w, n));
  EXPECT_NE(s.max(s.min(h, w), n), s.max(w, n));
  EXPECT_EQ(s.print(s.max(w, s.max(n, h))), s.print(s.max(s.max(h, w), n)));
}

TEST(Dim, OverflowAndDivisionByZeroAreUndefined) {
  DimStore s;
  Dim large = s.constant(INT64_MAX), n = s.variable(s.newVariable("n"));
  EXPECT_TRUE(s.isUndefined(s.add(large, s.constant(1))));
  EXPECT_TRUE(s.isUndefined(s.mul(large, s.constant(2))));
  EXPECT_TRUE(s.isUndefined(s.div(n, s.constant(0))));
  EXPECT_TRUE(s.isUndefined(s.mod(n, s.constant(0))));
  EXPECT_TRUE(s.isUndefined(s.add(n, s.undefined())));
}

TEST(Dim, PrintsAsUsersWrite) {
  DimStore s;
  Dim h = s.variable(s.newVariable("h")), w = s.variable(s.newVariable("w")), n = s.variable(s.newVariable("n"));
  auto c = [&](std::int64_t v) { return s.constant(v); };
  EXPECT_EQ(s.print(s.add(s.mul(h, w), c(1))), "h*w + 1");
  EXPECT_EQ(s.print(s.sub(c(5), n)), "5 - n");
  Dim rows = s.div(h, c(16)), columns = s.div(w, c(16));
  EXPECT_EQ(s.print(s.mul(rows, columns)), "(h / 16)*(w / 16)");
  EXPECT_EQ(s.print(s.ceildiv(h, c(2))), "ceildiv(h, 2)");
  EXPECT_EQ(s.print(s.ceildiv(h, n)), "ceildiv(h, n)");
  EXPECT_EQ(s.print(s.mul(s.mul(n, w), s.ceildiv(s.add(h, w), n))), "w*n*ceildiv(h + w, n)");
  EXPECT_EQ(s.print(s.add(s.ceildiv(h, n), c(1))), "(h - 1) / n + 2");
  EXPECT_EQ(s.print(s.sub(s.ceildiv(h, n), s.div(w, n))), "ceildiv(h, n) - w / n");
  EXPECT_EQ(s.print(s.add(s.div(s.sub(h, w), c(2)), c(1))), "(h - w) / 2 + 1");
  EXPECT_EQ(s.print(s.mul(c(3), s.div(s.sub(h, s.mul(c(5), w)), c(2)))), "3*((h - 5*w) / 2)");
  EXPECT_EQ(s.print(s.sub(w, s.div(s.add(h, w), c(2)))), "w - (h + w) / 2");
  EXPECT_EQ(s.print(s.mod(n, c(2))), "n % 2");
  EXPECT_EQ(s.print(s.max(s.sub(h, c(3)), c(0))), "max(0, h - 3)");
  EXPECT_EQ(s.print(c(0)), "0");
}

}  // namespace
}  // namespace axle
