// Compares the solver's tiers with evaluation on concrete integers: no rule may change a value, no verdict may be
// unsound.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "dims/decide/decider.h"
#include "dims/decide/evaluate.h"
#include "dims/decide/rewrite.h"
#include "tests/dims/written_fact.h"
#include "tests/sanitized.h"

namespace axle::decide {
namespace {

using Values = std::vector<std::int64_t>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }

 private:
  std::mt19937 engine_;
};

// Returns a random dimension over the first `variables` variables of the store.
Dim randomDim(DimStore& store, Random& random, int variables, int depth) {
  if (depth == 0 || random.below(4) == 0) {
    if (random.below(3) == 0) return store.constant(random.between(-3, 9));
    return store.variable(DimVar{static_cast<std::uint32_t>(random.below(variables))});
  }
  auto side = [&] { return randomDim(store, random, variables, depth - 1); };
  Dim a = side(), b = side();
  switch (random.below(9)) {
    case 0:
      return store.sub(a, b);
    case 1:
      return store.mul(a, b);
    case 2:
      return store.div(a, store.constant(random.between(1, 6)));
    case 3:
      return store.mod(a, store.constant(random.between(1, 6)));
    case 4:
      return store.div(a, store.add(store.variable(DimVar{0}), store.constant(1)));
    case 5:
      return store.max(a, b);
    case 6:
      return store.min(a, b);
    case 7:
      return store.ceildiv(a, store.constant(random.between(1, 6)));
    default:
      return store.add(a, b);
  }
}

Dim linearDim(DimStore& store, Random& random, int variables) {
  Dim sum = store.constant(random.between(-4, 8));
  for (int i = 0; i < variables; ++i)
    if (random.below(3) != 0)
      sum = store.add(
          sum, store.mul(store.constant(random.between(-4, 6)), store.variable(DimVar{static_cast<std::uint32_t>(i)})));
  return sum;
}

// Operands to which some rule applies: sums, and multiples of the divisor with a remainder.
std::pair<Dim, Dim> operands(DimStore& store, Random& random, DimOp op) {
  auto some = [&] { return random.below(2) ? linearDim(store, random, 3) : randomDim(store, random, 3, 2); };
  if (op == DimOp::max) return {store.mul(store.constant(random.between(1, 3)), some()), store.constant(0)};
  Dim x = store.variable(DimVar{static_cast<std::uint32_t>(random.below(3))});
  Dim divisors[] = {store.constant(random.between(1, 12)), x, store.mul(x, store.constant(random.between(2, 4))),
                    store.add(x, store.constant(random.between(1, 3))), linearDim(store, random, 3)};
  Dim b = divisors[random.below(5)];
  switch (random.below(5)) {
    case 0:
      return {store.add(store.mul(some(), b), some()), b};
    case 1:
      return {store.add(store.div(some(), store.constant(random.between(2, 5))), linearDim(store, random, 3)), b};
    case 2:
      return {store.mul(some(), x), store.mul(x, b)};
    default:
      return {some(), b};
  }
}

TEST(Decide, EveryRuleKeepsValues) {
  constexpr int wanted = 300;
  Random random(11);
  for (const Rule& rule : rules()) {
    int applied = 0, compared = 0;
    for (int round = 0; round < 400000 && compared < wanted; ++round) {
      DimStore store;
      System facts;
      Values values;
      for (int i = 0; i < 3; ++i) {
        Dim v = store.variable(store.newVariable(std::string(1, static_cast<char>('a' + i))));
        int low = random.between(-2, 3), high = low + random.between(0, 8);
        facts.nonNegative.push_back(store.sub(v, store.constant(low)));
        facts.nonNegative.push_back(store.sub(store.constant(high), v));
        values.push_back(random.between(low, high));
      }
      auto [left, right] = operands(store, random, rule.op);
      if (store.isUndefined(left) || store.isUndefined(right)) continue;
      if (rule.op == DimOp::div) {
        auto divisor = evaluate(store, right, values);
        if (!divisor || *divisor < 1) continue;
        facts.nonNegative.push_back(store.sub(right, store.constant(1)));
      }
      Intervals known(store, facts);
      Budget budget{100000};
      Rewriter rewriter(store, known, budget);
      auto found = rule.apply(rewriter, left, right);
      if (!found || store.isUndefined(*found)) continue;
      ++applied;
      auto a = evaluate(store, left, values), b = evaluate(store, right, values);
      auto value = evaluate(store, *found, values);
      if (!a || !b || !value) continue;  // another divisor is < 1 for these values
      ++compared;
      Wide expected = rule.op == DimOp::div ? floorDiv(*a, *b) : std::max<Wide>(*a, 0);
      ASSERT_EQ(static_cast<std::int64_t>(*value), static_cast<std::int64_t>(expected))
          << rule.name << ": " << rule.statement << "\n  of " << store.print(left) << " and " << store.print(right)
          << " it makes " << store.print(*found) << "\n  for a=" << values[0] << ", b=" << values[1]
          << ", c=" << values[2];
    }
    EXPECT_GE(compared, wanted) << rule.name << " applied " << applied << " times only";
  }
}

