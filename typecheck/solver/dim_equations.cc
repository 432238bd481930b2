// Equations between dimensions: solved for a variable with coefficient +-1, refuted if they cannot hold, otherwise
// suspended. Every step states what makes it sound.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "dims/decide/evaluate.h"
#include "dims/decide/simplify.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// An equation solved for one of its variables.
struct SolvedEquation {
  DimVar variable;
  Dim value;
  std::optional<Dim> cancelled = std::nullopt;  // the sizes by which the equation was divided, which may be 0
};

// Solves (sum of all terms) = 0 for the variable of term `solved`, whose coefficient is +-1.
Dim solveForTerm(DimStore& dims, const std::vector<Term>& terms, std::size_t solved) {
  std::vector<Term> value;
  value.reserve(terms.size() - 1);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (i != solved)
      value.push_back(
          {terms[solved].coefficient == 1 ? -terms[i].coefficient : terms[i].coefficient, terms[i].factors});
  return dims.fromTerms(std::move(value));
}

// Solves `difference` = 0 for a variable with coefficient +-1 that occurs nowhere else in it. Prefers variables without
// a user's name, sizes over static parameters, solutions that are certainly >= 0, variables that are one of the sides
// of the equation (m of m = h - r + 1), and inner scopes over outer ones.
std::optional<SolvedEquation> solveForVariable(Solver& solver, Dim difference, std::initializer_list<Dim> sides) {
  DimStore& dims = solver.solution.dims;
  const std::vector<Term> terms = termsOf(dims, difference);
  std::optional<SolvedEquation> best;
  // not promised, unnamed, a size, not negative, a side, level, age
  using Score = std::tuple<bool, bool, bool, bool, bool, std::uint32_t, std::uint32_t>;
  Score bestScore;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (term.factors.size() != 1 || term.factors[0].isAtom || term.factors[0].power != 1) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    const DimVar v{term.factors[0].index};
    if (solver.solution.dimVars[v.index].rigid) continue;
    const Dim value = solveForTerm(dims, terms, i);
    const auto inValue = dims.variables(value);
    if (std::binary_search(inValue.begin(), inValue.end(), v) || !mayBind(solver, v, value)) continue;
    const DimVarInfo& info = solver.solution.dimVars[v.index];
    const bool isSide = std::ranges::find(sides, dims.variable(v)) != sides.end();
    const Score score{!info.promised, !info.named, info.isSize, isNonNegative(solver, value),
                      isSide,         info.level,  v.index};
    if (!best || score > bestScore) {
      best = {v, value};
      bestScore = score;
    }
  }
  return best;
}

// Returns the product of the sizes that all terms of `difference` share; 1 if there are none.
Dim sharedSizes(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  auto terms = dims.terms(difference);
  if (terms.size() < 2) return dims.constant(1);
  std::vector<Factor> shared = terms[0].factors;
  for (const Term& term : terms)
    std::erase_if(shared, [&](Factor& f) {
      auto same = std::find_if(term.factors.begin(), term.factors.end(),
                               [&](const Factor& g) { return g.isAtom == f.isAtom && g.index == f.index; });
      if (same != term.factors.end()) f.power = std::min(f.power, same->power);
      return same == term.factors.end() || f.isAtom || !solver.solution.dimVars[f.index].isSize;
    });
  return dims.fromTerms({{1, std::move(shared)}});
}

// Whether one side of `difference` = 0 is just the shared sizes: m = n*m says that n is 1 or that m is 0. Static
// parameters beside them may be 1: m*k = n*m says no more for k = 1.
bool isOnlyShared(const Solver& solver, Dim difference, Dim shared) {
  const DimStore& dims = solver.solution.dims;
  const auto terms = dims.terms(difference);
  const std::vector<Factor>& factors = dims.terms(shared)[0].factors;
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) {
    if (t.coefficient != 1 && t.coefficient != -1) return false;
    std::vector<Factor> sizes = t.factors;
    std::erase_if(sizes, [&](const Factor& f) { return !f.isAtom && !solver.solution.dimVars[f.index].isSize; });
    return sizes == factors;
  });
}

