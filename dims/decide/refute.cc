#include "dims/decide/refute.h"

#include <algorithm>
#include <numeric>

#include "dims/decide/linear.h"

namespace axle::decide {
namespace {

constexpr int deepest = 7;                    // depth of nested case distinctions
constexpr std::uint64_t linearSteps = 30000;  // per elimination
constexpr Wide mostValues = 8;                // of a variable that is split by value

std::uint32_t degree(const std::vector<Factor>& factors) {
  std::uint32_t d = 0;
  for (const Factor& f : factors) d += f.power;
  return d;
}

using Monomials = std::set<std::vector<Factor>>;

void nonlinearMonomials(const DimStore& store, Dim d, Monomials& into) {
  for (const Term& term : store.terms(d))
    if (degree(term.factors) > 1) into.insert(term.factors);
}

// Multiplies facts by monomials and by each other, to get facts about the nonlinear monomials that are present.
class Products {
 public:
  Products(DimStore& store, Intervals& known, Budget& budget, const std::vector<Dim>& zero,
           const std::vector<Dim>& nonNegative)
      : store_(store), known_(known), budget_(budget), zero_(zero), nonNegative_(nonNegative) {
    for (const auto* list : {&zero, &nonNegative})
      for (Dim d : *list) nonlinearMonomials(store, d, monomials_);
  }

  bool any() const { return !monomials_.empty(); }

  void byMonomials(std::vector<Dim>& zero, std::vector<Dim>& nonNegative) {
    for (const std::vector<Factor>& monomial : Monomials(monomials_))
      for (std::size_t i = 0; i < monomial.size(); ++i) {
        std::vector<Factor> rest = monomial;
        std::vector<Factor> one{{rest[i].isAtom, rest[i].index, 1}};
        if (--rest[i].power == 0) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        Dim by = store_.fromTerms({{1, rest}});
        for (Dim d : zero_)
          if (has(d, one)) keep(store_.mul(d, by), zero);
        if (!known_.nonNegative(by)) continue;
        for (Dim d : nonNegative_)
          if (has(d, one)) keep(store_.mul(d, by), nonNegative);
      }
  }

  // Adds the intervals of the monomials themselves, including those that products introduced.
  void intervals(const std::vector<Dim>& moreZero, std::vector<Dim>& nonNegative) {
    Monomials all = monomials_;
    for (Dim d : moreZero) nonlinearMonomials(store_, d, all);
    for (Dim d : nonNegative) nonlinearMonomials(store_, d, all);
    for (const std::vector<Factor>& monomial : all) {
      Dim self = store_.fromTerms({{1, monomial}});
      Range range = known_.range(self);
      if (range.low > -Range::infinite)
        keep(store_.sub(self, store_.constant(static_cast<std::int64_t>(range.low))), nonNegative);
      if (range.high < Range::infinite)
        keep(store_.sub(store_.constant(static_cast<std::int64_t>(range.high)), self), nonNegative);
    }
  }

  void byFacts(std::vector<Dim>& nonNegative) {
    constexpr std::size_t most = 28;
    std::vector<Dim> facts(nonNegative_.begin(),
                           nonNegative_.begin() + static_cast<std::ptrdiff_t>(std::min(most, nonNegative_.size())));
    for (std::size_t i = 0; i < facts.size(); ++i)
      for (std::size_t j = i; j < facts.size(); ++j) {
        if (linearTerms(facts[i]) * linearTerms(facts[j]) > 16) continue;
        Dim product = store_.mul(facts[i], facts[j]);
        Monomials in;
        nonlinearMonomials(store_, product, in);
        if (!in.empty() && std::includes(monomials_.begin(), monomials_.end(), in.begin(), in.end()))
          keep(product, nonNegative);
      }
  }

 private:
  std::size_t linearTerms(Dim d) const { return store_.terms(d).size(); }
  bool has(Dim d, const std::vector<Factor>& factors) const {
    auto terms = store_.terms(d);
    return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return t.factors == factors; });
  }
  void keep(Dim product, std::vector<Dim>& into) {
    constexpr std::size_t most = 160;
    if (into.size() < most && budget_.spend(2) && !store_.isUndefined(product)) into.push_back(product);
  }

  DimStore& store_;
  Intervals& known_;
  Budget& budget_;
  const std::vector<Dim>& zero_;
  const std::vector<Dim>& nonNegative_;
  Monomials monomials_;
};

}  // namespace