TEST(Decide, NormalFormsKeepValuesUnderFacts) {
  Random random(12);
  const int rounds = isSanitized ? 6000 : 30000;
  int compared = 0;
  for (int round = 0; round < rounds; ++round) {
    DimStore store;
    System facts;
    Values values;
    for (int i = 0; i < 3; ++i) {
      Dim v = store.variable(store.newVariable(std::string(1, static_cast<char>('a' + i))));
      int low = random.between(0, 3), high = low + random.between(0, 20);
      facts.nonNegative.push_back(store.sub(v, store.constant(low)));
      facts.nonNegative.push_back(store.sub(store.constant(high), v));
      values.push_back(random.between(low, high));
    }
    Dim fact = linearDim(store, random, 3);
    if (evaluate(store, fact, values) >= 0) facts.nonNegative.push_back(fact);
    Dim d = randomDim(store, random, 3, 4);
    auto expected = evaluate(store, d, values);
    if (!expected) continue;
    Intervals known(store, facts);
    Range range = known.range(d);
    ASSERT_TRUE(range.low <= *expected && *expected <= range.high) << store.print(d);
    Budget budget{100000};
    Rewriter rewriter(store, known, budget);
    Dim normal = rewriter.normal(d);
    if (store.isUndefined(normal)) continue;
    auto found = evaluate(store, normal, values);
    ASSERT_TRUE(found && *found == *expected) << store.print(d) << " became " << store.print(normal);
    ++compared;
  }
  EXPECT_GT(compared, rounds * 2 / 3);
}

DimComparison randomFact(DimStore& store, Random& random, int variables, bool simple) {
  DimComparison fact;
  fact.left = simple ? linearDim(store, random, variables) : randomDim(store, random, variables, 3);
  fact.right =
      random.below(2) ? store.constant(random.between(0, 6)) : randomDim(store, random, variables, simple ? 1 : 2);
  fact.relation = static_cast<FactRelation>(random.below(6));
  return fact;
}

// Checks that no assignment in a box contradicts the verdict, and that witnesses satisfy or violate the fact as
// claimed.
void fuzzVerdicts(unsigned seed, int rounds, const Limits& limits, std::map<Verdict, int>& verdicts, bool simple) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    DimStore store;
    int variables = random.between(1, 3);
    for (int i = 0; i < variables; ++i) store.newVariable(std::string(1, static_cast<char>('a' + i)));
    Question q{store, {}, randomFact(store, random, variables, simple), [](DimVar) { return true; }, {}, {}};
    for (int i = random.below(3); i > 0; --i) q.assumptions.push_back(randomFact(store, random, variables, true));
    auto text = [&] {
      std::string out = store.print(q.claim.left) + " rel " + std::to_string(static_cast<int>(q.claim.relation)) + " " +
                        store.print(q.claim.right) + " under";
      for (const DimComparison& f : q.assumptions)
        out += " " + store.print(f.left) + " rel " + std::to_string(static_cast<int>(f.relation)) + " " +
               store.print(f.right) + ";";
      return out;
    };
    Answer answer = Decider(limits).decide(q);
    ++verdicts[answer.verdict];
    int top = variables == 1 ? 60 : variables == 2 ? 14 : 7;
    Values values(static_cast<std::size_t>(variables), 0);
    for (std::size_t i = 0; i < values.size();) {
      bool assumed = true;
      for (const DimComparison& f : q.assumptions) assumed = assumed && holds(store, f, values).value_or(false);
      if (assumed) {
        bool claim = holds(store, q.claim, values).value_or(false);
        ASSERT_FALSE(answer.verdict == Verdict::proved && !claim)
            << text() << " by " << answer.why << " at a=" << values[0];
        ASSERT_FALSE(answer.verdict == Verdict::refuted && claim)
            << text() << " by " << answer.why << " at a=" << values[0];
      }
      for (i = 0; i < values.size() && ++values[i] > top; ++i) values[i] = 0;
    }
    for (auto* witness : {&answer.holdsFor, &answer.failsFor}) {
      if (!*witness) continue;
      Values sizes(static_cast<std::size_t>(variables), 0);
      for (const auto& [v, value] : **witness) sizes[v.index] = value;
      for (const DimComparison& f : q.assumptions) ASSERT_TRUE(holds(store, f, sizes).value_or(false)) << text();
      ASSERT_EQ(holds(store, q.claim, sizes).value_or(false), witness == &answer.holdsFor) << text();
    }
  }
}

