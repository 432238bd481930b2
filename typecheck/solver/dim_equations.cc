// Equations between dimensions: solved for a variable where one has coefficient +-1, refuted where they cannot hold, else
// suspended. Every step states what makes it sound.
#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// A variable with coefficient +-1 that occurs nowhere else in `difference` = 0, and what it is then.
// Prefers variables nobody named, solutions that are >= 0 as they stand, and inner scopes over outer ones.
std::optional<DimVar> findSolvable(Solver& solver, Dim difference, Dim& solution) {
  DimStore& dims = solver.solution.dims;
  auto span = dims.terms(difference);
  std::vector<Term> terms(span.begin(), span.end());
  std::optional<DimVar> best;
  using Score = std::tuple<bool, bool, std::uint32_t, std::uint32_t>;  // unnamed, not negative, solver.level, age
  Score bestScore;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (term.factors.size() != 1 || term.factors[0].isAtom || term.factors[0].power != 1) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    DimVar v{term.factors[0].index};
    if (solver.solution.dimVars[v.index].rigid) continue;
    Dim self = dims.mul(dims.constant(term.coefficient), dims.variable(v));
    Dim rest = dims.sub(difference, self);
    auto inRest = dims.variables(rest);
    if (std::binary_search(inRest.begin(), inRest.end(), v)) continue;
    Dim value = term.coefficient == 1 ? dims.mul(dims.constant(-1), rest) : rest;
    if (!mayBind(solver, v, value)) continue;
    const DimVarInfo& info = solver.solution.dimVars[v.index];
    Score score{!info.named, isNonNegative(solver, value), info.level, v.index};
    if (!best || score > bestScore) {
      best = v;
      bestScore = score;
      solution = value;
    }
  }
  return best;
}

// `difference` = 0 without the sizes that all its terms share: h*x = h*y as x = y. Where h is 0 any x would do, and
// this one does as well.
Dim withoutSharedFactors(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  auto terms = dims.terms(difference);
  if (terms.size() < 2) return difference;
  std::vector<Factor> shared = terms[0].factors;
  for (const Term& term : terms)
    std::erase_if(shared, [&](Factor& f) {
      auto same = std::find_if(term.factors.begin(), term.factors.end(),
                               [&](const Factor& g) { return g.isAtom == f.isAtom && g.index == f.index; });
      if (same != term.factors.end()) f.power = std::min(f.power, same->power);
      return same == term.factors.end() || f.isAtom || !solver.solution.dimVars[f.index].isSize;
    });
  Dim divisor = dims.constant(1);
  for (const Factor& f : shared)
    for (std::uint32_t i = 0; i < f.power; ++i) divisor = dims.mul(divisor, dims.variable(DimVar{f.index}));
  return dims.div(difference, divisor);
}

// Why 2*h is never 9.
void noteNoMultiple(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  auto [common, constant] = contentOf(solver, difference);
  if (common < 2 || constant % common == 0) return;
  Dim rest = dims.sub(difference, dims.constant(constant));
  auto terms = dims.terms(rest);
  if (terms[0].coefficient < 0) {
    rest = dims.mul(dims.constant(-1), rest);
    constant = -constant;
  }
  solver.conflicts.back().notes.push_back(
      fmt::format("{} would have to be {}, which is no multiple of {}", show(solver, rest), -constant, common));
}

// Where the value comes from that an equation gives to `v`: the side without it, best where it was written.
OriginId originOfSolution(Solver& solver, DimVar v, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  OriginId origin;
  for (const ShapePart* side : {&a, &b})
    for (OriginId o : originsOf(solver, *side)) {
      auto vars = solver.solution.dims.variables(solver.solution.resolve(side->dim));
      const bool mentions = std::binary_search(vars.begin(), vars.end(), v);
      const bool isBetter = solver.provenance[o].written && !solver.provenance[origin].written;
      if (!mentions && (!origin.index || isBetter)) origin = o;
    }
  if (!origin.index) {
    Origin here;
    here.span = solver.provenance[reason].span;
    origin = solver.provenance.add(here);
  }
  return origin;
}

}  // namespace