// Divides `difference` = 0 by the common number of its terms, so that 2*h = 10 gives h = 5. An equation whose constant
// the number does not divide was refuted earlier.
Dim withoutCommonNumber(DimStore& dims, Dim difference) {
  std::int64_t common = 0;
  for (const Term& term : dims.terms(difference)) common = std::gcd(common, term.coefficient);
  return common > 1 ? dims.div(difference, dims.constant(common)) : difference;
}

// Divides `difference` = 0 by the sizes that all its terms share: h*x = h*y becomes x = y, although h may be 0
// (docs/shapes.md, Symbolic sizes). If the rest cannot hold, the shared size is 0, or the equation stays unchanged if
// several sizes are shared. It also stays unchanged if the rest would make a size 1. Sets `cancelled` to the shared
// sizes if they may be 0.
Dim withoutSharedSizes(Solver& solver, Dim difference, std::optional<Dim>& cancelled) {
  DimStore& dims = solver.solution.dims;
  const Dim shared = sharedSizes(solver, difference);
  if (shared == dims.constant(1)) return difference;
  const Dim rest = dims.div(difference, shared);
  if (decideNormalised(solver, FactRelation::eq, rest) == FactVerdict::refuted) {
    const auto only = dims.variables(shared);
    return only.size() == 1 ? dims.variable(only[0]) : difference;
  }
  const bool isPositive =
      decideNormalised(solver, FactRelation::ge, dims.sub(shared, dims.constant(1))) == FactVerdict::proved;
  if (!isPositive && isOnlyShared(solver, difference, shared)) return difference;
  if (!isPositive) cancelled = shared;
  return rest;
}

// Notes why 2*h is never 9.
void noteNoMultiple(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  auto [common, constant] = decide::contentOf(dims, difference);
  if (common < 2 || constant % common == 0) return;
  Dim rest = dims.sub(difference, dims.constant(constant));
  auto terms = dims.terms(rest);
  if (terms[0].coefficient < 0) {
    rest = dims.mul(dims.constant(-1), rest);
    constant = -constant;
  }
  solver.conflicts.back().notes.push_back(Phrase("{} would have to be {}, which is no multiple of {}",
                                                 arg::Size{show(solver, rest)}, arg::Number{-constant},
                                                 arg::Number{common}));
}

bool mentions(const Solver& solver, Dim d, DimVar v) {
  const auto all = solver.solution.dims.variables(d);
  return std::binary_search(all.begin(), all.end(), v);
}