TEST(Decide, VerdictsHoldForEveryAssignment) {
  std::map<Verdict, int> verdicts;
  Limits limits;
  limits.steps = 100000;
  limits.samples = 2000;
  limits.z3Resources = 100000;
  fuzzVerdicts(21, 1500, limits, verdicts, false);
  fuzzVerdicts(22, 1500, limits, verdicts, true);
  EXPECT_GT(verdicts[Verdict::proved], 200);
  EXPECT_GT(verdicts[Verdict::refuted], 300);
  EXPECT_GT(verdicts[Verdict::contingent], 300);
}

// A decider that has answered a question gives the same answer for other variables as a new decider, and counts the
// same work.
TEST(Decide, AnswersDoNotDependOnWhatWasAskedBefore) {
  Limits limits;
  limits.steps = 20000;
  limits.samples = 500;
  limits.z3Resources = 0;
  Decider knows(limits);
  int withSizes = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    // The answer about the facts that the seed gives, over variables whose numbers begin with `first`.
    auto askedOf = [&](std::uint32_t first, Decider& decider) {
      DimStore store;
      while (store.variableCount() < first + 3) store.newVariable("v" + std::to_string(store.variableCount()));
      Random random(seed);
      auto variable = [&] { return store.variable(DimVar{first + static_cast<std::uint32_t>(random.below(3))}); };
      auto size = [&] {
        const Dim product = store.mul(variable(), store.constant(random.between(1, 4)));
        const Dim other = variable();
        return store.add(product, random.below(2) ? store.mod(other, store.constant(random.between(2, 5))) : other);
      };
      auto fact = [&] {
        const Dim left = size(), right = random.below(2) ? store.constant(random.between(0, 9)) : size();
        return DimComparison{left, static_cast<FactRelation>(random.below(6)), right};
      };
      const DimComparison assumed = fact();
      Question q{store, {assumed}, fact(), [=](DimVar v) { return seed % 2 == 0 || v.index > first; }, {}, {}};
      const std::uint64_t before = decider.statistics().work;
      const Answer answer = decider.decide(q);
      std::string text = std::string(spelling(answer.verdict)) + " " + spelling(answer.tier) + " " + answer.why;
      for (const auto* sizes : {&answer.holdsFor, &answer.failsFor})
        if (*sizes)
          for (const auto& [v, value] : **sizes)
            text += " " + std::to_string(v.index - first) + "=" + std::to_string(value);
      withSizes += answer.holdsFor && answer.failsFor;
      text += ", " + std::to_string(decider.possible(q).value_or(-1));
      return text + ", " + std::to_string(decider.statistics().work - before);
    };
    Decider fresh(limits);
    const std::string wanted = askedOf(0, fresh);
    EXPECT_EQ(askedOf(0, knows), wanted) << seed;
    EXPECT_EQ(askedOf(5, knows), wanted) << seed;
  }
  EXPECT_GT(withSizes, 100);
}

// A decider that counts once looks up what was answered before, and counts its work, but not the next time: neither
// itself nor others made from it.
TEST(Decide, CountsAQuestionOnce) {
  DimStore store;
  const Dim n = store.variable(store.newVariable("n")), two = store.constant(2);
  const DimComparison claim{store.mod(n, two), FactRelation::lt, two};
  const Question q{store, {{n, FactRelation::ge, two}}, claim, [](DimVar) { return true; }, {}, {}};
  Decider decider;
  EXPECT_EQ(decider.decide(q).verdict, Verdict::proved);
  const std::uint64_t work = decider.statistics().work;
  ASSERT_GT(work, 0U);
  Decider once = decider.countingOnce(work);
  EXPECT_EQ(once.statistics().work, 0U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(once.decide(q).verdict, Verdict::proved);
    EXPECT_EQ(once.statistics().work, work);
  }
  Decider later = once.countingOnce(0);
  EXPECT_EQ(later.decide(q).verdict, Verdict::proved);
  EXPECT_EQ(later.statistics().work, 0U);
  EXPECT_FALSE(later.isExhausted());
}

