// Simplifies facts that hold together to a fixed point: applies rules, tightens bounds, solves and substitutes
// equalities.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "dims/decide/rewrite.h"

namespace axle::decide {

class Simplifier {
 public:
  Simplifier(DimStore& store, Budget& budget, std::set<const char*>& used)
      : store_(store), budget_(budget), used_(used) {}

  void simplify(System& s);
  // Replaces a quotient or maximum by a fresh variable everywhere and adds the facts that define it.
  Dim abstract(System& s, std::uint32_t atom);

 private:
  bool tidy(System& s, bool isEarly);
  void keepIntervals(System& s, Intervals& known);
  bool solveOne(System& s);
  bool solve(System& s, std::size_t index);
  bool reduce(System& s, std::size_t index);
  void substitute(System& s, DimVar v, Dim by);
  void map(System& s, const std::function<Dim(Dim)>& change);
  Dim cancelled(Dim d, Intervals& known);
  bool tidyZero(System& s, Dim d, Intervals& known, std::set<Dim>& zero);
  void tidyNonNegative(System& s, Dim d, Intervals& known, std::vector<Dim>& out);
  void tidyInequalities(System& s, Intervals& known, std::set<Dim>& zero);
  void tidyDisequalities(System& s, Intervals& known);
  void tidyProducts(System& s, Intervals& known, std::set<Dim>& zero);
  Dim replace(Dim d, std::uint32_t atom, Dim by);

  DimStore& store_;
  Budget& budget_;
  std::set<const char*>& used_;
};

// Collects the atoms in a dimension, including those inside other atoms.
void collectAtoms(const DimStore& store, Dim d, std::set<std::uint32_t>& into);
// Collects the divisors in a dimension.
void collectDivisors(const DimStore& store, Dim d, std::set<Dim>& into);
bool isLinearFactor(const Term& term);
// Returns the common factor of the terms with variables (0 if there are none), and the constant term.
std::pair<std::int64_t, std::int64_t> contentOf(const DimStore& store, Dim d);

}  // namespace axle::decide
