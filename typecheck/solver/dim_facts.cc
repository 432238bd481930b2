// Equations and relations between dimensions: tier 1 of the solver. Every rule states what makes it sound.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "dims/decide/simplify.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Whether `a` less `b`, or less -b, has no negative coefficient: what `isNonNegative` asks first, and makes no new
// dimension.
bool covers(std::span<const Term> a, std::span<const Term> b, bool negated) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool both = i < a.size() && j < b.size();
    bool left = j == b.size() || (both && a[i].factors <= b[j].factors);
    bool right = i == a.size() || (both && b[j].factors <= a[i].factors);
    std::int64_t from = left ? a[i++].coefficient : 0, less = right ? b[j++].coefficient : 0;
    if (less == INT64_MIN || from < (negated ? -less : less)) return false;
  }
  return true;
}

}  // namespace

// Sizes are >= 0; so are sums and products of what is, and quotients and remainders of it, by divisors >= 1.
bool isNonNegative(Solver& solver, Dim d) {
  DimStore& dims = solver.solution.dims;
  if (dims.isUndefined(d)) return false;
  for (const Term& term : dims.terms(d)) {
    if (term.coefficient < 0) return false;
    for (const Factor& f : term.factors) {
      if (!f.isAtom) {
        if (!solver.solution.dimVars[f.index].isSize && f.power % 2 != 0) return false;
        continue;
      }
      const Atom& atom = dims.atom(f.index);
      bool left = isNonNegative(solver, atom.left), right = isNonNegative(solver, atom.right);
      bool holds = atom.op == DimOp::max ? left || right : left && right;
      if (!holds) return false;
    }
  }
  return true;
}

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

void bindDim(Solver& solver, DimVar v, Dim to, ReasonId reason, OriginId origin) {
  Solution& solution = solver.solution;
  OpenVariables variables;
  collectVariables(solver, to, variables);
  DimVarInfo info = solution.dimVars[v.index];
  lowerLevels(solver, variables, info.level);
  info.binding = to;
  info.boundBy = origin;
  info.boundWhy = reason;
  solution.dimVars[v.index] = info;
  for (DimVar other : variables.dims) {
    DimVarInfo& o = solution.dimVars[other.index];
    if (info.kind == DimKind::streamed && o.kind == DimKind::plain && !o.rigid) {
      o.kind = DimKind::streamed;
      o.origin = info.origin;
    }
    o.regular |= info.regular && o.kind == DimKind::plain;
  }
  if (info.whole.index) requireWhole(solver, to, info.whole);
  if (info.unragged.index) requireUnragged(solver, to, info.unragged);
  if (info.kind == DimKind::streamed)
    for (DimVar other : variables.dims)
      if (ReasonId whole = solution.dimVars[other.index].whole; whole.index) requireWhole(solver, solution.dims.variable(other), whole);
  wake(solver, solver.dimWatch[v.index]);
}

bool unifyDim(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Progress progress = tryDimEqual(solver, a, b, reason);
  solver.settledByNormalForm += progress != Progress::waiting;
  if (progress == Progress::waiting) {
    addConstraint(solver, reason, constraint::DimEqual{a, b});
  }
  return progress != Progress::failed;
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

// The common factor of the terms that have variables (0 where none has), and the constant term.
std::pair<std::int64_t, std::int64_t> contentOf(Solver& solver, Dim d) {
  std::int64_t common = 0, constant = 0;
  for (const Term& term : solver.solution.dims.terms(d))
    if (term.factors.empty())
      constant = term.coefficient;
    else
      common = std::gcd(common, term.coefficient);
  return {common, constant};
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
    OriginId origin;
    for (const ShapePart* side : {&a, &b})
      for (OriginId o : originsOf(solver, *side)) {
        bool mentions = false;
        auto vars = dims.variables(solver.solution.resolve(side->dim));
        mentions = std::binary_search(vars.begin(), vars.end(), *v);
        if (!mentions && (!origin.index || (solver.provenance[o].written && !solver.provenance[origin].written))) origin = o;
      }
    if (!origin.index) {
      Origin here;
      here.span = solver.provenance[reason].span;
      origin = solver.provenance.add(here);
    }
    bindDim(solver, *v, solution, reason, origin);
    for (const ShapePart* side : {&a, &b})
      if (auto vars = dims.variables(side->dim); !std::binary_search(vars.begin(), vars.end(), *v))
        solver.solution.dimVars[v->index].boundVia = side->origin;
    if (isSize && (!isNonNegative(solver, solution) || !openDivisors(solver, solution, solution).empty()))
      addFact(solver, solution, FactRelation::ge, dims.constant(0), reason);
    return Progress::done;
  }
  if (withExactQuotients(solver.solution, difference, solver.assumptions) == dims.constant(0)) return Progress::done;
  if (solveByQuotient(solver, difference, a, b, reason)) return Progress::done;
  // Nothing more is ever known of a stream: what is not equal by now never is.
  auto open = dims.variables(difference);
  if (std::all_of(open.begin(), open.end(), [&](DimVar v) { return solver.solution.dimVars[v.index].kind == DimKind::streamed; }))
    return conflict(ConflictKind::stream);
  return Progress::waiting;
}

