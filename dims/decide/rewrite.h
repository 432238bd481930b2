// The rules of tier 1: a table of equations between dimensions, each with its side condition. Quotients and maxima are
// the only remaining atoms: remainders and minima are expressed by them.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "dims/decide/intervals.h"

namespace axle::decide {

class Rewriter;

struct Rule {
  const char* name;
  DimOp op;               // of the atom that the rule rewrites
  const char* statement;  // the equation and its side condition
  // Returns the result of `left op right`; none if the rule does not apply.
  std::optional<Dim> (*apply)(Rewriter& rewriter, Dim left, Dim right);
};

std::span<const Rule> rules();

class Rewriter {
 public:
  Rewriter(DimStore& store, Intervals& known, Budget& budget) : store(store), known(known), budget_(budget) {}

  // Returns an equal size, simplified under the intervals. All divisors must be >= 1.
  Dim normal(Dim d);
  Dim div(Dim a, Dim b);
  Dim max(Dim a, Dim b);

  DimStore& store;
  Intervals& known;
  std::set<const char*> used;  // names of the rules that applied

 private:
  Dim atom(const Atom& atom);
  // Returns the result of the first rule that applies.
  std::optional<Dim> byRule(DimOp op, Dim left, Dim right);
  Dim settle(Dim d);

  Budget& budget_;
  std::unordered_map<std::uint32_t, Dim> normal_;  // by Dim::index
  std::set<std::uint32_t> settled_;                // atoms that no rule rewrites
  int depth_ = 0;
};

}  // namespace axle::decide