void bindDim(Solver& solver, DimVar v, Dim to, ReasonId reason, OriginId origin) {
  Solution& solution = solver.solution;
  OpenVariables variables;
  collectVariables(solver, to, variables);
  lowerLevels(solver, variables, solution.dimVars[v.index].level);
  DimVarInfo& bound = solution.dimVars.edit(v.index);
  bound.binding = to;
  bound.boundBy = origin;
  bound.boundWhy = reason;
  const DimVarInfo info = bound;
  for (DimVar other : variables.dims) {
    const DimVarInfo& o = solution.dimVars[other.index];
    if (info.kind == DimKind::streamed && o.kind == DimKind::plain && !o.rigid) {
      DimVarInfo& changed = solution.dimVars.edit(other.index);
      changed.kind = DimKind::streamed;
      changed.origin = info.origin;
    }
    if (info.regular && o.kind == DimKind::plain) solution.dimVars.edit(other.index).regular = true;
  }
  if (info.whole.index) requireWhole(solver, to, info.whole);
  if (info.unragged.index) requireUnragged(solver, to, info.unragged);
  if (info.kind == DimKind::streamed)
    for (DimVar other : variables.dims)
      if (ReasonId whole = solution.dimVars[other.index].whole; whole.index)
        requireWhole(solver, solution.dims.variable(other), whole);
  wake(solver, solver.dimWatch, v.index);
}

bool unifyDim(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Progress progress = tryDimEqual(solver, a, b, reason);
  solver.settledByNormalForm += progress != Progress::waiting;
  if (progress == Progress::waiting) addConstraint(solver, reason, constraint::DimEqual{a, b});
  return progress != Progress::failed;
}

Progress tryDimEqual(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  Dim left = solver.solution.resolve(a.dim), right = solver.solution.resolve(b.dim);
  if (auto told = equateByKinds(solver, a, b, reason)) return *told;
  auto conflict = [&](ConflictKind kind) { return failSizes(solver, kind, a, b, reason); };
  Dim difference = dims.sub(left, right);
  if (dims.isUndefined(difference)) return conflict(ConflictKind::overflow);
  if (decideGivenDivisors(solver, left, FactRelation::eq, right) == FactVerdict::refuted) {
    conflict(ConflictKind::dim);
    noteNoMultiple(solver, difference);
    return Progress::failed;
  }

  // Divide by the common factor, so that 2*h = 10 gives h = 5; `decide` has refuted what is not divisible.
  std::int64_t common = 0;
  for (const Term& term : dims.terms(difference)) common = std::gcd(common, term.coefficient);
  if (common > 1) difference = dims.div(difference, dims.constant(common));

  difference = withoutSharedFactors(solver, difference);
  Dim solution;
  if (auto v = findSolvable(solver, difference, solution)) {
    bool isSize = solver.solution.dimVars[v->index].isSize;
    // n = 2*n and the like: 0 would do, but nobody means it.
    bool vanishes = solution == dims.constant(0) && !dims.asConstant(left) && !dims.asConstant(right);
    if (isSize && vanishes) return conflict(ConflictKind::dim);
    if (isSize && decideByNormalForm(solver, solution, FactRelation::ge, dims.constant(0)) == FactVerdict::refuted)
      return conflict(ConflictKind::dim);
    const OriginId origin = originOfSolution(solver, *v, a, b, reason);
    bindDim(solver, *v, solution, reason, origin);
    for (const ShapePart* side : {&a, &b})
      if (auto vars = dims.variables(side->dim); !std::binary_search(vars.begin(), vars.end(), *v))
        solver.solution.dimVars.edit(v->index).boundVia = side->origin;
    if (isSize && (!isNonNegative(solver, solution) || !openDivisors(solver, solution, solution).empty()))
      addFact(solver, solution, FactRelation::ge, dims.constant(0), reason);
    return Progress::done;
  }
  if (withExactQuotients(solver.solution, difference, solver.assumptions) == dims.constant(0)) return Progress::done;
  if (solveByQuotient(solver, difference, a, b, reason)) return Progress::done;
  // Nothing more is ever known of a stream: what is not equal by now never is.
  auto open = dims.variables(difference);
  auto isStream = [&](DimVar v) { return solver.solution.dimVars[v.index].kind == DimKind::streamed; };
  if (std::all_of(open.begin(), open.end(), isStream))
    return conflict(ConflictKind::stream);
  return Progress::waiting;
}

Progress constraint::DimEqual::run(Solver& solver, ReasonId reason) { return tryDimEqual(solver, left, right, reason); }

}  // namespace axle
