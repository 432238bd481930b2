// Generalisation, HM(X): schemes contain the constraints on their quantified variables.
#include <algorithm>
#include <set>
#include <utility>

#include "dims/decide/simplify.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/variables.h"

namespace axle {

VariableMark markVariables(const Checked& checked) {
  const Solution& s = checked.solution;
  return {s.typeVars.size(), s.elemVars.size(), s.shapeVars.size(), s.dimVars.size(), s.staticVars.size()};
}

bool mentionsQuantifiable(Checked& c, const Constraint& constraint) {
  OpenVariables v;
  collectVariables(c.solver, constraint, v);
  const Solution& s = c.solution;
  std::uint32_t level = c.solver.level;
  auto any = [&](const auto& vars, const auto& infos) {
    return std::any_of(vars.begin(), vars.end(), [&](auto x) { return isQuantifiable(infos[x.index], level); });
  };
  return any(v.types, s.typeVars) || any(v.shapes, s.shapeVars) || any(v.dims, s.dimVars) ||
         any(v.statics, s.staticVars);
}

namespace {

// Whether an equation can never be solved for a variable, because all of them are inside quotients and maxima: then it
// is treated as a fact.
bool isOnlyFact(Checked& c, const constraint::DimEqual& equation) {
  DimStore& dims = c.solution.dims;
  Dim difference = dims.sub(c.solution.resolve(equation.left.dim), c.solution.resolve(equation.right.dim));
  if (dims.isUndefined(difference)) return false;
  auto terms = dims.terms(difference);
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    return std::all_of(term.factors.begin(), term.factors.end(), [](const Factor& f) { return f.isAtom; });
  });
}

// Drops each fact that follows from stated facts and from other facts with no more atoms: of `n % k == 0`, `k >= 1` and
// `n / k >= 0`, drops the last.
void dropImplied(Checked& c, std::vector<Constraint>& facts) {
  constexpr std::size_t mostForAllTiers = 12;  // more facts are decided by their normal forms alone
  const bool usesAllTiers = facts.size() <= mostForAllTiers;
  const std::vector<DimFact> stated = c.solver.assumptions;
  std::vector<std::size_t> atoms, order;
  for (const Constraint& fact : facts) {
    std::set<std::uint32_t> of;
    auto [relation, difference] = normaliseFact(c.solver, *comparisonOf(fact));
    decide::collectAtoms(c.solution.dims, difference, of);
    order.push_back(atoms.size());
    atoms.push_back(of.size());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return atoms[a] > atoms[b]; });
  std::vector<bool> dropped(facts.size(), false);
  for (std::size_t i : order) {
    std::vector<DimFact> given = stated;
    for (std::size_t j = 0; j < facts.size(); ++j)
      if (j != i && !dropped[j] && atoms[j] <= atoms[i])
        static_cast<DimComparison&>(given.emplace_back()) = *comparisonOf(facts[j]);
    const AssumptionsInScope scope(c.solver, std::move(given));
    const DimComparison fact = *comparisonOf(facts[i]);
    const FactVerdict verdict =
        usesAllTiers ? decideFact(c.solver, fact) : decideByNormalForm(c.solver, fact.left, fact.relation, fact.right);
    dropped[i] = verdict == FactVerdict::proved;
  }
  std::size_t at = 0;
  std::erase_if(facts, [&](const Constraint&) { return dropped[at++]; });
}

// Drops the equations of sizes among `constraints` that follow from stated facts and from `facts`: `max(n, 1) == n`
// follows from `n >= 1`.
void dropImpliedEquations(Checked& c, const std::vector<Constraint>& facts, std::vector<Constraint>& constraints) {
  constexpr std::size_t most = 12;  // maximum number of facts, and of equations
  const auto isEquation = [](const Constraint& constraint) { return constraint.as<constraint::DimEqual>() != nullptr; };
  if (facts.size() > most || std::ranges::count_if(constraints, isEquation) > static_cast<std::ptrdiff_t>(most)) return;
  std::vector<DimFact> given = c.solver.assumptions;
  for (const Constraint& fact : facts) static_cast<DimComparison&>(given.emplace_back()) = *comparisonOf(fact);
  if (given.empty()) return;
  const AssumptionsInScope scope(c.solver, std::move(given));
  std::erase_if(constraints, [&](const Constraint& constraint) {
    return isEquation(constraint) && decideFact(c.solver, *comparisonOf(constraint)) == FactVerdict::proved;
  });
}

