// Searches for sizes for which facts hold: systematically if few variables are free, then at random near the constants
// of the facts; or by solving equations for one variable at a time. The search is deterministic.
#pragma once

#include "dims/decide/intervals.h"

namespace axle::decide {

struct Sample {
  bool claimHolds = false;
  std::vector<std::int64_t> values;  // by DimVar::index
};

class Sampler {
 public:
  // `simplified` is equivalent to `assumptions`, with fewer free variables.
  Sampler(DimStore& store, const System& simplified, std::vector<DimComparison> assumptions, DimComparison claim,
          std::vector<Dim> divisorsOfClaim, std::vector<DimVar> variables);

  // Tries up to `most` assignments; stops when it has seen the claim hold and fail.
  void search(std::size_t most);
  // Solves the claim and the assumptions, as far as they are equations, for one variable each, where the others are 1
  // or solve the claim; evaluates sides of equations up to `most` times. Finds what `search` seldom meets: `h` and `d`
  // with h*(d / 8) == 64.
  void solveEquations(std::size_t most);
  // Evaluates the facts for values by DimVar::index. False if an assumption does not hold.
  bool check(std::vector<std::int64_t> values);

  std::optional<Sample> holds, fails;  // the first of each

  std::size_t tried() const { return tried_; }
  std::size_t evaluated() const { return evaluated_; }

 private:
  using Values = std::vector<std::int64_t>;

  std::optional<Values> valuesFor(const Values& free) const;
  bool tryFree(const Values& free);
  std::optional<std::int64_t> solve(const DimComparison& equation, Values free, std::size_t variable);
  void tryNear(Values free, std::size_t variable, std::int64_t value);
  Values candidates(DimVar v) const;
  bool done() const { return holds && fails; }

  DimStore& store_;
  System system_;
  std::vector<DimComparison> assumptions_;
  DimComparison claim_;
  std::vector<Dim> divisors_;  // the claim does not hold if one is < 1
  std::vector<DimVar> variables_, free_;
  std::vector<std::vector<std::int64_t>> candidates_;
  std::vector<std::int64_t> constants_;
  std::vector<Range> ranges_;
  std::size_t tried_ = 0, evaluated_ = 0;
};

}  // namespace axle::decide
