// Decides whether a fact about sizes holds under assumptions (docs/solver.md). An answer has a verdict, the tier that
// gave it, the rules that it used, and sizes as witnesses, which are evaluated before they are returned. Enumeration
// only finds witnesses; it never proves.
//
// Variables are integers, sizes >= 0. A fact with a divisor < 1 does not hold.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dims/decide/z3.h"
#include "dims/fact.h"

namespace axle::decide {

enum class Verdict : std::uint8_t { proved, refuted, contingent, unknown };
enum class Tier : std::uint8_t { normalForm, facts, z3 };

const char* spelling(Verdict verdict);
const char* spelling(Tier tier);

using Assignment = std::vector<std::pair<DimVar, std::int64_t>>;  // sorted by variable

struct Question {
  const DimStore& store;
  std::vector<DimComparison> assumptions;
  DimComparison claim;
  std::function<bool(DimVar)> isSize = [](DimVar) { return true; };
  // Divisors as written: the normal forms above may have lost them.
  std::vector<Dim> divisorsOfAssumptions, divisorsOfClaim;
};

struct Answer {
  Verdict verdict = Verdict::unknown;
  Tier tier = Tier::facts;
  std::string why;  // the rules, or the tier that gave up: "substitution, elimination"
  // Sizes that satisfy the assumptions and for which the claim holds, or fails.
  std::optional<Assignment> holdsFor, failsFor;
};

struct Limits {
  std::uint64_t steps = 2'000'000;  // of tier 2, for a proof and for a refutation each
  std::size_t samples = 20'000;     // of the search for witnesses
  unsigned z3Resources = 500'000;   // 0: no tier 3
  std::uint64_t terms = 2'000'000;  // of the arithmetic of one question
  std::uint64_t work = UINT64_MAX;  // of all questions: terms, rows, samples; then every answer is unknown
};

struct Statistics {
  std::uint64_t decided[3] = {};  // by Tier, `contingent` included
  std::uint64_t askedZ3 = 0;      // questions
  std::uint64_t open = 0;         // unknown
  std::uint64_t work = 0;         // see Limits
  std::uint64_t total() const { return decided[0] + decided[1] + decided[2] + open; }
};

class KnownAnswers;
struct KnownAnswer;
struct QuestionKey;

class Decider {
 public:
  explicit Decider(Limits limits = {});
  // Returns a decider with the same limits and work count, but its own Z3 state. Its questions affect this decider only
  // by adding answers to the shared cache, and an answer depends on its question alone.
  Decider withOwnZ3() const {
    Decider other(limits_);
    other.statistics_ = statistics_;
    other.known_ = known_;
    other.answered_ = answered_;
    return other;
  }
  // Returns a decider that may do so much work, and counts that of a question only when it or another decider that was
  // made so from it is asked for the first time. It looks up the answers that this one knows, but counts them.
  Decider countingOnce(std::uint64_t work) const {
    Decider other(limits_);
    other.limits_.work = work;
    other.answered_ = answered_ ? answered_ : known_;
    if (answered_) other.known_ = known_;
    return other;
  }

  Answer decide(const Question& question);
  // Returns the indices of the assumptions that the verdict `proved` or `refuted` needs: without any one of them it is
  // lost.
  std::vector<std::size_t> core(const Question& question, Verdict verdict);
  // Returns a value that the left side of the claim has for some sizes that satisfy the assumptions, whether or not the
  // claim holds.
  std::optional<std::int64_t> possible(const Question& question);

  const Limits& limits() const { return limits_; }
  const Statistics& statistics() const { return statistics_; }
  // Whether the work for all questions is used up: from then on every answer is unknown.
  bool isExhausted() const { return statistics_.work > limits_.work; }

 private:
  Answer ask(const Question& question);
  KnownAnswer inquire(const Question& question, bool asksValue);
  std::optional<KnownAnswer> lookUp(const QuestionKey& key);

  Limits limits_;
  Statistics statistics_;
  Z3 z3_;
  std::shared_ptr<KnownAnswers> known_;
  std::shared_ptr<const KnownAnswers> answered_;  // before questions were counted once
};

}  // namespace axle::decide
