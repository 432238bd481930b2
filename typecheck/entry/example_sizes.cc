#include "typecheck/entry/example_sizes.h"

#include <algorithm>

#include "dims/decide/decider.h"
#include "typecheck/solver/constraints.h"

namespace axle {

ExampleSizes::ExampleSizes(EntryState& state) : checked_(state.checked) {
  Solution& solution = checked_.solution;
  auto add = [&](const DimComparison& fact) {
    const DimComparison known{solution.resolve(fact.left), fact.relation, solution.resolve(fact.right)};
    if (!solution.dims.isUndefined(known.left) && !solution.dims.isUndefined(known.right)) facts_.push_back(known);
  };
  for (const DimFact& fact : state.stated) add(fact);
  for (const Constraint& constraint : pendingConstraints(checked_.solver))
    if (const auto fact = comparisonOf(constraint)) add(*fact);
}

void ExampleSizes::choose(DimVar size, std::int64_t preferred) {
  if (std::ranges::find(chosen_, size, [](const auto& each) { return each.first; }) != chosen_.end()) return;
  DimStore& dims = checked_.solution.dims;
  constexpr decide::Limits limits{.steps = 20'000, .samples = 20'000, .z3Resources = 0, .terms = 200'000};
  auto isSize = [&](DimVar v) { return checked_.solution.dimVars[v.index].isSize; };
  std::int64_t number = preferred;
  std::vector<DimComparison> facts = facts_;
  facts.push_back({dims.variable(size), FactRelation::ge, dims.constant(1)});
  using enum FactRelation;
  const std::pair<FactRelation, std::int64_t> claims[] = {{eq, preferred}, {le, 16}, {le, 64}, {le, 1024}, {ge, 1}};
  for (const auto& [relation, than] : claims) {
    const DimComparison claim{dims.variable(size), relation, dims.constant(than)};
    const decide::Answer answer = decide::Decider(limits).decide({dims, facts, claim, isSize, {}, {}});
    if (!answer.holdsFor) continue;
    for (const auto& [v, value] : *answer.holdsFor)
      if (v == size) number = value;
    break;
  }
  facts_.push_back({dims.variable(size), FactRelation::eq, dims.constant(number)});
  chosen_.emplace_back(size, number);
}

std::optional<std::int64_t> ExampleSizes::leastOf(Dim size) const {
  DimStore& dims = checked_.solution.dims;
  std::optional<std::int64_t> least;
  if (!dims.asVariable(size)) return least;
  for (const DimComparison& fact : facts_) {
    if (fact.relation != FactRelation::ge && fact.relation != FactRelation::le) continue;
    const bool isBelow = fact.relation == FactRelation::le;
    const Dim difference = isBelow ? dims.sub(fact.right, fact.left) : dims.sub(fact.left, fact.right);
    const auto bound = dims.asConstant(dims.sub(size, difference));
    if (bound && *bound > least.value_or(1)) least = bound;
  }
  return least;
}

std::int64_t ExampleSizes::of(Dim size, std::int64_t preferred) {
  DimStore& dims = checked_.solution.dims;
  const auto inside = dims.variables(size);
  for (DimVar v : std::vector<DimVar>(inside.begin(), inside.end())) choose(v, preferred);
  const Dim number = dims.substitute(size, [&](DimVar v) -> std::optional<Dim> {
    const auto found = std::ranges::find(chosen_, v, [](const auto& each) { return each.first; });
    return found == chosen_.end() ? std::nullopt : std::optional(dims.constant(found->second));
  });
  return dims.asConstant(number).value_or(preferred);
}

}  // namespace axle
