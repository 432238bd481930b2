#include "typecheck/report/told_facts.h"

#include <algorithm>
#include <iterator>

#include "typecheck/solver/dim_facts.h"

namespace axle {
namespace {

struct Said {
  Dim difference;
  bool isInequality = false;  // the difference is >= 0
  std::set<std::uint32_t> sizes;
  bool isDropped = false;
};

// Whether a fact holds as soon as a size is large enough.
bool isLowerBound(DimStore& dims, const Said& fact, std::uint32_t size) {
  if (!fact.isInequality) return false;
  for (const Term& term : termsOf(dims, fact.difference)) {
    const bool isSize = term.factors.size() == 1 && dims.base(term.factors[0]) == dims.variable({size});
    if (!isSize || term.coefficient <= 0 || term.factors[0].power != 1) continue;
    const auto others = dims.variables(dims.sub(fact.difference, dims.fromTerms({term})));
    return std::ranges::find(others, DimVar{size}) == others.end();
  }
  return false;
}

// Drops the facts about sizes that are not shown and that all of theirs bound from below. True if there are any.
bool dropLowerBounds(DimStore& dims, std::vector<Said>& facts, const std::set<std::uint32_t>& shown) {
  std::set<std::uint32_t> open;
  for (const Said& fact : facts)
    if (!fact.isDropped) std::ranges::set_difference(fact.sizes, shown, std::inserter(open, open.end()));
  bool any = false;
  for (std::uint32_t size : open) {
    auto concerns = [&](const Said& fact) { return !fact.isDropped && fact.sizes.contains(size); };
    if (std::ranges::any_of(facts, [&](const Said& f) { return concerns(f) && !isLowerBound(dims, f, size); }))
      continue;
    for (Said& fact : facts) {
      if (!concerns(fact)) continue;
      fact.isDropped = any = true;
    }
  }
  return any;
}

// Drops the facts that no chain of facts connects with a size that is shown.
void dropApart(std::vector<Said>& facts, std::set<std::uint32_t> reached) {
  std::vector<bool> isReached(facts.size(), false);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      auto isKnown = [&](std::uint32_t size) { return reached.contains(size); };
      if (facts[i].isDropped || isReached[i] || std::ranges::none_of(facts[i].sizes, isKnown)) continue;
      isReached[i] = moved = true;
      reached.insert(facts[i].sizes.begin(), facts[i].sizes.end());
    }
  }
  for (std::size_t i = 0; i < facts.size(); ++i) facts[i].isDropped |= !isReached[i] && !facts[i].sizes.empty();
}

}  // namespace

std::vector<bool> sayAbout(Solver& solver, const std::vector<DimFact>& facts, const std::set<std::uint32_t>& shown) {
  DimStore& dims = solver.solution.dims;
  std::vector<Said> said;
  for (const DimFact& fact : facts) {
    const auto [relation, difference] = normaliseFact(solver, fact);
    Said& each = said.emplace_back(Said{difference, relation == FactRelation::ge && !fact.stretch, {}});
    for (DimVar v : dims.variables(difference)) each.sizes.insert(v.index);
  }
  while (dropLowerBounds(dims, said, shown)) {
  }
  dropApart(said, shown);
  std::vector<bool> out;
  for (const Said& each : said) out.push_back(!each.isDropped);
  return out;
}

}  // namespace axle
