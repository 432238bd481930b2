#include "dims/decide/simplify.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace axle::decide {
namespace {

bool mentions(const DimStore& store, Dim d, DimVar v) {
  auto variables = store.variables(d);
  return std::binary_search(variables.begin(), variables.end(), v);
}

bool inProduct(const DimStore& store, Dim d, DimVar v) {
  auto terms = store.terms(d);
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) {
    return !isLinearFactor(t) && std::any_of(t.factors.begin(), t.factors.end(),
                                             [&](const Factor& f) { return !f.isAtom && f.index == v.index; });
  });
}

}  // namespace

bool isLinearFactor(const Term& term) { return term.factors.size() == 1 && term.factors[0].power == 1; }

std::pair<std::int64_t, std::int64_t> contentOf(const DimStore& store, Dim d) {
  std::int64_t common = 0, constant = 0;
  for (const Term& t : store.terms(d))
    if (t.factors.empty())
      constant = t.coefficient;
    else
      common = std::gcd(common, t.coefficient);
  return {common, constant};
}

void collectAtoms(const DimStore& store, Dim d, std::set<std::uint32_t>& into) {
  for (const Term& term : store.terms(d))
    for (const Factor& f : term.factors)
      if (f.isAtom && into.insert(f.index).second) {
        collectAtoms(store, store.atom(f.index).left, into);
        collectAtoms(store, store.atom(f.index).right, into);
      }
}

void collectDivisors(const DimStore& store, Dim d, std::set<Dim>& into) {
  std::set<std::uint32_t> atoms;
  collectAtoms(store, d, atoms);
  for (std::uint32_t index : atoms) {
    const Atom& atom = store.atom(index);
    if (atom.op == DimOp::div || atom.op == DimOp::mod) into.insert(atom.right);
  }
}

void Simplifier::map(System& s, const std::function<Dim(Dim)>& change) {
  for (auto* list : {&s.zero, &s.nonNegative, &s.nonZero})
    for (Dim& d : *list) d = change(d);
  for (auto& [left, right] : s.eitherZero) {
    left = change(left);
    right = change(right);
  }
}

void Simplifier::substitute(System& s, DimVar v, Dim by) {
  map(s,
      [&](Dim d) { return store_.substitute(d, [&](DimVar w) { return w == v ? std::optional(by) : std::nullopt; }); });
  s.solved.emplace_back(v, by);
}

Dim Simplifier::replace(Dim d, std::uint32_t atom, Dim by) {
  std::set<std::uint32_t> inside;
  collectAtoms(store_, d, inside);
  if (!inside.count(atom)) return d;
  return store_.rebuild(termsOf(store_, d), [&](const Factor& f) {
    if (!f.isAtom) return store_.variable(DimVar{f.index});
    if (f.index == atom) return by;
    const Atom a = store_.atom(f.index);
    const Dim left = replace(a.left, atom, by), right = replace(a.right, atom, by);
    return store_.apply(a.op, left, right);
  });
}

Dim Simplifier::abstract(System& s, std::uint32_t index) {
  const Atom atom = store_.atom(index);
  Intervals known(store_, s);
  Range range = known.range(Factor{true, index, 1});
  Dim v = store_.variable(store_.newVariable("k" + std::to_string(store_.variableCount())));
  map(s, [&](Dim d) { return replace(d, index, v); });
  Dim left = atom.left, right = atom.right;
  if (atom.op == DimOp::div) {
    Dim rest = store_.sub(left, store_.mul(right, v));
    s.nonNegative.push_back(rest);
    s.nonNegative.push_back(store_.sub(store_.sub(right, store_.constant(1)), rest));
    s.nonNegative.push_back(store_.sub(right, store_.constant(1)));
  } else {
    Dim overLeft = store_.sub(v, left), overRight = store_.sub(v, right);
    s.nonNegative.push_back(overLeft);
    s.nonNegative.push_back(overRight);
    s.eitherZero.emplace_back(overLeft, overRight);
  }
  if (range.low > -Range::infinite)
    s.nonNegative.push_back(store_.sub(v, store_.constant(static_cast<std::int64_t>(range.low))));
  if (range.high < Range::infinite)
    s.nonNegative.push_back(store_.sub(store_.constant(static_cast<std::int64_t>(range.high)), v));
  return v;
}