Dim tightenInequality(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  for (int round = 0; round < 64; ++round) {
    std::vector<Term> terms(dims.terms(difference).begin(), dims.terms(difference).end());
    std::int64_t common = 0;
    for (const Term& t : terms)
      if (!t.factors.empty()) common = std::gcd(common, t.coefficient);
    if (common == 0) return difference;
    // g*p + k >= 0 is p >= -floor(k / g)
    if (common > 1) {
      difference = dims.div(difference, dims.constant(common));
      continue;
    }
    std::int64_t constant = 0;
    const Term* only = nullptr;
    for (const Term& t : terms) {
      if (t.factors.empty())
        constant = t.coefficient;
      else if (only)
        return difference;
      else
        only = &t;
    }
    if (only->factors.size() != 1 || !only->factors[0].isAtom || only->factors[0].power != 1) return difference;
    Atom atom = dims.atom(only->factors[0].index);
    auto divisor = dims.asConstant(atom.right);
    if (atom.op != DimOp::div || !divisor || *divisor < 1) return difference;
    // p / c + k >= 0 is p + k*c >= 0; -(p / c) + k >= 0 is k*c + c - 1 - p >= 0
    Dim bound = dims.mul(dims.constant(constant), atom.right);
    difference = only->coefficient > 0
                     ? dims.add(atom.left, bound)
                     : dims.sub(dims.sub(dims.add(bound, atom.right), dims.constant(1)), atom.left);
  }
  return difference;
}

bool sharesVariable(Solver& solver, Dim a, Dim b) {
  DimStore& dims = solver.solution.dims;
  b = solver.solution.resolve(b);
  auto of = dims.variables(a), others = dims.variables(b);
  return std::any_of(others.begin(), others.end(),
                     [&](DimVar v) { return std::binary_search(of.begin(), of.end(), v); });
}

// `difference` relation 0 follows from one assumption of the same form, up to a constant.
bool isEntailed(Solver& solver, Dim difference, FactRelation relation) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  constexpr std::size_t compared = 8;  // what a comparison costs more than a look
  solution.work(solver.assumptions.size());
  auto negated = [&](Dim d) { return dims.mul(dims.constant(-1), d); };
  for (const DimFact& fact : solver.assumptions) {
    // One of other sizes alone says nothing: were it a contradiction, it would be refused where it is stated.
    if (!sharesVariable(solver, difference, fact.left) && !sharesVariable(solver, difference, fact.right)) continue;
    solution.work(compared);
    auto [how, known] = normaliseFact(solver, fact);
    if (relation == FactRelation::ge) {
      if (how != FactRelation::ge && how != FactRelation::eq) continue;
      auto follows = [&](bool turned) {
        return covers(dims.terms(difference), dims.terms(known), turned) &&
               isNonNegative(solver, dims.sub(difference, turned ? negated(known) : known));
      };
      if (follows(false) || (how == FactRelation::eq && follows(true))) return true;
    } else if (how == relation && (known == difference || negated(known) == difference)) {
      return true;
    }
  }
  return false;
}

std::pair<FactRelation, Dim> normaliseFact(Solver& solver, const DimComparison& fact) {
  FactRelation relation = fact.relation;
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Dim difference = dims.sub(solution.resolve(fact.left), solution.resolve(fact.right));
  if (dims.isUndefined(difference)) return {relation, difference};
  if (relation == FactRelation::lt || relation == FactRelation::le) {
    difference = dims.mul(dims.constant(-1), difference);
    relation = relation == FactRelation::lt ? FactRelation::gt : FactRelation::ge;
  }
  if (relation == FactRelation::gt) {
    difference = dims.sub(difference, dims.constant(1));
    relation = FactRelation::ge;
  }
  if (relation == FactRelation::ge) difference = tightenInequality(solver, difference);
  return {relation, difference};
}

std::vector<Dim> openDivisors(Solver& solver, Dim left, Dim right) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  std::set<Dim> written, divisors, assumed;
  for (Dim side : {left, right}) {
    decide::collectDivisors(dims, side, written);  // those too that cancel when variables are known
    decide::collectDivisors(dims, solution.resolve(side), divisors);
  }
  for (Dim d : written) divisors.insert(solution.resolve(d));
  std::erase_if(divisors, [&](Dim d) { return dims.asConstant(d).value_or(0) >= 1; });
  if (divisors.empty()) return {};
  for (const DimFact& fact : solver.assumptions)
    for (Dim side : {fact.left, fact.right}) decide::collectDivisors(dims, solution.resolve(side), assumed);
  std::vector<Dim> open;
  for (Dim d : divisors) {
    Dim slack = dims.sub(d, dims.constant(1));
    if (!assumed.count(d) && !isNonNegative(solver, slack) && !isEntailed(solver, tightenInequality(solver, slack), FactRelation::ge)) open.push_back(d);
  }
  return open;
}