// Returns the origin of the value that an equation gives to `v`: that of the side without `v`, preferably a written
// one.
OriginId originOfSolution(Solver& solver, DimVar v, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  OriginId origin;
  for (const ShapePart* side : {&a, &b}) {
    if (mentions(solver, solver.solution.resolve(side->dim), v)) continue;
    for (OriginId o : originsOf(solver, *side)) {
      const bool isBetter = solver.provenance[o].written && !solver.provenance[origin].written;
      if (!origin.index || isBetter) origin = o;
    }
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

namespace {

// Binds the variable for which a = b is solved, unless the value is one that nobody means; requires a size to be >= 0.
Progress bindSolution(Solver& solver, SolvedEquation solved, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const auto [v, value, cancelled] = solved;
  if (solution.dimVars[v.index].promised) return failSizes(solver, ConflictKind::dim, a, b, reason);
  const Dim zero = dims.constant(0);
  const bool isSize = solution.dimVars[v.index].isSize;
  // For n = 2*n and the like, 0 would be a solution, but nobody means it.
  const bool vanishes =
      value == zero && !dims.asConstant(solution.resolve(a.dim)) && !dims.asConstant(solution.resolve(b.dim));
  if (isSize && vanishes) return Progress::waiting;  // rejected later unless another constraint makes it 0
  if (isSize && decideByNormalForm(solver, value, FactRelation::ge, zero) == FactVerdict::refuted)
    return failSizes(solver, ConflictKind::dim, a, b, reason);
  const Dim left = solution.resolve(a.dim), right = solution.resolve(b.dim);
  const bool isComputed = dims.asConstant(value) && !dims.asVariable(left) && !dims.asVariable(right);
  bindDim(solver, v, value, reason, originOfSolution(solver, v, a, b, reason));
  if (isComputed) solution.dimVars.edit(v.index).solvedFrom = {left, right};
  if (cancelled) solution.dimVars.edit(v.index).cancelled = cancelled;
  for (const ShapePart* side : {&a, &b})
    if (!mentions(solver, side->dim, v)) solution.dimVars.edit(v.index).boundVia = side->origin;
  if (isSize && (!isNonNegative(solver, value) || !openDivisors(solver, value, value).empty()))
    addFact(solver, value, FactRelation::ge, zero, reason);
  return Progress::done;
}

// Whether all variables of a size are streams.
bool isOfStreams(const Solver& solver, Dim d) {
  const auto all = solver.solution.dims.variables(d);
  return std::all_of(all.begin(), all.end(),
                     [&](DimVar v) { return solver.solution.dimVars[v.index].kind == DimKind::streamed; });
}

// Whether a size of one stream is 0 for lengths without end, such as all even ones. A size made by quotients of numbers
// is linear in a long length, but for what repeats with a common multiple of these: zeros that repeat once repeat
// always.
bool isZeroForLongStreams(const DimStore& dims, Dim size) {
  constexpr std::int64_t mostLengths = 4096, longLength = std::int64_t{1} << 20;
  if (dims.variables(size).size() != 1) return false;
  std::set<Dim> divisors;
  decide::collectDivisors(dims, size, divisors);
  std::int64_t period = 1;
  for (Dim divisor : divisors) {
    const auto number = dims.asConstant(divisor);
    if (!number || *number < 1 || *number > mostLengths) return false;
    period = std::lcm(period, *number);
    if (period > mostLengths) return false;
  }
  std::vector<std::int64_t> lengths(dims.variableCount(), 0);
  auto isZeroFor = [&](std::int64_t length) {
    lengths[dims.variables(size)[0].index] = length;
    return decide::evaluate(dims, size, lengths) == decide::Wide{0};
  };
  for (std::int64_t length = longLength; length < longLength + period; ++length)
    if (isZeroFor(length) && isZeroFor(length + period)) return true;
  return false;
}

}  // namespace

Progress tryDimEqual(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  if (auto told = equateByKinds(solver, a, b, reason)) return *told;
  const Dim left = solver.solution.resolve(a.dim), right = solver.solution.resolve(b.dim);
  Dim difference = dims.sub(left, right);
  if (dims.isUndefined(difference)) return failSizes(solver, ConflictKind::overflow, a, b, reason);
  if (decideNormalised(solver, FactRelation::eq, difference) == FactVerdict::refuted) {
    failSizes(solver, ConflictKind::dim, a, b, reason);
    noteNoMultiple(solver, difference);
    return Progress::failed;
  }
  std::optional<Dim> cancelled;
  difference = withoutSharedSizes(solver, withoutCommonNumber(dims, difference), cancelled);
  if (auto solved = solveForVariable(solver, difference, {left, right})) {
    solved->cancelled = cancelled;
    return bindSolution(solver, *solved, a, b, reason);
  }
  if (withExactQuotients(solver.solution, difference, solver.assumptions) == dims.constant(0)) return Progress::done;
  if (solveByQuotient(solver, difference, a, b, reason)) return Progress::done;
  // Nothing more is ever learnt about a stream: sizes that are equal for no length but a few never are.
  if (isOfStreams(solver, difference) && !solver.solution.streamsAreSizes && !isZeroForLongStreams(dims, difference))
    return failSizes(solver, ConflictKind::stream, a, b, reason);
  return Progress::waiting;
}

bool solveForNumber(Solver& solver, const DimComparison& equation, const std::vector<DimFact>& known, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  const Dim left = solver.solution.resolve(equation.left), right = solver.solution.resolve(equation.right);
  const Dim exact = withExactQuotients(solver.solution, dims.sub(left, right), known);
  if (exact == dims.constant(0)) return false;  // the equation is one of those known
  std::optional<Dim> cancelled;
  const Dim difference = withoutSharedSizes(solver, withoutCommonNumber(dims, exact), cancelled);
  auto solved = solveForVariable(solver, difference, {left, right});
  if (!cancelled || !solved || !dims.asConstant(solved->value)) return false;
  if (solver.solution.dimVars[solved->variable.index].named) return false;
  solved->cancelled = cancelled;
  return bindSolution(solver, *solved, ShapePart::of(left), ShapePart::of(right), reason) == Progress::done;
}

Progress constraint::DimEqual::run(Solver& solver, ReasonId reason) { return tryDimEqual(solver, left, right, reason); }

}  // namespace axle
