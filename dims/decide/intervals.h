// Systems of facts that hold together, and the intervals of sizes that follow from them without a search.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dims/decide/evaluate.h"
#include "dims/dim.h"

namespace axle::decide {

// Facts that hold together, over integers; every divisor in them is >= 1.
struct System {
  std::vector<Dim> zero;         // each = 0
  std::vector<Dim> nonNegative;  // each >= 0
  std::vector<Dim> nonZero;      // each != 0
  std::vector<std::pair<Dim, Dim>> eitherZero;
  std::vector<std::pair<DimVar, Dim>> solved;  // in order: each variable in terms of variables not yet solved
  bool contradictory = false;
};

// The remaining steps of a search. Unlike a clock, deterministic.
struct Budget {
  std::uint64_t left = 0;
  bool spend(std::uint64_t steps) {
    if (left < steps)
      left = 0;
    else
      left -= steps;
    return left > 0;
  }
};

// An interval of integers. Bounds past 62 bits count as infinite.
struct Range {
  static constexpr Wide infinite = Wide{1} << 100;
  Wide low = -infinite, high = infinite;
  bool bounded() const { return low > -infinite && high < infinite; }
  bool within(Wide from, Wide to) const { return low >= from && high <= to; }
};

class Intervals {
 public:
  Intervals(DimStore& store, const System& system);

  Range range(Dim d);
  Range range(const Factor& variableOrAtom);  // the power is ignored
  bool nonNegative(Dim d) { return range(d).low >= 0; }
  bool positive(Dim d) { return range(d).low >= 1; }

 private:
  using Key = std::pair<bool, std::uint32_t>;
  std::pair<Dim, Wide> split(Dim d);  // into the non-constant part and the constant
  Range ofTerms(Dim d);
  Range ofTerm(const Term& term);
  Range ofAtom(const Atom& atom);
  void learn(Dim nonNegative);
  bool narrow(const Factor& f, Range r);

  DimStore& store_;
  std::map<Key, Range> factors_;
  std::unordered_map<std::uint32_t, Wide> lowest_;  // least value of the non-constant part of a fact
  int depth_ = 0;
};

}  // namespace axle::decide
