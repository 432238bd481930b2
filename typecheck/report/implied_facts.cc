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

std::size_t quotientsIn(Solver& solver, const DimComparison& fact) {
  std::set<std::uint32_t> atoms;
  decide::collectAtoms(solver.solution.dims, normaliseFact(solver, fact).second, atoms);
  return atoms.size();
}

bool follows(Solver& solver, const DimFact& fact, const std::vector<DimFact>& given) {
  const AssumptionsInScope scope(solver, given);
  const FactVerdict quick = decideByNormalForm(solver, fact.left, fact.relation, fact.right);
  if (quick != FactVerdict::open || given.empty() || given.size() > mostForElimination)
    return quick == FactVerdict::proved;
  constexpr decide::Limits withoutZ3{.steps = 20'000, .samples = 0, .z3Resources = 0, .terms = 20'000};
  auto isSize = [&](DimVar v) { return solver.solution.dimVars[v.index].isSize; };
  decide::Question question{solver.solution.dims, {}, static_cast<const DimComparison&>(fact), isSize, {}, {}};
  question.assumptions.assign(given.begin(), given.end());
  return decide::Decider(withoutZ3).decide(question).verdict == decide::Verdict::proved;
}

}  // namespace

std::vector<DimFact> withoutImplied(Solver& solver, std::vector<DimFact> facts) {
  auto isStated = [](const DimFact& fact) { return fact.stated && !fact.stretch; };
  const auto stated = static_cast<std::size_t>(std::ranges::count_if(facts, isStated));
  if (stated * facts.size() > mostComparisons) return facts;
  std::vector<std::size_t> quotients;
  for (DimFact& fact : facts) quotients.push_back(quotientsIn(solver, fact));
  std::vector<bool> dropped(facts.size(), false);
  for (std::size_t i = facts.size(); i-- > 0;) {
    if (!isStated(facts[i])) continue;
    std::vector<DimFact> given;
    for (std::size_t j = 0; j < facts.size(); ++j) {
      if (j == i || dropped[j] || facts[j].relation == FactRelation::eq || quotients[j] > quotients[i]) continue;
      given.push_back(facts[j]);
      given.back().left = solver.solution.resolve(facts[j].left);
      given.back().right = solver.solution.resolve(facts[j].right);
    }
    DimFact fact = facts[i];
    fact.left = solver.solution.resolve(fact.left);
    fact.right = solver.solution.resolve(fact.right);
    dropped[i] = follows(solver, fact, given);
  }
  std::size_t at = 0;
  std::erase_if(facts, [&](const DimFact&) { return dropped[at++]; });
  return facts;
}

}  // namespace axle