std::vector<Dim> definitions(DimStore& store, const System& s, Intervals& known) {
  std::set<std::uint32_t> atoms;
  for (const auto* list : {&s.zero, &s.nonNegative, &s.nonZero})
    for (Dim d : *list) collectAtoms(store, d, atoms);
  for (const auto& [left, right] : s.eitherZero)
    for (Dim d : {left, right}) collectAtoms(store, d, atoms);
  std::vector<Dim> out;
  auto bound = [&](Dim self, Range range) {
    if (range.low > -Range::infinite)
      out.push_back(store.sub(self, store.constant(static_cast<std::int64_t>(range.low))));
    if (range.high < Range::infinite)
      out.push_back(store.sub(store.constant(static_cast<std::int64_t>(range.high)), self));
  };
  for (std::uint32_t index : atoms) {
    const Atom atom = store.atom(index);
    Dim self = store.fromTerms({{1, {{true, index, 1}}}});
    auto within = [&](Dim remainder) {
      out.push_back(remainder);
      out.push_back(store.sub(store.sub(atom.right, store.constant(1)), remainder));
    };
    if (divides(atom.op))
      within(atom.op == DimOp::mod ? self : store.sub(atom.left, store.mul(atom.right, self)));
    else
      for (Dim side : {atom.left, atom.right})
        out.push_back(atom.op == DimOp::max ? store.sub(self, side) : store.sub(side, self));
    bound(self, known.range(Factor{true, index, 1}));
  }
  out.erase(std::remove_if(out.begin(), out.end(),
                           [&](Dim d) {
                             auto value = store.asConstant(d);
                             return store.isUndefined(d) || (value && *value >= 0);
                           }),
            out.end());
  return out;
}

std::set<std::uint32_t> Refuter::atoms(const System& s) const {
  std::set<std::uint32_t> out;
  for (const auto* list : {&s.zero, &s.nonNegative, &s.nonZero})
    for (Dim d : *list) collectAtoms(store_, d, out);
  for (const auto& [left, right] : s.eitherZero)
    for (Dim d : {left, right}) collectAtoms(store_, d, out);
  return out;
}

Refuter::Linear Refuter::linear(System& s) {
  Intervals known(store_, s);
  std::vector<Dim> zero = s.zero, nonNegative = s.nonNegative;
  for (Dim d : definitions(store_, s, known)) nonNegative.push_back(d);
  Products products(store_, known, budget_, zero, nonNegative);
  std::vector<Dim> moreZero, more;
  for (int round = 0; round < (products.any() ? 3 : 1); ++round) {
    if (round == 1) {
      products.byMonomials(moreZero, more);
      products.intervals(moreZero, more);
    }
    if (round == 2) products.byFacts(more);
    Budget own{std::min(budget_.left, linearSteps)};
    std::uint64_t given = own.left;
    LinearSystem system(store_, own);
    for (Dim d : zero) system.add(d, true);
    for (Dim d : nonNegative) system.add(d, false);
    for (Dim d : moreZero) system.add(d, true);
    for (Dim d : more) system.add(d, false);
    bool found = system.contradictory();
    budget_.spend(given - own.left);
    if (!found) {
      if (round < 2 && products.any()) continue;
      // All facts together may bound a variable of a product or quotient more tightly than any single fact.
      bool narrowed = false;
      std::set<Factor> asked;
      auto ask = [&](const Factor& given) {
        Factor f{given.isAtom, given.index, 1};
        constexpr std::size_t most = 10;
        if (asked.size() >= most || !asked.insert(f).second) return;
        Range before = known.range(f);
        own = {std::min(budget_.left, linearSteps)};
        std::uint64_t start = own.left;
        Range range = system.range(f);
        budget_.spend(start - own.left);
        Dim self = store_.fromTerms({{1, {f}}});
        if (range.low > before.low && range.low < Range::infinite) {
          s.nonNegative.push_back(store_.sub(self, store_.constant(static_cast<std::int64_t>(range.low))));
          narrowed = true;
        }
        if (range.high < before.high && range.high > -Range::infinite) {
          s.nonNegative.push_back(store_.sub(store_.constant(static_cast<std::int64_t>(range.high)), self));
          narrowed = true;
        }
      };
      for (const auto* list : {&zero, &nonNegative})
        for (Dim d : *list)
          for (const Term& term : termsOf(store_, d)) {
            if (degree(term.factors) < 2 && (term.factors.empty() || !term.factors[0].isAtom)) continue;
            for (const Factor& f : term.factors) ask(f);
          }
      for (std::uint32_t index : atoms(s))
        for (DimVar v : std::vector<DimVar>(store_.variables(store_.atom(index).left).begin(),
                                            store_.variables(store_.atom(index).left).end()))
          ask({false, v.index, 1});
      return narrowed ? Linear::narrowed : Linear::open;
    }
    used.insert(round == 0 ? "elimination" : "products");
    return Linear::contradictory;
  }
  return Linear::open;
}