// Divides by the factors that every term has and that are >= 1, whatever the sign of the remaining part.
Dim Simplifier::cancelled(Dim d, Intervals& known) {
  std::vector<Term> terms = termsOf(store_, d);
  if (terms.empty() || terms[0].factors.empty()) return d;
  std::vector<Factor> common = terms[0].factors;
  for (const Term& term : terms) {
    std::vector<Factor> kept;
    for (const Factor& f : common)
      for (const Factor& g : term.factors)
        if (f.isAtom == g.isAtom && f.index == g.index) kept.push_back({f.isAtom, f.index, std::min(f.power, g.power)});
    common = std::move(kept);
  }
  for (const Factor& f : common) {
    if (known.range(f).low < 1 || terms.size() == 1) continue;
    used_.insert("cancel");
    for (Term& term : terms)
      for (std::size_t i = 0; i < term.factors.size(); ++i) {
        Factor& g = term.factors[i];
        if (g.isAtom != f.isAtom || g.index != f.index) continue;
        g.power -= f.power;
        if (g.power == 0) term.factors.erase(term.factors.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
  }
  return store_.fromTerms(std::move(terms));
}

// Keeps d = 0 in its simplest form. False if it cannot hold.
bool Simplifier::tidyZero(System& s, Dim d, Intervals& known, std::set<Dim>& zero) {
  d = cancelled(d, known);
  if (store_.isUndefined(d)) return true;
  const auto [common, k] = contentOf(store_, d);
  if (common == 0) return k == 0;
  if (k % common != 0) {
    used_.insert("divisibility");
    return false;
  }
  if (common > 1) d = store_.div(d, store_.constant(common));
  if (store_.isUndefined(d)) return true;
  std::vector<Term> terms = termsOf(store_, d);
  if (terms[0].coefficient < 0) d = store_.negate(d), terms = termsOf(store_, d);
  Range range = known.range(d);
  if (range.low > 0 || range.high < 0) {
    used_.insert("interval");
    return false;
  }
  if (terms.size() == 1 && !terms[0].factors.empty() && !isLinearFactor(terms[0])) {  // a product is 0
    std::vector<Term> first{{1, {terms[0].factors[0]}}},
        rest{{1, {terms[0].factors.begin() + 1, terms[0].factors.end()}}};
    first[0].factors[0].power = 1;
    Dim left = store_.fromTerms(first);
    if (rest[0].factors.empty())
      zero.insert(left);
    else
      s.eitherZero.emplace_back(left, store_.fromTerms(rest));
    return true;
  }
  zero.insert(d);
  return true;
}

void Simplifier::tidyNonNegative(System& s, Dim d, Intervals& known, std::vector<Dim>& out) {
  d = cancelled(d, known);
  if (store_.isUndefined(d)) return;
  const auto [common, k] = contentOf(store_, d);
  if (common == 0) {
    if (k < 0) s.contradictory = true;
    return;
  }
  if (common > 1) {
    std::vector<Term> terms = termsOf(store_, d);
    for (Term& t : terms)
      t.coefficient =
          t.factors.empty() ? static_cast<std::int64_t>(floorDiv(t.coefficient, common)) : t.coefficient / common;
    d = store_.fromTerms(std::move(terms));
  }
  if (known.range(d).high < 0) {
    used_.insert("interval");
    s.contradictory = true;
    return;
  }
  out.push_back(d);
}

// Adds the intervals of the variables as facts: otherwise an interval could be used to rewrite the very fact that
// implies it.
void Simplifier::keepIntervals(System& s, Intervals& known) {
  std::set<DimVar> variables;
  for (const auto* list : {&s.zero, &s.nonNegative, &s.nonZero})
    for (Dim d : *list)
      for (DimVar v : store_.variables(d)) variables.insert(v);
  std::set<Dim> stated(s.nonNegative.begin(), s.nonNegative.end());
  for (DimVar v : variables) {
    Range range = known.range(Factor{false, v.index, 1});
    Dim self = store_.variable(v);
    auto keep = [&](Dim d) {
      if (stated.insert(d).second) s.nonNegative.push_back(d);
    };
    if (range.low == range.high) {
      s.zero.push_back(store_.sub(self, store_.constant(static_cast<std::int64_t>(range.low))));
      continue;
    }
    if (range.low > -Range::infinite) keep(store_.sub(self, store_.constant(static_cast<std::int64_t>(range.low))));
    if (range.high < Range::infinite) keep(store_.sub(store_.constant(static_cast<std::int64_t>(range.high)), self));
  }
}

// Keeps the tightest of the facts that differ only in their constants; turns two opposite ones into an equality.
void Simplifier::tidyInequalities(System& s, Intervals& known, std::set<Dim>& zero) {
  std::vector<Dim> nonNegative;
  for (Dim d : s.nonNegative) tidyNonNegative(s, d, known, nonNegative);
  std::map<Dim, std::int64_t> tightest;
  std::vector<Dim> order;
  for (Dim d : nonNegative) {
    const std::int64_t k = contentOf(store_, d).second;
    Dim core = store_.sub(d, store_.constant(k));
    if (store_.isUndefined(core)) continue;
    auto [it, isNew] = tightest.try_emplace(core, k);
    if (isNew) order.push_back(core);
    it->second = std::min(it->second, k);
  }
  s.nonNegative.clear();
  for (Dim core : order) {
    std::int64_t k = tightest.at(core);
    auto opposite = tightest.find(store_.negate(core));
    Dim d = store_.add(core, store_.constant(k));
    if (opposite != tightest.end()) {
      Wide sum = Wide{opposite->second} + k;
      if (sum < 0) s.contradictory = true;
      if (sum == 0) {
        if (!tidyZero(s, d, known, zero)) s.contradictory = true;
        continue;
      }
    }
    s.nonNegative.push_back(d);
  }
}

// Drops disequalities that always hold; turns those whose sign is known into inequalities.
void Simplifier::tidyDisequalities(System& s, Intervals& known) {
  std::vector<Dim> nonZero;
  for (Dim d : s.nonZero) {
    d = cancelled(d, known);
    if (store_.isUndefined(d)) continue;
    const auto [common, k] = contentOf(store_, d);
    if (common == 0) {
      if (k == 0) s.contradictory = true;
      continue;
    }
    if (k % common != 0) continue;
    Range range = known.range(d);
    if (range.low > 0 || range.high < 0) continue;
    if (range.low == 0)
      s.nonNegative.push_back(store_.sub(d, store_.constant(1)));
    else if (range.high == 0)
      s.nonNegative.push_back(store_.sub(store_.negate(d), store_.constant(1)));
    else
      nonZero.push_back(d);
  }
  s.nonZero = std::move(nonZero);
}

// If one of two factors cannot be 0, records that the other one is.
void Simplifier::tidyProducts(System& s, Intervals& known, std::set<Dim>& zero) {
  std::vector<std::pair<Dim, Dim>> eitherZero;
  Dim none = store_.constant(0);
  for (auto [left, right] : s.eitherZero) {
    if (left == none || right == none) continue;
    auto never = [&](Dim d) {
      Range range = known.range(d);
      return range.low > 0 || range.high < 0;
    };
    bool noLeft = never(left), noRight = never(right);
    if (noLeft && noRight) s.contradictory = true;
    if (noLeft || noRight)
      zero.insert(noLeft ? right : left);
    else if (std::pair pair(left, right); std::find(eitherZero.begin(), eitherZero.end(), pair) == eitherZero.end())
      eitherZero.push_back(pair);
  }
  s.eitherZero = std::move(eitherZero);
}

bool Simplifier::tidy(System& s, bool isEarly) {
  System before = s;
  Intervals known(store_, s);
  if (isEarly) keepIntervals(s, known);
  Rewriter rewriter(store_, known, budget_);
  map(s, [&](Dim d) { return rewriter.normal(d); });
  used_.insert(rewriter.used.begin(), rewriter.used.end());

  std::set<Dim> zero;
  for (Dim d : std::vector<Dim>(s.zero))
    if (!tidyZero(s, d, known, zero)) s.contradictory = true;
  tidyInequalities(s, known, zero);
  tidyDisequalities(s, known);
  tidyProducts(s, known, zero);
  s.zero.assign(zero.begin(), zero.end());
  return s.zero != before.zero || s.nonNegative != before.nonNegative || s.nonZero != before.nonZero ||
         s.eitherZero != before.eitherZero;
}

// Solves equality `index` for a variable with coefficient +-1 that occurs nowhere else in it.
bool Simplifier::solve(System& s, std::size_t index) {
  Dim d = s.zero[index];
  for (const Term& term : termsOf(store_, d)) {
    if (!isLinearFactor(term) || term.factors[0].isAtom) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    DimVar v{term.factors[0].index};
    Dim rest = store_.sub(d, store_.mul(store_.constant(term.coefficient), store_.variable(v)));
    if (mentions(store_, rest, v)) continue;
    s.zero.erase(s.zero.begin() + static_cast<std::ptrdiff_t>(index));
    substitute(s, v, term.coefficient == 1 ? store_.negate(rest) : rest);
    return true;
  }
  return false;
}

// Reduces an equality without a coefficient +-1: expresses a variable with the least coefficient by a fresh one, so
// that the least remaining coefficient is smaller (Knuth, and Pugh's Omega test).
bool Simplifier::reduce(System& s, std::size_t index) {
  Dim d = s.zero[index];
  std::optional<Term> least;
  for (const Term& term : termsOf(store_, d)) {
    if (!isLinearFactor(term) || term.factors[0].isAtom) continue;
    DimVar v{term.factors[0].index};
    Dim rest = store_.sub(d, store_.mul(store_.constant(term.coefficient), store_.variable(v)));
    if (mentions(store_, rest, v) || store_.isUndefined(rest)) continue;
    if (!least || std::abs(term.coefficient) < std::abs(least->coefficient)) least = term;
  }
  if (!least) return false;
  // c*v + sum c_i*x_i = 0: v = fresh - sum floor(c_i / c)*x_i
  DimVar v{least->factors[0].index};
  std::vector<Term> terms;
  for (Term term : termsOf(store_, d)) {
    if (term.factors == least->factors) continue;
    term.coefficient = -static_cast<std::int64_t>(floorDiv(term.coefficient, least->coefficient));
    if (term.coefficient != 0) terms.push_back(std::move(term));
  }
  if (terms.empty()) return false;
  Dim fresh = store_.variable(store_.newVariable("k" + std::to_string(store_.variableCount())));
  substitute(s, v, store_.add(fresh, store_.fromTerms(std::move(terms))));
  return true;
}

bool Simplifier::solveOne(System& s) {
  for (std::size_t i = 0; i < s.zero.size(); ++i)
    if (solve(s, i)) return true;
  for (std::size_t i = 0; i < s.zero.size(); ++i)
    for (const Term& term : termsOf(store_, s.zero[i])) {
      if (!isLinearFactor(term) || (term.coefficient != 1 && term.coefficient != -1)) continue;
      if (term.factors[0].isAtom) {  // a known atom: replaces it by a variable, which is solved for
        abstract(s, term.factors[0].index);
        return true;
      }
      // a variable that also occurs inside quotients, but in no product: replaces these quotients by variables
      DimVar v{term.factors[0].index};
      if (inProduct(store_, s.zero[i], v)) continue;
      for (const Term& other : termsOf(store_, s.zero[i]))
        for (const Factor& f : other.factors)
          if (f.isAtom &&
              (mentions(store_, store_.atom(f.index).left, v) || mentions(store_, store_.atom(f.index).right, v))) {
            abstract(s, f.index);
            return true;
          }
    }
  for (std::size_t i = 0; i < s.zero.size(); ++i)
    if (reduce(s, i)) return true;
  return false;
}

void Simplifier::simplify(System& s) {
  constexpr int mostRounds = 60, earlyRounds = 3;
  for (int round = 0; round < mostRounds && !s.contradictory && budget_.spend(1); ++round) {
    bool moved = tidy(s, round < earlyRounds);
    if (s.contradictory) return;
    if (!s.zero.empty() && solveOne(s)) {
      used_.insert("substitution");
      continue;
    }
    if (!moved) return;
  }
}

}  // namespace axle::decide