// Whether a constraint is checked by a `match` during the run. The `match` may be in a branch that is not taken, so the
// constraint implies nothing elsewhere.
bool holdsInMatch(Checked& c, const Constraint& constraint) {
  if (c.provenance[constraint.reason].kind != ReasonKind::match) return false;
  OpenVariables v;
  collectVariables(c.solver, constraint, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.rigid && !info.universal;
  });
}

// Drops facts that equal another one or follow from the others.
std::vector<Constraint> withoutRepeats(Checked& c, std::vector<Constraint> constraints) {
  struct Known {
    FactRelation relation;
    Dim difference;
    bool operator<(const Known& other) const {
      return relation != other.relation ? relation < other.relation : difference < other.difference;
    }
  };
  std::set<Known> seen;
  std::vector<Constraint> facts, out;
  // If an equation and an equal fact exist, keeps the equation: it is solved when a use determines a variable.
  std::erase_if(constraints, [&](const Constraint& constraint) {
    const auto* equation = constraint.as<constraint::DimEqual>();
    if (!equation) return false;
    Dim left = equation->left.dim, right = equation->right.dim;
    auto [relation, difference] = normaliseFact(c.solver, {left, FactRelation::eq, right});
    auto [same, opposite] = normaliseFact(c.solver, {right, FactRelation::eq, left});
    bool isNew = seen.insert({relation, difference}).second;
    return !seen.insert({same, opposite}).second && !isNew;
  });
  for (Constraint& constraint : constraints) {
    const auto* fact = constraint.as<constraint::Fact>();
    const auto* equation = constraint.as<constraint::DimEqual>();
    bool isOpen = !fact && !(equation && isOnlyFact(c, *equation));
    if (isOpen || holdsInMatch(c, constraint)) {
      out.push_back(std::move(constraint));
      continue;
    }
    if (!fact) {
      facts.push_back(std::move(constraint));
      continue;
    }
    auto [relation, difference] = normaliseFact(c.solver, *fact);
    if (seen.insert({relation, difference}).second) facts.push_back(std::move(constraint));
  }
  dropImplied(c, facts);
  dropImpliedEquations(c, facts, out);
  for (Constraint& fact : facts) out.push_back(std::move(fact));
  return out;
}

// Writes broadcasts of sizes as broadcasts of shapes, `[n] # [3] == [3]`, which types can print. Those of sizes
// declared `n : 1 or m` stay as they are: the declarations imply them.
void asShapes(const Solution& solution, std::vector<Constraint>& constraints) {
  const auto stretches = [&](const ShapePart& size) {
    const auto v = solution.dims.asVariable(size.dim);
    return v && solution.dimVars[v->index].stretchesTo;
  };
  for (Constraint& constraint : constraints)
    if (const auto* sizes = constraint.as<constraint::BroadcastDim>(); sizes && !stretches(sizes->result))
      constraint.is = constraint::Broadcast{{sizes->result}, {sizes->left}, {sizes->right}};
}

}  // namespace

Scheme generalise(Checked& c, const VariableMark& since, std::vector<DimFact> stated) {
  Scheme scheme;
  scheme.constraints = withoutRepeats(
      c, takeConstraints(c.solver, [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); }));
  asShapes(c.solution, scheme.constraints);
  std::set<Dim> told;
  std::erase_if(c.solver.delays, [&](const Constraint& delay) {
    if (!mentionsQuantifiable(c, delay)) return false;
    if (told.insert(normaliseFact(c.solver, *comparisonOf(delay)).second).second) scheme.delays.push_back(delay);
    return true;
  });
  scheme.stated = std::move(stated);
  auto quantify = [&](auto& infos, std::size_t from, auto& into) {
    for (std::size_t i = from; i < infos.size(); ++i)
      if (isQuantifiable(infos[i], c.solver.level)) {
        infos.edit(i).level = genericLevel;
        into.push_back({static_cast<std::uint32_t>(i)});
      }
  };
  quantify(c.solution.typeVars, since.types, scheme.types);
  quantify(c.solution.elemVars, since.elems, scheme.elems);
  quantify(c.solution.shapeVars, since.shapes, scheme.shapes);
  quantify(c.solution.dimVars, since.dims, scheme.dims);
  quantify(c.solution.staticVars, since.statics, scheme.statics);
  return scheme;
}

}  // namespace axle