bool Refuter::contradictory(System s, int depth) {
  constexpr int narrowings = 4;
  for (int i = 0; i < narrowings; ++i) {
    simplifier_.simplify(s);
    if (s.contradictory) return true;
    Linear result = linear(s);
    if (result == Linear::contradictory) return true;
    if (budget_.left == 0) return false;
    if (result == Linear::open) break;
  }
  return depth < deepest && byCases(s, depth);
}

bool Refuter::byCases(const System& s, int depth) {
  using Split = bool (Refuter::*)(const System&, int, std::optional<bool>&);
  static constexpr Split splits[] = {&Refuter::splitDisequality, &Refuter::splitAtom, &Refuter::splitValues,
                                     &Refuter::splitRemainder,   &Refuter::splitSign, &Refuter::splitAnyValues};
  std::optional<bool> result;
  for (Split split : splits)
    if ((this->*split)(s, depth, result)) return *result;
  return false;
}

bool Refuter::cases(std::vector<System> all, const char* why, int depth) {
  for (System& s : all)
    if (budget_.left == 0 || !contradictory(std::move(s), depth + 1)) return false;
  used.insert(why);
  return true;
}

// Splits p != 0 into p >= 1 and p <= -1, and a product that is 0 into the cases that one of its factors is 0.
bool Refuter::splitDisequality(const System& s, int depth, std::optional<bool>& result) {
  Dim one = store_.constant(1);
  if (!s.nonZero.empty()) {
    System above = s, below = s;
    Dim d = s.nonZero.front();
    for (System* each : {&above, &below}) each->nonZero.erase(each->nonZero.begin());
    above.nonNegative.push_back(store_.sub(d, one));
    below.nonNegative.push_back(store_.sub(store_.mul(store_.constant(-1), d), one));
    result = cases({std::move(above), std::move(below)}, "cases", depth);
    return true;
  }
  if (!s.eitherZero.empty()) {
    System left = s, right = s;
    auto [a, b] = s.eitherZero.front();
    for (System* each : {&left, &right}) each->eitherZero.erase(each->eitherZero.begin());
    left.zero.push_back(a);
    right.zero.push_back(b);
    result = cases({std::move(left), std::move(right)}, "cases", depth);
    return true;
  }
  return false;
}

// Splits an innermost max(d, 0) into d >= 0 and d <= -1, or a quotient of few values into its values.
bool Refuter::splitAtom(const System& s, int depth, std::optional<bool>& result) {
  Intervals known(store_, s);
  std::optional<std::uint32_t> fewest;
  Wide width = 4;
  for (std::uint32_t index : atoms(s)) {
    const Atom atom = store_.atom(index);
    if (atom.op == DimOp::max) {
      std::set<std::uint32_t> inside;
      for (Dim side : {atom.left, atom.right}) collectAtoms(store_, side, inside);
      bool nested =
          std::any_of(inside.begin(), inside.end(), [&](std::uint32_t i) { return store_.atom(i).op == DimOp::max; });
      if (nested) continue;
      Dim d = store_.sub(atom.left, atom.right);
      System above = s, below = s;
      above.nonNegative.push_back(d);
      below.nonNegative.push_back(store_.sub(store_.mul(store_.constant(-1), d), store_.constant(1)));
      result = cases({std::move(above), std::move(below)}, "max by cases", depth);
      return true;
    }
    if (atom.op != DimOp::div) continue;
    Range range = known.range(Factor{true, index, 1});
    if (range.bounded() && range.high - range.low < width) fewest = index, width = range.high - range.low;
  }
  if (!fewest) return false;
  Range range = known.range(Factor{true, *fewest, 1});
  std::vector<System> all;
  for (Wide value = range.low; value <= range.high; ++value) {
    System each = s;
    Dim q = simplifier_.abstract(each, *fewest);
    each.zero.push_back(store_.sub(q, store_.constant(static_cast<std::int64_t>(value))));
    all.push_back(std::move(each));
  }
  result = cases(std::move(all), "quotient by cases", depth);
  return true;
}