class Facts {
 public:
  explicit Facts(std::vector<std::string> assumptions, const std::string& claim) {
    for (const std::string& text : assumptions) {
      auto read = reader_.read(text);
      question.assumptions.push_back(read.fact);
      question.divisorsOfAssumptions.insert(question.divisorsOfAssumptions.end(), read.divisors.begin(),
                                            read.divisors.end());
    }
    auto read = reader_.read(claim);
    question.claim = read.fact;
    question.divisorsOfClaim = read.divisors;
  }

  Answer answer() { return Decider().decide(question); }

  Question question{store_, {}, {}, [](DimVar) { return true; }, {}, {}};

 private:
  DimStore store_;
  WrittenFactReader reader_{store_};
};

TEST(Decide, EachFactIsDecidedByTheExpectedTier) {
  struct Row {
    std::vector<std::string> assumptions;
    const char* claim;
    Verdict verdict;
    Tier tier;
  };
  const Row rows[] = {
      {{}, "n*(n + 1) - n*n == n", Verdict::proved, Tier::normalForm},
      {{}, "x/8*8 + x%8 == x", Verdict::proved, Tier::normalForm},
      {{}, "(x%16/2*2)/6 == x%16/6", Verdict::proved, Tier::normalForm},
      {{}, "n - 3 + 1 == n - 3", Verdict::refuted, Tier::normalForm},
      {{"d%h == 0"}, "h*(d/h) == d", Verdict::proved, Tier::facts},
      {{"d == h*k", "h >= 1"}, "h*(d/h) == d", Verdict::proved, Tier::facts},
      {{"h*h == 49"}, "h == 7", Verdict::proved, Tier::facts},
      {{"i < n", "j < m", "k < p"}, "(i*m + j)*p + k < n*m*p", Verdict::proved, Tier::facts},
      {{"h%2 == 1"}, "2*(h/2) == h", Verdict::refuted, Tier::facts},
      {{}, "(x*x + x)%2 == 0", Verdict::proved, Tier::facts},
      {{"n >= 1"}, "n%2 == 0", Verdict::contingent, Tier::facts},
  };
  for (const Row& row : rows) {
    Answer answer = Facts(row.assumptions, row.claim).answer();
    EXPECT_EQ(spelling(answer.verdict), std::string(spelling(row.verdict))) << row.claim;
    EXPECT_EQ(spelling(answer.tier), std::string(spelling(row.tier))) << row.claim;
    EXPECT_FALSE(answer.why.empty()) << row.claim;
  }
}