void requireDivisor(Solver& solver, Dim quotient, Dim divisor, Span written) {
  DimStore& dims = solver.solution.dims;
  std::set<Dim> shown;
  decide::collectDivisors(dims, quotient, shown);
  if (dims.isUndefined(quotient) || shown.count(divisor) || dims.asConstant(divisor)) return;
  Reason reason;
  reason.kind = ReasonKind::where;
  reason.span = written;
  reason.subject = "the division";
  addFact(solver, divisor, FactRelation::ge, dims.constant(1), solver.provenance.add(std::move(reason)));
}

FactVerdict decideByNormalForm(Solver& solver, Dim left, FactRelation asked, Dim right) {
  FactVerdict verdict = decideGivenDivisors(solver, left, asked, right);
  return verdict == FactVerdict::proved && !openDivisors(solver, left, right).empty() ? FactVerdict::open : verdict;
}

FactVerdict decideGivenDivisors(Solver& solver, Dim left, FactRelation asked, Dim right) {
  DimStore& dims = solver.solution.dims;
  auto [relation, difference] = normaliseFact(solver, {left, asked, right});
  if (dims.isUndefined(difference)) return FactVerdict::refuted;
  Dim negated = dims.mul(dims.constant(-1), difference);
  auto value = dims.asConstant(difference);
  if (relation == FactRelation::ge) {
    if (value) return *value >= 0 ? FactVerdict::proved : FactVerdict::refuted;
    if (isNonNegative(solver, difference) || isReachedByStream(solver, difference) || isEntailed(solver, difference, relation))
      return FactVerdict::proved;
    // difference <= -1 everywhere
    Dim below = dims.sub(negated, dims.constant(1));
    if (isNonNegative(solver, below) || isEntailed(solver, tightenInequality(solver, below), FactRelation::ge)) return FactVerdict::refuted;
    return FactVerdict::open;
  }
  bool wanted = relation == FactRelation::eq;
  auto equal = [&](bool isEqual) { return isEqual == wanted ? FactVerdict::proved : FactVerdict::refuted; };
  if (value) return equal(*value == 0);
  // never 0: above 0 everywhere, below 0 everywhere, or a constant that the common factor of the rest does not divide
  Dim one = dims.constant(1);
  if (isNonNegative(solver, dims.sub(difference, one)) || isNonNegative(solver, dims.sub(negated, one))) return equal(false);
  auto [common, constant] = contentOf(solver, difference);
  if (common > 1 && constant % common != 0) return equal(false);
  if (withExactQuotients(solver.solution, difference, solver.assumptions) == dims.constant(0)) return equal(true);
  if (isEntailed(solver, difference, relation)) return FactVerdict::proved;
  // One product alone is 0 only where a factor is: refuted where all its factors are known to be >= 1.
  auto terms = dims.terms(difference);
  if (terms.size() == 1) {
    std::vector<Factor> factors = terms[0].factors;
    bool positive = std::all_of(factors.begin(), factors.end(), [&](const Factor& f) {
      return !f.isAtom && isEntailed(solver, dims.sub(dims.variable(DimVar{f.index}), one), FactRelation::ge);
    });
    if (positive) return equal(false);
  }
  return FactVerdict::open;
}

void addFact(Solver& solver, Dim left, FactRelation relation, Dim right, ReasonId reason) {
  addConstraint(solver, reason, constraint::Fact{{left, relation, right}});
}

Progress constraint::DimEqual::run(Solver& solver, ReasonId reason) { return tryDimEqual(solver, left, right, reason); }

Progress constraint::Fact::run(Solver& solver, ReasonId reason) {
  FactVerdict verdict = decideGivenDivisors(solver, left, relation, right);
  if (verdict == FactVerdict::open) return Progress::waiting;
  if (verdict == FactVerdict::refuted) return failFact(solver, *this, reason);
  // It is as much as that its divisors are >= 1.
  std::vector<Dim> divisors = openDivisors(solver, left, right);
  for (Dim d : divisors) addFact(solver, d, FactRelation::ge, solver.solution.dims.constant(1), reason);
  if (divisors.empty()) recordProof(solver, {reason, *this}, decide::Tier::normalForm);
  return Progress::done;
}

namespace {

// Whether the fact holds only because a stream grows.
bool isMetByDelay(Solver& solver, const Constraint& c) {
  const auto* fact = c.as<constraint::Fact>();
  if (!fact) return false;
  auto [relation, difference] = normaliseFact(solver, *fact);
  return relation == FactRelation::ge && !solver.solution.dims.isUndefined(difference) &&
         isReachedByStream(solver, difference) && !isNonNegative(solver, difference) &&
         !isEntailed(solver, difference, relation);
}

}  // namespace

void recordProof(Solver& solver, const Constraint& c, decide::Tier tier) {
  if (isMetByDelay(solver, c))
    solver.delays.push_back(c);
  else if (solver.keepsProofs)
    solver.proofs.push_back({c, tier});
}

}  // namespace axle
