// Compares the solver with a simple evaluator: draws facts as trees, with sizes that satisfy the assumptions, writes,
// reads and decides them. No verdict may contradict the value of the trees, for these sizes or random ones nearby.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "dims/decide/decider.h"
#include "typecheck/solver/fact_reader.h"

namespace axle::decide {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

constexpr std::size_t variableCount = 5;
constexpr const char* variableNames[variableCount] = {"n", "m", "c", "d", "h"};
using Sizes = std::array<std::int64_t, variableCount>;

// The value of a tree for some sizes: a number, undefined (it divides by a number below 1), or too large for 128 bits.
struct Value {
  enum { number, none, unknown } state = number;
  Wide is = 0;
};

enum class Op : std::uint8_t { number, name, add, sub, mul, div, mod, max, min, ceildiv };

struct Tree {
  Op op = Op::number;
  std::int64_t value = 0;  // or the index of a name
  std::vector<Tree> sides;
};

Value operate(Op op, Wide a, Wide b) {
  Wide out = 0;
  bool overflows = false;
  switch (op) {
    case Op::add:
      overflows = __builtin_add_overflow(a, b, &out);
      break;
    case Op::sub:
      overflows = __builtin_sub_overflow(a, b, &out);
      break;
    case Op::mul:
      overflows = __builtin_mul_overflow(a, b, &out);
      break;
    case Op::max:
      out = a < b ? b : a;
      break;
    case Op::min:
      out = a < b ? a : b;
      break;
    default: {
      if (b < 1) return {Value::none, 0};
      Wide rest = ((a % b) + b) % b;
      if (op == Op::mod) return {Value::number, rest};
      out = (a - rest) / b + (op == Op::ceildiv && rest != 0);
    }
  }
  return {overflows ? Value::unknown : Value::number, out};
}

Value evaluate(const Tree& tree, const Sizes& sizes) {
  if (tree.op == Op::number) return {Value::number, tree.value};
  if (tree.op == Op::name) return {Value::number, sizes[static_cast<std::size_t>(tree.value)]};
  Value a = evaluate(tree.sides[0], sizes), b = evaluate(tree.sides[1], sizes);
  for (Value v : {a, b})
    if (v.state == Value::unknown) return v;
  for (Value v : {a, b})
    if (v.state == Value::none) return v;
  return operate(tree.op, a.is, b.is);
}

std::string text(const Tree& tree) {
  constexpr const char* signs[] = {"", "", " + ", " - ", "*", "/", "%", "max", "min", "ceildiv"};
  if (tree.op == Op::number) return std::to_string(tree.value);
  if (tree.op == Op::name) return variableNames[tree.value];
  std::string a = text(tree.sides[0]), b = text(tree.sides[1]), sign = signs[static_cast<int>(tree.op)];
  return tree.op >= Op::max ? sign + "(" + a + ", " + b + ")" : "(" + a + sign + b + ")";
}

struct Fact {
  Tree left;
  FactRelation relation = FactRelation::eq;
  Tree right;
};

std::string text(const Fact& fact) {
  constexpr const char* signs[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  return text(fact.left) + signs[static_cast<int>(fact.relation)] + text(fact.right);
}

// Whether the fact holds; none if 128 bits are not enough to decide.
std::optional<bool> holds(const Fact& fact, const Sizes& sizes) {
  Value a = evaluate(fact.left, sizes), b = evaluate(fact.right, sizes);
  if (a.state == Value::unknown || b.state == Value::unknown) return std::nullopt;
  if (a.state == Value::none || b.state == Value::none) return false;
  const bool relations[] = {a.is == b.is, a.is != b.is, a.is<b.is, a.is <= b.is, a.is> b.is, a.is >= b.is};
  return relations[static_cast<int>(fact.relation)];
}

struct Case {
  Sizes sizes{};
  std::vector<Fact> assumptions;
  Fact claim;
};

// Draws facts; assumed ones hold for `sizes`.
class Drawer {
 public:
  explicit Drawer(unsigned seed) : random_(seed) {}

  Case draw() {
    Case out;
    variables_ = random_.between(1, static_cast<int>(variableCount));
    int top = random_.chance(50) ? 9 : 200;
    for (auto& size : out.sizes) size = random_.between(0, top);
    for (int wanted = random_.between(0, 4); wanted > 0; --wanted)
      if (auto fact = trueFact(out.sizes)) out.assumptions.push_back(std::move(*fact));
    out.claim = claim(out.sizes);
    return out;
  }

  // Returns sizes near the given ones, or any sizes.
  Sizes near(const Sizes& sizes) {
    Sizes out = sizes;
    int kind = random_.below(4);
    for (auto& size : out) {
      if (kind == 0) size = random_.between(0, 12);
      if (kind == 1 && random_.chance(50)) size = random_.between(0, 250);
      if (kind == 2 && random_.chance(60)) size = std::max<std::int64_t>(0, size + random_.between(-2, 2));
      if (kind == 3 && random_.chance(30)) size = random_.between(0, 30);
    }
    return out;
  }

 private:
  static Tree number(std::int64_t value) { return {Op::number, value, {}}; }
  Tree name() { return {Op::name, random_.below(variables_), {}}; }
  static Tree both(Op op, Tree a, Tree b) {
    Tree out{op, 0, {}};
    out.sides.push_back(std::move(a));
    out.sides.push_back(std::move(b));
    return out;
  }

  Tree tree(int depth) {
    if (depth == 0 || random_.chance(15)) return random_.chance(70) ? name() : number(random_.between(-3, 9));
    Op op = static_cast<Op>(random_.between(static_cast<int>(Op::add), static_cast<int>(Op::ceildiv)));
    Tree left = tree(depth - 1);
    bool divides = op == Op::div || op == Op::mod || op == Op::ceildiv;
    // Most divisors are numbers and sizes, some may be 0 or less.
    if (divides && random_.chance(75)) {
      Tree by = random_.chance(60) ? number(random_.between(random_.chance(5) ? -2 : 1, 8)) : name();
      return both(op, std::move(left), std::move(by));
    }
    return both(op, std::move(left), tree(depth - 1));
  }

  // Returns a relation that holds for values that differ by `difference`.
  FactRelation relation(Wide difference) {
    using enum FactRelation;
    const FactRelation equal[] = {eq, eq, le, ge}, below[] = {lt, le, ne}, above[] = {gt, ge, ne};
    return difference == 0  ? equal[random_.below(4)]
           : difference < 0 ? below[random_.below(3)]
                            : above[random_.below(3)];
  }

  std::optional<Fact> trueFact(const Sizes& sizes) {
    for (int tries = 0; tries < 8; ++tries) {
      Tree left = tree(random_.between(1, 3));
      Value value = evaluate(left, sizes);
      if (value.state != Value::number || value.is > 1'000'000 || value.is < -1'000'000) continue;
      int kind = random_.below(3);
      Tree right = kind == 0   ? number(static_cast<std::int64_t>(value.is))
                   : kind == 1 ? number(static_cast<std::int64_t>(value.is) + random_.between(-5, 5))
                               : tree(random_.between(1, 2));
      Value other = evaluate(right, sizes);
      if (other.state != Value::number) continue;
      return Fact{std::move(left), relation(value.is - other.is), std::move(right)};
    }
    return std::nullopt;
  }

  // Returns an expression that usually has the same value as `tree`, written differently.
  Tree rewritten(const Tree& tree) {
    if (tree.sides.empty()) {
      if (random_.chance(75)) return tree;
      Tree by = number(random_.between(1, 4));
      Tree whole = both(Op::mul, both(Op::div, tree, by), by);
      return both(Op::add, std::move(whole), both(Op::mod, tree, by));
    }
    Tree a = rewritten(tree.sides[0]), b = rewritten(tree.sides[1]);
    bool changed = random_.chance(60);
    if (!changed) return both(tree.op, std::move(a), std::move(b));
    switch (tree.op) {
      case Op::add:
      case Op::max:
      case Op::min:
        return both(tree.op, std::move(b), std::move(a));
      case Op::sub:
        return both(Op::add, std::move(a), both(Op::mul, number(-1), std::move(b)));
      case Op::mul:
        if (b.op != Op::add && b.op != Op::sub) return both(Op::mul, std::move(b), std::move(a));
        return both(b.op, both(Op::mul, a, b.sides[0]), both(Op::mul, a, b.sides[1]));
      case Op::div:
        if (random_.chance(50)) {
          Tree by = number(random_.between(1, 3));
          return both(Op::div, both(Op::mul, by, std::move(a)), both(Op::mul, std::move(b), by));
        }
        return both(Op::sub, both(Op::div, both(Op::add, std::move(a), b), b), number(1));
      case Op::mod:
        return both(Op::sub, a, both(Op::mul, b, both(Op::div, a, b)));
      case Op::ceildiv:
        return both(Op::div, both(Op::sub, both(Op::add, std::move(a), b), number(1)), b);
      default:
        return tree;
    }
  }

  Fact claim(const Sizes& sizes) {
    int kind = random_.below(4);
    if (kind == 0)
      if (auto fact = trueFact(sizes)) return std::move(*fact);
    Fact out;
    out.left = tree(random_.between(1, 4));
    out.right = kind == 1 ? tree(random_.between(0, 3)) : rewritten(out.left);
    if (kind == 3) out.right = both(Op::add, std::move(out.right), number(random_.between(-1, 2)));
    out.relation = static_cast<FactRelation>(random_.below(6));
    return out;
  }

  Random random_;
  int variables_ = 1;
};

// The case as text for `axc prove`.
class Asked {
 public:
  explicit Asked(const Case& c) {
    for (const Fact& fact : c.assumptions) {
      FactReader::Read read = this->read(text(fact));
      question.assumptions.push_back(read.fact);
      append(question.divisorsOfAssumptions, read.divisors);
    }
    FactReader::Read read = this->read(text(c.claim));
    question.claim = read.fact;
    append(question.divisorsOfClaim, read.divisors);
  }

  Sizes sizes(const Assignment& assignment) const {
    Sizes out{};
    for (const auto& [variable, value] : assignment)
      for (std::size_t i = 0; i < variableCount; ++i)
        if (store_.name(variable) == variableNames[i]) out[i] = value;
    return out;
  }

  Question question{store_, {}, {}, [](DimVar) { return true; }, {}, {}};

 private:
  static void append(std::vector<Dim>& to, const std::vector<Dim>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  FactReader::Read read(const std::string& written) {
    Diagnostics diagnostics;
    auto read = reader_.read(sources_, sources_.add("fact", written), diagnostics);
    EXPECT_TRUE(read) << written;
    return read ? *read : FactReader::Read{};
  }

  SourceMap sources_;
  DimStore store_;
  FactReader reader_{store_};
};

std::string told(const Case& c, const Sizes& sizes) {
  std::string out = "axc prove";
  for (const Fact& fact : c.assumptions) out += " --assume '" + text(fact) + "'";
  out += " '" + text(c.claim) + "'\nat";
  for (std::size_t i = 0; i < variableCount; ++i)
    out += std::string(" ") + variableNames[i] + "=" + std::to_string(sizes[i]);
  return out;
}

// Returns the problem with an answer, if there is one.
std::optional<std::string> objection(const Case& c, const Asked& asked, const Answer& answer, Drawer& drawer) {
  auto assumed = [&](const Sizes& sizes) {
    for (const Fact& fact : c.assumptions)
      if (!holds(fact, sizes).value_or(false)) return false;
    return true;
  };
  auto contradicts = [&](const Sizes& sizes) {
    if (!assumed(sizes)) return false;
    auto claim = holds(c.claim, sizes);
    return claim && ((answer.verdict == Verdict::proved && !*claim) || (answer.verdict == Verdict::refuted && *claim));
  };
  constexpr int points = 3000;
  Sizes at = c.sizes;
  for (int i = 0; i < points; ++i, at = drawer.near(c.sizes))
    if (contradicts(at)) return std::string(spelling(answer.verdict)) + " by " + answer.why + "\n" + told(c, at);
  bool both = answer.holdsFor && answer.failsFor;
  if ((answer.verdict == Verdict::contingent) != both) return "witnesses and verdict differ\n" + told(c, c.sizes);
  for (const auto* witness : {&answer.holdsFor, &answer.failsFor}) {
    if (!*witness) continue;
    Sizes sizes = asked.sizes(**witness);
    bool isSo = holds(c.claim, sizes).value_or(false);
    if (!assumed(sizes) || isSo != (witness == &answer.holdsFor)) return "no witness\n" + told(c, sizes);
  }
  return std::nullopt;
}

int number(const char* variable, int otherwise) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : otherwise;
}

// Decides AXLE_FUZZ_ROUNDS facts, starting at seed AXLE_FUZZ_SEED, each by all tiers, by the first two, and by Z3
// alone.
TEST(VerdictFuzz, NoVerdictContradictsEvaluation) {
  const int rounds = number("AXLE_FUZZ_ROUNDS", 400), first = number("AXLE_FUZZ_SEED", 1);
  std::printf("seeds %d to %d\n", first, first + rounds - 1);
  Limits all, noZ3, z3Alone;
  all.steps = noZ3.steps = 200'000;
  all.z3Resources = 200'000;
  noZ3.samples = z3Alone.samples = 2;
  noZ3.z3Resources = 0;
  z3Alone.steps = 0;
  z3Alone.z3Resources = 100'000;
  std::map<Verdict, int> verdicts;
  int wrong = 0;
  for (int i = 0; i < rounds && wrong < 10; ++i) {
    const auto seed = static_cast<unsigned>(first + i);
    Drawer drawer(seed);
    Case c = drawer.draw();
    Asked asked(c);
    const Limits& limits = seed % 4 == 0 ? noZ3 : seed % 4 == 1 ? z3Alone : all;
    Answer answer = Decider(limits).decide(asked.question);
    ++verdicts[answer.verdict];
    auto wrongly = objection(c, asked, answer, drawer);
    wrong += wrongly.has_value();
    EXPECT_FALSE(wrongly) << "seed " << seed << ": " << *wrongly;
  }
  for (const auto& [verdict, count] : verdicts) std::printf("%s %d\n", spelling(verdict), count);
  for (Verdict verdict : {Verdict::proved, Verdict::refuted, Verdict::contingent})
    EXPECT_GT(verdicts[verdict], rounds / 40) << spelling(verdict);
}

}  // namespace
}  // namespace axle::decide
