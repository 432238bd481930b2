#include "typecheck/report/implied_facts.h"

#include <algorithm>
#include <set>

#include "dims/decide/decider.h"
#include "dims/decide/simplify.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {
namespace {

constexpr std::size_t mostForElimination = 12, mostComparisons = 10'000;

bool follows(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given) {
  const AssumptionsInScope scope(solver, given);
  const FactVerdict quick = decideByNormalForm(solver, fact.left, fact.relation, fact.right);
  if (quick != FactVerdict::open || given.empty() || given.size() > mostForElimination)
    return quick == FactVerdict::proved;
  constexpr decide::Limits withoutZ3{.steps = 20'000, .samples = 0, .z3Resources = 0, .terms = 20'000};
  auto isSize = [&](DimVar v) { return solver.solution.dimVars[v.index].isSize; };
  decide::Question question{solver.solution.dims, {}, fact, isSize, {}, {}};
  question.assumptions.assign(given.begin(), given.end());
  return decide::Decider(withoutZ3).decide(question).verdict == decide::Verdict::proved;
}

// Whether an equation only says that a division leaves no remainder.
bool isDivisibility(DimStore& dims, const std::pair<FactRelation, Dim>& normal) {
  const auto [relation, difference] = normal;
  if (relation != FactRelation::eq || dims.isUndefined(difference)) return false;
  std::set<std::uint32_t> atoms;
  decide::collectAtoms(dims, difference, atoms);
  return std::ranges::any_of(atoms, [&](std::uint32_t index) {
    const Atom atom = dims.atom(index);
    const Dim self = dims.fromTerms({{1, {{true, index, 1}}}});
    if (atom.op == DimOp::mod) return difference == self;
    const Dim remainder = dims.sub(atom.left, dims.mul(atom.right, self));
    return atom.op == DimOp::div && (difference == remainder || dims.add(difference, remainder) == dims.constant(0));
  });
}

// A fact as it is shown, and what decides whether another one follows from it.
struct Shown {
  DimComparison fact;
  std::pair<FactRelation, Dim> normal;
  std::size_t quotients = 0;
  std::set<Dim> divisors;
  bool isDivisibility = false;
  bool implied = false;
};

Shown shownOf(Solver& solver, const DimFact& fact) {
  DimStore& dims = solver.solution.dims;
  Shown shown;
  shown.fact = {solver.solution.resolve(fact.left), fact.relation, solver.solution.resolve(fact.right)};
  shown.normal = normaliseFact(solver, shown.fact);
  std::set<std::uint32_t> atoms;
  decide::collectAtoms(dims, shown.normal.second, atoms);
  shown.quotients = static_cast<std::size_t>(std::ranges::count_if(
      atoms, [&](std::uint32_t atom) { return dims.atom(atom).op == DimOp::div || dims.atom(atom).op == DimOp::mod; }));
  for (Dim side : {shown.fact.left, shown.fact.right}) decide::collectDivisors(dims, side, shown.divisors);
  std::erase_if(shown.divisors, [&](Dim d) { return dims.asConstant(d).has_value(); });
  shown.isDivisibility = isDivisibility(dims, shown.normal);
  return shown;
}

// What `facts[at]` may follow from.
std::vector<DimFact> othersThan(Solver& solver, const std::vector<Shown>& facts, std::size_t at) {
  DimStore& dims = solver.solution.dims;
  std::vector<DimFact> given;
  auto give = [&](const DimComparison& fact) {
    DimFact other;
    static_cast<DimComparison&>(other) = fact;
    given.push_back(std::move(other));
  };
  std::set<Dim> divisors;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (i == at || facts[i].implied) continue;
    divisors.insert(facts[i].divisors.begin(), facts[i].divisors.end());
    const bool isGiven = facts[i].fact.relation != FactRelation::eq ||
                         (facts[i].isDivisibility && facts[at].fact.relation == FactRelation::eq);
    if (isGiven && facts[i].quotients <= facts[at].quotients) give(facts[i].fact);
  }
  for (Dim divisor : divisors) {
    const DimComparison bound{divisor, FactRelation::ge, dims.constant(1)};
    if (normaliseFact(solver, bound) != facts[at].normal) give(bound);
  }
  return given;
}

}  // namespace

std::vector<bool> impliedByOthers(Solver& solver, const std::vector<DimFact>& facts) {
  std::vector<bool> implied(facts.size(), false);
  std::vector<Shown> shown;
  for (const DimFact& fact : facts) shown.push_back(shownOf(solver, fact));
  auto mayFollow = [&](std::size_t i) {
    const bool isOpenEquation = facts[i].relation == FactRelation::eq && !facts[i].stated;
    return !facts[i].stretch && (!isOpenEquation || (shown[i].quotients > 0 && !shown[i].isDivisibility));
  };
  std::size_t tried = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) tried += mayFollow(i);
  if (tried * facts.size() > mostComparisons) return implied;
  for (std::size_t i = facts.size(); i-- > 0;)
    if (mayFollow(i)) implied[i] = shown[i].implied = follows(solver, shown[i].fact, othersThan(solver, shown, i));
  return implied;
}

std::vector<DimFact> withoutImplied(Solver& solver, std::vector<DimFact> facts) {
  const std::vector<bool> implied = impliedByOthers(solver, facts);
  std::size_t at = 0;
  std::erase_if(facts, [&](const DimFact&) { return implied[at++]; });
  return facts;
}

}  // namespace axle