// Few samples meet sizes whose product is a number: the equation is solved for one of them, and Z3 is not asked.
TEST(Decide, EquationsAreSolvedForSizesThatSamplesMiss) {
  const std::string product = "h*(d/8) == 64", isWhole = "b*h*d == 8*b*h*(d/8)";
  const std::pair<std::vector<std::string>, std::string> rows[] = {{{isWhole, product}, "b == 4"},
                                                                   {{isWhole, product}, "h == 32"},
                                                                   {{isWhole, product}, "d == 16"},
                                                                   {{isWhole}, product},
                                                                   {{product}, isWhole}};
  for (const auto& [assumptions, claim] : rows) {
    Decider decider({.steps = 2'000, .samples = 300, .z3Resources = 0});
    const Answer answer = decider.decide(Facts(assumptions, claim).question);
    EXPECT_EQ(spelling(answer.verdict), std::string(spelling(Verdict::contingent))) << claim;
    EXPECT_TRUE(answer.holdsFor && answer.failsFor) << claim;
  }
}

// A fact that divides by less than 1 does not hold, even if the division cancels out in its normal form.
TEST(Decide, DivisorsAreAtLeastOne) {
  EXPECT_EQ(Facts({}, "(b*d)/b == d").answer().verdict, Verdict::contingent);
  EXPECT_EQ(Facts({"b >= 1"}, "(b*d)/b == d").answer().verdict, Verdict::proved);
  EXPECT_EQ(Facts({"d%h == 0"}, "h >= 1").answer().verdict, Verdict::proved);
  EXPECT_EQ(Facts({"n == 0"}, "m/n >= 0").answer().verdict, Verdict::refuted);
  for (const char* never : {"n/0 == 1", "n%0 == n", "n/(m - m) >= 0", "ceildiv(n, -2) <= n", "m/(n/0) == m",
                            "n > (d/3)/((c - c) - d/7)", "(n - n)/(-m) == 0"}) {
    EXPECT_EQ(Facts({"n >= 60"}, never).answer().verdict, Verdict::refuted) << never;
    EXPECT_EQ(Facts({never}, "n == 7").answer().verdict, Verdict::proved) << never;  // holds for no sizes at all
  }
}

// Elimination gives up on too many products. Each of these facts holds for some sizes and fails for others.
TEST(Decide, EliminationsThatAreTooLargeProveNothing) {
  struct Row {
    std::vector<std::string> assumptions;
    const char* claim;
  };
  const Row rows[] = {
      {{"b*(c - b)*(c/a - b/3) == 160"}, "(b/4)*2 != 0"},
      {{"d*d - d == 6", "(d + c - a)%2 == 0", "a >= (c%b)*d*c*b"}, "7 >= c"},
      {{"ceildiv((d - c)*n, 4) == 175", "max(b, min(n, a)) - n%3 == 5"}, "b*a*ceildiv(b, 2) <= 6"},
      {{"(d - 3)*((n - c)*max(d, c)) >= 840", "n*((a - n) + b) == 56", "(b%2)*min(ceildiv(n, 4), d - c) >= 0"},
       "min(c, d*d)*b < n"},
  };
  for (const Row& row : rows) {
    Verdict verdict = Facts(row.assumptions, row.claim).answer().verdict;
    EXPECT_TRUE(verdict == Verdict::contingent || verdict == Verdict::unknown)
        << row.claim << ": " << spelling(verdict);
  }
}

TEST(Decide, ContradictoryAssumptionsAreNamed) {
  Answer answer = Facts({"n >= 3", "m >= n", "m <= 2"}, "n == 5").answer();
  EXPECT_EQ(answer.verdict, Verdict::proved);
  EXPECT_EQ(answer.why.find("the assumptions contradict each other"), 0u) << answer.why;
  EXPECT_FALSE(answer.holdsFor || answer.failsFor);
}

TEST(Decide, CoresAreMinimal) {
  Facts facts({"a >= 1", "n >= 3", "b <= 9", "m == n + 2", "c >= a"}, "m <= 4");
  ASSERT_EQ(facts.answer().verdict, Verdict::refuted);
  EXPECT_EQ(Decider().core(facts.question, Verdict::refuted), (std::vector<std::size_t>{1, 3}));
}

TEST(Decide, OverflowLeavesFactsOpen) {
  EXPECT_EQ(Facts({}, "n*9223372036854775807*3 >= 0").answer().verdict, Verdict::unknown);
  EXPECT_EQ(Facts({"n >= 9223372036854775807", "m >= n"}, "n + m >= 5").answer().verdict, Verdict::proved);
}

// With so few samples and steps, every verdict comes from a proof, not from sampling.
TEST(Decide, ProofsHoldForEveryAssignment) {
  std::map<Verdict, int> verdicts;
  Limits limits;
  limits.steps = 20000;
  limits.samples = 2;
  limits.z3Resources = 0;
  const int few = isSanitized ? 5 : 1;
  fuzzVerdicts(31, 2500 / few, limits, verdicts, false);
  fuzzVerdicts(32, 2500 / few, limits, verdicts, true);
  EXPECT_GT(verdicts[Verdict::proved], 200 / few);
  EXPECT_GT(verdicts[Verdict::refuted], 300 / few);
}

TEST(Decide, Z3AloneIsSound) {
  std::map<Verdict, int> verdicts;
  Limits limits;
  limits.steps = 0;
  limits.samples = 2;
  limits.z3Resources = 50000;
  fuzzVerdicts(41, 500, limits, verdicts, false);
  fuzzVerdicts(42, 500, limits, verdicts, true);
  EXPECT_GT(verdicts[Verdict::proved], 20);
  EXPECT_GT(verdicts[Verdict::contingent], 5);
}

}  // namespace
}  // namespace axle::decide
