#include "import/builder/open_facts.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/variables.h"

#include <algorithm>
#include <map>

namespace axle {
namespace {

constexpr std::size_t mostCompared = 16;  // facts about one size that are compared with each other

// Solves a fact about one size for that size: `h - 1 >= 2` becomes `h >= 3`.
void isolateSize(GraphTyper& typer, DimFact& fact) {
  DimStore& dims = typer.solution().dims;
  auto [relation, difference] = normaliseFact(typer.checked().solver, fact);
  if (relation != FactRelation::ge) return;
  Dim size = difference, constant = dims.constant(0);
  for (const Term& term : std::vector<Term>(dims.terms(difference).begin(), dims.terms(difference).end()))
    if (term.factors.empty()) {
      constant = dims.constant(term.coefficient);
      size = dims.sub(difference, constant);
    }
  if (dims.terms(size).size() != 1) return;
  const bool isLower = dims.terms(size)[0].coefficient > 0;
  const Dim minus = dims.constant(-1);
  fact.left = isLower ? size : dims.mul(minus, size);
  fact.relation = isLower ? FactRelation::ge : FactRelation::le;
  fact.right = isLower ? dims.mul(minus, constant) : constant;
}

// Returns the only variable of a fact. None if it has several.
std::optional<DimVar> onlyVariable(Solver& solver, const DimFact& fact) {
  OpenVariables v;
  collectVariables(solver, fact.left, v);
  collectVariables(solver, fact.right, v);
  std::sort(v.dims.begin(), v.dims.end());
  v.dims.erase(std::unique(v.dims.begin(), v.dims.end()), v.dims.end());
  return v.dims.size() == 1 ? std::optional(v.dims[0]) : std::nullopt;
}

void markImplied(Solver& solver, std::vector<OpenFact>& facts, const std::vector<std::size_t>& group) {
  for (std::size_t i : group) {
    std::vector<DimFact> others;
    for (std::size_t j : group)
      if (j != i && !facts[j].isImplied) others.push_back(facts[j].fact);
    if (!others.empty() && others.size() <= mostCompared)
      facts[i].isImplied = factFollows(solver, facts[i].fact, others);
  }
}

}  // namespace

void Guard::addSource(Span place, std::string label) {
  auto same = [&](const Label& known) { return std::get<Span>(known.place) == place; };
  if (std::none_of(sources.begin(), sources.end(), same)) sources.push_back({place, std::move(label)});
}

std::vector<OpenFact> openFacts(GraphTyper& typer, const std::vector<Constraint>& pending) {
  std::vector<OpenFact> facts;
  std::map<DimVar, std::vector<std::size_t>> bySize;
  Solution& solution = typer.solution();
  Solver& solver = typer.checked().solver;
  for (const Constraint& c : pending) {
    if (!comparisonOf(c)) continue;
    DimFact fact = factOf(typer.checked(), c);
    fact.left = solution.resolve(fact.left);
    fact.right = solution.resolve(fact.right);
    isolateSize(typer, fact);
    if (auto size = onlyVariable(solver, fact)) bySize[*size].push_back(facts.size());
    facts.push_back({&c, std::move(fact), false});
  }
  for (const auto& [_, group] : bySize) markImplied(solver, facts, group);
  return facts;
}

}  // namespace axle
