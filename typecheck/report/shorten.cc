#include "typecheck/report/shorten.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "dims/decide/rewrite.h"
#include "dims/decide/simplify.h"
#include "typecheck/solver/dim_facts.h"

namespace axle {
namespace {

// Whether `a` is `b` times a number.
bool isMultiple(DimStore& dims, Dim a, Dim b) {
  if (dims.isUndefined(a) || dims.isUndefined(b) || dims.terms(b).empty()) return false;
  const Term first = dims.terms(b)[0];
  for (const Term& term : termsOf(dims, a))
    if (term.factors == first.factors && term.coefficient != INT64_MIN && term.coefficient % first.coefficient == 0)
      return dims.mul(dims.constant(term.coefficient / first.coefficient), b) == a;
  return false;
}

// h*(d / h) -> d in one term, for the quotient of an exact division.
Dim withExactQuotient(DimStore& dims, const Term& term, const Factor& quotient, Dim dividend, Dim divisor) {
  Dim product = dims.constant(term.coefficient);
  std::uint32_t quotients = 0;
  for (const Factor& f : term.factors) {
    if (f.isAtom && f.index == quotient.index) {
      quotients = f.power;
      continue;
    }
    Dim base = dims.base(f);
    for (std::uint32_t i = 0; i < f.power; ++i) product = dims.mul(product, base);
  }
  for (; quotients > 0; --quotients) {
    Dim exact = dims.div(product, divisor);
    bool divides = dims.mul(exact, divisor) == product;
    product = divides ? dims.mul(exact, dividend) : dims.mul(product, dims.fromTerms({{1, {quotient}}}));
  }
  return product;
}

}  // namespace

DimComparison withPositiveSides(Solver& solver, DimComparison fact) {
  DimStore& dims = solver.solution.dims;
  Dim difference = dims.sub(fact.left, fact.right);
  const FactRelation relation = fact.relation;
  if (relation == FactRelation::eq || relation == FactRelation::ne || dims.isUndefined(difference)) return fact;
  if (relation == FactRelation::lt || relation == FactRelation::le)
    difference = dims.mul(dims.constant(-1), difference);
  if (relation == FactRelation::lt || relation == FactRelation::gt) difference = dims.sub(difference, dims.constant(1));
  DimComparison out{dims.constant(0), FactRelation::ge, dims.constant(0)};
  for (const Term& term : termsOf(dims, tightenInequality(solver, difference))) {
    const Dim one = dims.rebuild({term}, [&](const Factor& f) { return dims.base(f); });
    if (term.coefficient > 0)
      out.left = dims.add(out.left, one);
    else
      out.right = dims.sub(out.right, one);
  }
  return out;
}

namespace {

bool hasFactor(const Term& term, DimVar v) {
  return std::ranges::any_of(term.factors, [&](const Factor& f) { return !f.isAtom && f.index == v.index; });
}

}  // namespace

std::vector<DimVar> sizesAboveZero(Solver& solver, const std::vector<DimFact>& facts) {
  DimStore& dims = solver.solution.dims;
  std::vector<DimVar> found;
  for (const DimFact& fact : facts) {
    if (fact.stretch || fact.relation == FactRelation::eq || fact.relation == FactRelation::ne) continue;
    const Dim difference = normaliseFact(solver, fact).second;
    if (dims.isUndefined(difference) || dims.variables(difference).size() != 1) continue;
    const DimVar v = dims.variables(difference)[0];
    const auto rest = dims.asConstant(dims.sub(difference, dims.variable(v)));
    if (rest && *rest < 0) found.push_back(v);
  }
  return found;
}

// With x >= 1, x*p >= 0 holds just where p >= 0 does.
DimComparison withoutFactors(Solver& solver, const DimComparison& fact, const std::vector<DimVar>& aboveZero) {
  DimStore& dims = solver.solution.dims;
  auto [relation, difference] = normaliseFact(solver, fact);
  if (relation != FactRelation::ge || dims.isUndefined(difference)) return fact;
  bool isDivided = false;
  for (DimVar v : aboveZero)
    while (!dims.asConstant(difference) &&
           std::ranges::all_of(dims.terms(difference), [&](const Term& term) { return hasFactor(term, v); })) {
      difference = dims.div(difference, dims.variable(v));
      isDivided = true;
    }
  return isDivided ? DimComparison{difference, FactRelation::ge, dims.constant(0)} : fact;
}

std::optional<std::pair<Dim, Dim>> exactDivision(DimStore& dims, Dim difference) {
  if (dims.isUndefined(difference)) return std::nullopt;
  const std::vector<Term> terms = termsOf(dims, difference);
  for (const Term& term : terms)
    for (const Factor& f : term.factors) {
      if (!f.isAtom || f.power != 1) continue;
      const Atom atom = dims.atom(f.index);
      Dim self = dims.fromTerms({{1, {f}}});
      if (atom.op == DimOp::mod && terms.size() == 1 && term.factors.size() == 1)
        return std::pair(atom.left, atom.right);
      if (atom.op == DimOp::div && isMultiple(dims, difference, dims.sub(atom.left, dims.mul(atom.right, self))))
        return std::pair(atom.left, atom.right);
    }
  return std::nullopt;
}

namespace {

// b if `difference` = 0 says that b divides x / a.
std::optional<Dim> divisorOfQuotient(DimStore& dims, Dim difference, Dim x, Dim a) {
  const Dim quotient = dims.div(x, a);
  if (const auto exact = exactDivision(dims, difference); exact && exact->first == quotient) return exact->second;
  for (const Term& term : termsOf(dims, difference))  // x / a == b*(x / (a*b))
    for (const Factor& f : term.factors) {
      if (!f.isAtom || dims.atom(f.index).op != DimOp::div || dims.atom(f.index).left != x) continue;
      const Dim product = dims.atom(f.index).right, b = dims.div(product, a);
      const Dim rest = dims.sub(quotient, dims.mul(b, dims.fromTerms({{1, {f}}})));
      if (dims.mul(a, b) == product && isMultiple(dims, difference, rest)) return b;
    }
  return std::nullopt;
}

}  // namespace

std::optional<DimComparison> divisibilityOfBoth(Solver& solver, const DimComparison& whole,
                                                const DimComparison& quotient) {
  if (whole.relation != FactRelation::eq || quotient.relation != FactRelation::eq) return std::nullopt;
  DimStore& dims = solver.solution.dims;
  const auto exact = exactDivision(dims, normaliseFact(solver, whole).second);
  const Dim difference = normaliseFact(solver, quotient).second;
  if (!exact || dims.isUndefined(difference) || dims.asConstant(exact->second).value_or(0) < 1) return std::nullopt;
  const auto divisor = divisorOfQuotient(dims, difference, exact->first, exact->second);
  if (!divisor || dims.asConstant(*divisor).value_or(0) < 1) return std::nullopt;
  const Dim remainder = dims.mod(exact->first, dims.mul(exact->second, *divisor));
  if (dims.isUndefined(remainder)) return std::nullopt;
  return DimComparison{remainder, FactRelation::eq, dims.constant(0)};
}

Dim withExactQuotients(Solution& solution, Dim d, const std::vector<DimFact>& facts) {
  DimStore& dims = solution.dims;
  for (const DimFact& fact : facts) {
    if (fact.relation != FactRelation::eq) continue;
    auto exact = exactDivision(dims, dims.sub(solution.resolve(fact.left), solution.resolve(fact.right)));
    if (!exact) continue;
    auto quotient = termsOf(dims, dims.div(exact->first, exact->second));
    bool isAtom = quotient.size() == 1 && quotient[0].coefficient == 1 && quotient[0].factors.size() == 1 &&
                  quotient[0].factors[0].isAtom && quotient[0].factors[0].power == 1;
    if (!isAtom) continue;
    Dim sum = dims.constant(0);
    for (const Term& term : termsOf(dims, d))
      sum = dims.add(sum, withExactQuotient(dims, term, quotient[0].factors[0], exact->first, exact->second));
    d = sum;
  }
  return d;
}

namespace {

// The known inequalities: sizes are >= 0, and those among the facts.
decide::System inequalities(Solver& solver, Dim d, const std::vector<DimFact>& facts) {
  decide::System out;
  Solution& s = solver.solution;
  DimStore& dims = s.dims;
  std::set<DimVar> variables(dims.variables(d).begin(), dims.variables(d).end());
  for (const DimFact& fact : facts) {
    const auto [relation, difference] = normaliseFact(solver, fact);
    if (relation != FactRelation::ge || dims.isUndefined(difference)) continue;
    out.nonNegative.push_back(difference);
    variables.insert(dims.variables(difference).begin(), dims.variables(difference).end());
  }
  for (DimVar v : variables)
    if (s.dimVars[v.index].isSize) out.nonNegative.push_back(dims.variable(v));
  return out;
}

}  // namespace

bool Shortener::isPositive(Dim d) const {
  return decide::Intervals(solver_.solution.dims, inequalities(solver_, d, facts_)).positive(d);
}

Dim Shortener::size(Dim d, const Print& print) const {
  DimStore& dims = solver_.solution.dims;
  if (facts_.empty() || dims.isUndefined(d)) return d;
  std::set<std::uint32_t> atoms;
  decide::collectAtoms(dims, d, atoms);
  if (atoms.empty()) return d;
  std::vector<Dim> same{withExactQuotients(solver_.solution, d, facts_)};
  // The rules are for divisors >= 1; nothing that may be 0 is cancelled.
  bool divides = std::all_of(atoms.begin(), atoms.end(), [&](std::uint32_t index) {
    const Atom atom = dims.atom(index);
    bool isQuotient = atom.op == DimOp::div || atom.op == DimOp::mod;
    return !isQuotient || isPositive(atom.right);
  });
  if (divides) {
    constexpr std::uint64_t steps = 2000;
    decide::Intervals known(dims, inequalities(solver_, d, facts_));
    decide::Budget budget{steps};
    decide::Rewriter rewriter(dims, known, budget);
    same.push_back(rewriter.normal(d));
    same.push_back(withExactQuotients(solver_.solution, same.back(), facts_));
  }
  Dim shortest = d;
  std::size_t length = print(d).size();
  for (Dim other : same) {
    if (dims.isUndefined(other)) continue;
    std::size_t its = print(other).size();
    if (its < length) shortest = other, length = its;
  }
  return shortest;
}

std::optional<Dim> Shortener::remainder(Dim difference) const {
  DimStore& dims = solver_.solution.dims;
  auto exact = exactDivision(dims, difference);
  if (!exact) return std::nullopt;
  // (g*a) % (g*b) is 0 where a % b is, for g >= 1.
  Dim common = dims.constant(0);
  for (Dim side : {exact->first, exact->second})
    for (const Term& term : termsOf(dims, side)) {
      Term both = termsOf(dims, common).empty() ? term : termsOf(dims, common)[0];
      both.coefficient = std::gcd(both.coefficient, term.coefficient);
      std::erase_if(both.factors, [&](Factor& f) {
        auto same = std::find_if(term.factors.begin(), term.factors.end(),
                                 [&](const Factor& g) { return g.isAtom == f.isAtom && g.index == f.index; });
        if (same == term.factors.end() || f.isAtom) return true;
        f.power = std::min(f.power, same->power);
        return !isPositive(dims.variable(DimVar{f.index}));
      });
      common = dims.fromTerms({both});
    }
  return dims.mod(dims.div(exact->first, common), dims.div(exact->second, common));
}

}  // namespace axle