// Splits a variable of few values in a product or quotient into its values.
bool Refuter::splitValues(const System& s, int depth, std::optional<bool>& result) {
  std::set<std::uint32_t> variables;
  for (const auto* list : {&s.zero, &s.nonNegative})
    for (Dim d : *list)
      for (const Term& term : termsOf(store_, d))
        if (degree(term.factors) > 1)
          for (const Factor& f : term.factors)
            if (!f.isAtom) variables.insert(f.index);
  for (std::uint32_t index : atoms(s))
    for (Dim side : {store_.atom(index).left, store_.atom(index).right})
      for (DimVar v : store_.variables(side)) variables.insert(v.index);
  return splitValuesOf(s, variables, depth, result);
}

bool Refuter::splitAnyValues(const System& s, int depth, std::optional<bool>& result) {
  std::set<std::uint32_t> variables;
  for (const auto* list : {&s.zero, &s.nonNegative})
    for (Dim d : *list)
      for (DimVar v : store_.variables(d)) variables.insert(v.index);
  return splitValuesOf(s, variables, depth, result);
}

bool Refuter::splitValuesOf(const System& s, const std::set<std::uint32_t>& variables, int depth,
                            std::optional<bool>& result) {
  Intervals known(store_, s);
  for (std::uint32_t v : variables) {
    Range range = known.range(Factor{false, v, 1});
    if (!range.bounded() || range.high - range.low >= mostValues) continue;
    std::vector<System> all;
    for (Wide value = range.low; value <= range.high; ++value) {
      System each = s;
      each.zero.push_back(store_.sub(store_.variable(DimVar{v}), store_.constant(static_cast<std::int64_t>(value))));
      all.push_back(std::move(each));
    }
    result = cases(std::move(all), "values by cases", depth);
    return true;
  }
  return false;
}

// Splits a variable in a quotient by a constant: v = m*q + r, 0 <= r < m.
bool Refuter::splitRemainder(const System& s, int depth, std::optional<bool>& result) {
  constexpr std::int64_t largest = 1 << 20;
  for (std::uint32_t index : atoms(s)) {
    const Atom atom = store_.atom(index);
    auto divisor = store_.asConstant(atom.right);
    if (atom.op != DimOp::div || !divisor || *divisor > largest) continue;
    for (const Term& term : termsOf(store_, atom.left))
      for (const Factor& f : term.factors) {
        if (f.isAtom) continue;
        Intervals known(store_, s);
        Range range = known.range(f);
        if (range.within(0, *divisor - 1)) continue;
        std::int64_t m = *divisor;
        if (term.factors.size() == 1 && f.power == 1) m /= std::gcd(m, term.coefficient);
        Dim q = store_.variable(store_.newVariable("q" + std::to_string(store_.variableCount())));
        Dim r = store_.variable(store_.newVariable("r" + std::to_string(store_.variableCount())));
        System each = s;
        Dim size = store_.constant(m);
        each.zero.push_back(store_.sub(store_.sub(store_.variable(DimVar{f.index}), store_.mul(size, q)), r));
        each.nonNegative.push_back(r);
        each.nonNegative.push_back(store_.sub(store_.sub(size, store_.constant(1)), r));
        if (range.low >= 0) each.nonNegative.push_back(q);
        result = cases({std::move(each)}, "remainder", depth);
        return true;
      }
  }
  return false;
}

// Splits a variable of a product: at its least value or above it; below 0 or not.
bool Refuter::splitSign(const System& s, int depth, std::optional<bool>& result) {
  Intervals known(store_, s);
  std::set<Factor> seen;
  constexpr int deepestSigns = 4;
  if (depth >= deepestSigns) return false;
  for (const auto* list : {&s.zero, &s.nonNegative})
    for (Dim d : *list)
      for (const Term& term : termsOf(store_, d)) {
        if (degree(term.factors) < 2) continue;
        for (const Factor& given : term.factors) {
          Factor f{given.isAtom, given.index, 1};
          Range range = known.range(f);
          bool atZero = range.low == 0;
          if (!atZero && range.low > 0) continue;
          if (range.high < 0) continue;
          Dim self = store_.fromTerms({{1, {f}}}), one = store_.constant(1);
          System low = s, high = s;
          if (atZero) {
            low.zero.push_back(self);
            high.nonNegative.push_back(store_.sub(self, one));
          } else {
            low.nonNegative.push_back(store_.sub(store_.mul(store_.constant(-1), self), one));
            high.nonNegative.push_back(self);
          }
          result = cases({std::move(low), std::move(high)}, "signs by cases", depth);
          return true;
        }
      }
  return false;
}

}  // namespace axle::decide
