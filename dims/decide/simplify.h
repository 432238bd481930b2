// A conjunction of facts brought to a fixed point: rules applied, bounds tightened, equalities solved and substituted.
#pragma once

#include <set>

#include "dims/decide/rewrite.h"

namespace axle::decide {

class Simplifier {
 public:
  Simplifier(DimStore& store, Budget& budget, std::set<const char*>& used)
      : store_(store), budget_(budget), used_(used) {}

  void simplify(System& s);
  // Puts a fresh variable for a quotient or maximum everywhere, with what makes it that. Returns the variable.
  Dim abstract(System& s, std::uint32_t atom);

 private:
  bool tidy(System& s, bool isEarly);
  void keepIntervals(System& s, Known& known);
  bool solveOne(System& s);
  bool solve(System& s, std::size_t index);
  bool reduce(System& s, std::size_t index);
  void substitute(System& s, DimVar v, Dim by);
  void map(System& s, const std::function<Dim(Dim)>& change);
  Dim cancelled(Dim d, Known& known);
  bool tidyZero(System& s, Dim d, Known& known, std::set<Dim>& zero);
  void tidyNonNegative(System& s, Dim d, Known& known, std::vector<Dim>& out);
  Dim replace(Dim d, std::uint32_t atom, Dim by);

  DimStore& store_;
  Budget& budget_;
  std::set<const char*>& used_;
};

// The atoms in a dimension, those inside of others too.
void collectAtoms(const DimStore& store, Dim d, std::set<std::uint32_t>& into);
// What is divided by in it.
void collectDivisors(const DimStore& store, Dim d, std::set<Dim>& into);
bool isLinearFactor(const Term& term);

}  // namespace axle::decide
