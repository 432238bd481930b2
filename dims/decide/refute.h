// Tier 2: shows that facts contradict each other, by simplification, linear elimination over monomials with products of
// facts, and case analysis. Incomplete: facts that it does not refute may still be contradictory.
#pragma once

#include <set>

#include "dims/decide/simplify.h"

namespace axle::decide {

class Refuter {
 public:
  Refuter(DimStore& store, Budget& budget) : store_(store), budget_(budget), simplifier_(store, budget, used) {}

  bool contradictory(System s) { return contradictory(std::move(s), 0); }
  Simplifier& simplifier() { return simplifier_; }

  std::set<const char*> used;  // names of the rules that applied

 private:
  enum class Linear { contradictory, narrowed, open };

  bool contradictory(System s, int depth);
  Linear linear(System& s);
  bool byCases(const System& s, int depth);
  bool cases(std::vector<System> all, const char* why, int depth);
  bool splitDisequality(const System& s, int depth, std::optional<bool>& result);
  bool splitAtom(const System& s, int depth, std::optional<bool>& result);
  bool splitValues(const System& s, int depth, std::optional<bool>& result);
  bool splitAnyValues(const System& s, int depth, std::optional<bool>& result);
  bool splitValuesOf(const System& s, const std::set<std::uint32_t>& variables, int depth, std::optional<bool>& result);
  bool splitRemainder(const System& s, int depth, std::optional<bool>& result);
  bool splitSign(const System& s, int depth, std::optional<bool>& result);
  std::set<std::uint32_t> atoms(const System& s) const;

  DimStore& store_;
  Budget& budget_;
  Simplifier simplifier_;
};

// Returns the inequalities that define the atoms of a system, as dimensions >= 0: c*q <= a <= c*q + c - 1 for q = a /
// c.
std::vector<Dim> definitions(DimStore& store, const System& s, Intervals& known);

}  // namespace axle::decide
