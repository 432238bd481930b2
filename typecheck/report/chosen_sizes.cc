#include "typecheck/report/chosen_sizes.h"

#include <algorithm>
#include <optional>

#include "typecheck/solver/dim_facts.h"

namespace axle {
namespace {

std::vector<DimVar> variablesOf(const Solver& solver, Dim dim) {
  const auto inside = solver.solution.dims.variables(dim);
  return {inside.begin(), inside.end()};
}

Dim with(Solver& solver, Dim dim, const Chosen& chosen) {
  return solver.solution.dims.substitute(dim, [&](DimVar v) -> std::optional<Dim> {
    const auto found = std::ranges::find(chosen, v, [](const auto& each) { return each.first; });
    return found == chosen.end() ? std::nullopt : std::optional(found->second);
  });
}

// What makes of `dim` the wanted size in the place of a variable of it.
std::optional<Dim> solved(Solver& solver, Dim dim, DimVar v, Dim wanted) {
  DimStore& dims = solver.solution.dims;
  const Dim variable = dims.variable(v), missing = dims.sub(wanted, dim);
  if (dim == variable) return wanted;
  for (const Dim value : {dims.add(variable, missing), dims.sub(variable, missing)})
    if (isNonNegative(solver, value) && with(solver, dim, {{v, value}}) == wanted) return value;
  return std::nullopt;
}

// The value of a variable with which `difference` >= 0 is likeliest: 0, or as much as the other terms may take away.
std::optional<Dim> mostHelpful(DimStore& dims, Dim difference, DimVar v) {
  std::optional<std::int64_t> coefficient;
  std::vector<Term> others;
  for (const Term& term : termsOf(dims, difference)) {
    const bool isVariable = term.factors.size() == 1 && dims.base(term.factors[0]) == dims.variable(v);
    if (isVariable && term.factors[0].power == 1)
      coefficient = term.coefficient;
    else if (term.coefficient < 0)
      others.push_back({-term.coefficient, term.factors});
  }
  if (!coefficient) return std::nullopt;
  return *coefficient < 0 ? dims.constant(0) : dims.fromTerms(std::move(others));
}

}  // namespace

std::vector<DimVar> variablesOnlyIn(const Solver& solver, Dim dim, Dim other) {
  std::vector<DimVar> out = variablesOf(solver, dim);
  const auto others = solver.solution.dims.variables(other);
  std::erase_if(out, [&](DimVar v) { return std::ranges::binary_search(others, v); });
  return out;
}

std::vector<Chosen> choicesForEqual(Solver& solver, Dim dim, Dim wanted) {
  std::vector<Chosen> ways;
  for (DimVar v : variablesOf(solver, dim))
    if (const auto value = solved(solver, dim, v, wanted)) ways.push_back({{v, *value}});
  // Those of the variables that only one of the sizes has: `max(n, k)` as `max(n, m)`.
  const std::vector<DimVar> own = variablesOnlyIn(solver, dim, wanted);
  std::vector<DimVar> others = variablesOnlyIn(solver, wanted, dim);
  constexpr std::size_t most = 3;
  if (own.empty() || own.size() != others.size() || own.size() > most) return ways;
  do {
    Chosen chosen;
    for (std::size_t i = 0; i < own.size(); ++i) chosen.emplace_back(own[i], solver.solution.dims.variable(others[i]));
    if (with(solver, dim, chosen) == wanted) ways.push_back(std::move(chosen));
  } while (std::next_permutation(others.begin(), others.end()));
  return ways;
}

std::vector<Chosen> choicesForFact(Solver& solver, const DimComparison& fact) {
  DimStore& dims = solver.solution.dims;
  std::vector<Chosen> ways;
  const auto [relation, difference] = normaliseFact(solver, fact);
  if (dims.isUndefined(difference)) return ways;
  if (relation == FactRelation::eq) {
    for (const auto& [side, other] : {std::pair(fact.left, fact.right), std::pair(fact.right, fact.left)})
      for (Chosen& chosen : choicesForEqual(solver, side, other))
        if (std::ranges::all_of(chosen, [&](const auto& each) { return isNonNegative(solver, each.second); }))
          ways.push_back(std::move(chosen));
  } else if (relation == FactRelation::ge) {
    for (DimVar v : variablesOf(solver, difference)) {
      const auto value = mostHelpful(dims, difference, v);
      if (value && isNonNegative(solver, *value) && isNonNegative(solver, with(solver, difference, {{v, *value}})))
        ways.push_back({{v, *value}});
    }
  }
  return ways;
}

}  // namespace axle
