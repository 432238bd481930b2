// Equations and relations between dimensions: tier 1 of the solver. Every rule states what makes it sound.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "dims/decide/simplify.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/solver.h"

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

const char* spelling(FactRelation relation) {
  constexpr const char* names[] = {"==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<int>(relation)];
}

// Sizes are >= 0; so are sums and products of what is, and quotients and remainders of it, by divisors >= 1.
bool Solver::isNonNegative(Dim d) const {
  if (s_.dims.isUndefined(d)) return false;
  for (const Term& term : s_.dims.terms(d)) {
    if (term.coefficient < 0) return false;
    for (const Factor& f : term.factors) {
      if (!f.isAtom) {
        if (!s_.dimVars[f.index].isSize && f.power % 2 != 0) return false;
        continue;
      }
      const Atom& atom = s_.dims.atom(f.index);
      bool left = isNonNegative(atom.left), right = isNonNegative(atom.right);
      bool holds = atom.op == AtomOp::max ? left || right : left && right;
      if (!holds) return false;
    }
  }
  return true;
}

// A variable with coefficient +-1 that occurs nowhere else in `difference` = 0, and what it is then.
// Prefers variables nobody named, solutions that are >= 0 as they stand, and inner scopes over outer ones.
std::optional<DimVar> Solver::solvable(Dim difference, Dim& solution) {
  auto span = s_.dims.terms(difference);
  std::vector<Term> terms(span.begin(), span.end());
  std::optional<DimVar> best;
  using Score = std::tuple<bool, bool, std::uint32_t, std::uint32_t>;  // unnamed, not negative, level, age
  Score bestScore;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (term.factors.size() != 1 || term.factors[0].isAtom || term.factors[0].power != 1) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    DimVar v{term.factors[0].index};
    if (s_.dimVars[v.index].rigid) continue;
    Dim self = s_.dims.mul(s_.dims.constant(term.coefficient), s_.dims.variable(v));
    Dim rest = s_.dims.sub(difference, self);
    auto inRest = s_.dims.variables(rest);
    if (std::binary_search(inRest.begin(), inRest.end(), v)) continue;
    Dim value = term.coefficient == 1 ? s_.dims.mul(s_.dims.constant(-1), rest) : rest;
    if (!mayBind(v, value)) continue;
    const DimVarInfo& info = s_.dimVars[v.index];
    Score score{!info.named, isNonNegative(value), info.level, v.index};
    if (!best || score > bestScore) {
      best = v;
      bestScore = score;
      solution = value;
    }
  }
  return best;
}

void Solver::bindDim(DimVar v, Dim to, ReasonId reason, OriginId origin) {
  Variables variables;
  collect(to, variables);
  DimVarInfo info = s_.dimVars[v.index];
  lowerLevels(variables, info.level);
  info.binding = to;
  info.boundBy = origin;
  info.boundWhy = reason;
  s_.dimVars[v.index] = info;
  for (DimVar other : variables.dims) {
    DimVarInfo& o = s_.dimVars[other.index];
    if (info.kind == DimKind::streamed && o.kind == DimKind::plain && !o.rigid) {
      o.kind = DimKind::streamed;
      o.origin = info.origin;
    }
    o.regular |= info.regular && o.kind == DimKind::plain;
  }
  if (info.whole.index) needWhole(to, info.whole);
  if (info.unragged.index) needUnragged(to, info.unragged);
  if (info.kind == DimKind::streamed)
    for (DimVar other : variables.dims)
      if (ReasonId whole = s_.dimVars[other.index].whole; whole.index) needWhole(s_.dims.variable(other), whole);
  wake(dimWatch_[v.index]);
}

bool Solver::unifyDim(const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Progress progress = tryDimEqual(a, b, reason);
  settledByNormalForm_ += progress != Progress::waiting;
  if (progress == Progress::waiting) {
    Constraint rest;
    rest.kind = ConstraintKind::dimEqual;
    rest.reason = reason;
    rest.shapes = {{a}, {b}};
    rest.dims = {a.dim, b.dim};
    add(std::move(rest));
  }
  return progress != Progress::failed;
}

// `difference` = 0 without the sizes that all its terms share: h*x = h*y as x = y. Where h is 0 any x would do, and
// this one does as well.
Dim Solver::withoutSharedFactors(Dim difference) {
  auto terms = s_.dims.terms(difference);
  if (terms.size() < 2) return difference;
  std::vector<Factor> shared = terms[0].factors;
  for (const Term& term : terms)
    std::erase_if(shared, [&](Factor& f) {
      auto same = std::find_if(term.factors.begin(), term.factors.end(),
                               [&](const Factor& g) { return g.isAtom == f.isAtom && g.index == f.index; });
      if (same != term.factors.end()) f.power = std::min(f.power, same->power);
      return same == term.factors.end() || f.isAtom || !s_.dimVars[f.index].isSize;
    });
  Dim divisor = s_.dims.constant(1);
  for (const Factor& f : shared)
    for (std::uint32_t i = 0; i < f.power; ++i) divisor = s_.dims.mul(divisor, s_.dims.variable(DimVar{f.index}));
  return s_.dims.div(difference, divisor);
}

// The common factor of the terms that have variables (0 where none has), and the constant term.
std::pair<std::int64_t, std::int64_t> Solver::contentOf(Dim d) const {
  std::int64_t common = 0, constant = 0;
  for (const Term& term : s_.dims.terms(d))
    if (term.factors.empty())
      constant = term.coefficient;
    else
      common = std::gcd(common, term.coefficient);
  return {common, constant};
}

// Why 2*h is never 9.
void Solver::noteMultiple(Dim difference) {
  auto [common, constant] = contentOf(difference);
  if (common < 2 || constant % common == 0) return;
  Dim rest = s_.dims.sub(difference, s_.dims.constant(constant));
  auto terms = s_.dims.terms(rest);
  if (terms[0].coefficient < 0) {
    rest = s_.dims.mul(s_.dims.constant(-1), rest);
    constant = -constant;
  }
  conflicts.back().notes.push_back(
      fmt::format("{} would have to be {}, which is no multiple of {}", show(rest), -constant, common));
}

Solver::Progress Solver::tryDimEqual(const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Dim left = s_.resolve(a.dim), right = s_.resolve(b.dim);
  if (auto told = tryKinds(a, b, reason)) return *told;
  auto conflict = [&](ConflictKind kind) { return failSizes(kind, a, b, reason); };
  Dim difference = s_.dims.sub(left, right);
  if (s_.dims.isUndefined(difference)) return conflict(ConflictKind::overflow);
  if (decideDefined(left, FactRelation::eq, right) == Verdict::refuted) {
    conflict(ConflictKind::dim);
    noteMultiple(difference);
    return Progress::failed;
  }

  // Divide by the common factor, so that 2*h = 10 gives h = 5; `decide` has refuted what is not divisible.
  std::int64_t common = 0;
  for (const Term& term : s_.dims.terms(difference)) common = std::gcd(common, term.coefficient);
  if (common > 1) difference = s_.dims.div(difference, s_.dims.constant(common));

  difference = withoutSharedFactors(difference);
  Dim solution;
  if (auto v = solvable(difference, solution)) {
    bool isSize = s_.dimVars[v->index].isSize;
    // n = 2*n and the like: 0 would do, but nobody means it.
    bool vanishes = solution == s_.dims.constant(0) && !s_.dims.asConstant(left) && !s_.dims.asConstant(right);
    if (isSize && vanishes) return conflict(ConflictKind::dim);
    if (isSize && decide(solution, FactRelation::ge, s_.dims.constant(0)) == Verdict::refuted)
      return conflict(ConflictKind::dim);
    OriginId origin;
    for (const ShapePart* side : {&a, &b})
      for (OriginId o : originsOf(*side)) {
        bool mentions = false;
        auto vars = s_.dims.variables(s_.resolve(side->dim));
        mentions = std::binary_search(vars.begin(), vars.end(), *v);
        if (!mentions && (!origin.index || (why_[o].written && !why_[origin].written))) origin = o;
      }
    if (!origin.index) {
      Origin here;
      here.span = why_[reason].span;
      origin = why_.add(here);
    }
    bindDim(*v, solution, reason, origin);
    for (const ShapePart* side : {&a, &b})
      if (auto vars = s_.dims.variables(side->dim); !std::binary_search(vars.begin(), vars.end(), *v))
        s_.dimVars[v->index].boundVia = side->origin;
    if (isSize && (!isNonNegative(solution) || !openDivisors(solution, solution).empty()))
      addFact(solution, FactRelation::ge, s_.dims.constant(0), reason);
    return Progress::done;
  }
  if (withExactQuotients(s_, difference, assumptions) == s_.dims.constant(0)) return Progress::done;
  if (solveByQuotient(difference, a, b, reason)) return Progress::done;
  // Nothing more is ever known of a stream: what is not equal by now never is.
  auto open = s_.dims.variables(difference);
  if (std::all_of(open.begin(), open.end(), [&](DimVar v) { return s_.dimVars[v.index].kind == DimKind::streamed; }))
    return conflict(ConflictKind::stream);
  return Progress::waiting;
}

Dim Solver::tighten(Dim difference) {
  for (int round = 0; round < 64; ++round) {
    std::vector<Term> terms(s_.dims.terms(difference).begin(), s_.dims.terms(difference).end());
    std::int64_t common = 0;
    for (const Term& t : terms)
      if (!t.factors.empty()) common = std::gcd(common, t.coefficient);
    if (common == 0) return difference;
    // g*p + k >= 0 is p >= -floor(k / g)
    if (common > 1) {
      difference = s_.dims.div(difference, s_.dims.constant(common));
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
    Atom atom = s_.dims.atom(only->factors[0].index);
    auto divisor = s_.dims.asConstant(atom.right);
    if (atom.op != AtomOp::div || !divisor || *divisor < 1) return difference;
    // p / c + k >= 0 is p + k*c >= 0; -(p / c) + k >= 0 is k*c + c - 1 - p >= 0
    Dim bound = s_.dims.mul(s_.dims.constant(constant), atom.right);
    difference = only->coefficient > 0
                     ? s_.dims.add(atom.left, bound)
                     : s_.dims.sub(s_.dims.sub(s_.dims.add(bound, atom.right), s_.dims.constant(1)), atom.left);
  }
  return difference;
}

bool Solver::sharesVariable(Dim a, Dim b) {
  b = s_.resolve(b);
  auto of = s_.dims.variables(a), others = s_.dims.variables(b);
  return std::any_of(others.begin(), others.end(),
                     [&](DimVar v) { return std::binary_search(of.begin(), of.end(), v); });
}

// `difference` relation 0 follows from one assumption of the same form, up to a constant.
bool Solver::entailed(Dim difference, FactRelation relation) {
  constexpr std::size_t compared = 8;  // what a comparison costs more than a look
  s_.work(assumptions.size());
  auto negated = [&](Dim d) { return s_.dims.mul(s_.dims.constant(-1), d); };
  for (const DimFact& fact : assumptions) {
    // One of other sizes alone says nothing: were it a contradiction, it would be refused where it is stated.
    if (!sharesVariable(difference, fact.left) && !sharesVariable(difference, fact.right)) continue;
    s_.work(compared);
    auto [how, known] = normalFact(fact.left, fact.relation, fact.right);
    if (relation == FactRelation::ge) {
      if (how != FactRelation::ge && how != FactRelation::eq) continue;
      auto follows = [&](bool turned) {
        return covers(s_.dims.terms(difference), s_.dims.terms(known), turned) &&
               isNonNegative(s_.dims.sub(difference, turned ? negated(known) : known));
      };
      if (follows(false) || (how == FactRelation::eq && follows(true))) return true;
    } else if (how == relation && (known == difference || negated(known) == difference)) {
      return true;
    }
  }
  return false;
}

std::pair<FactRelation, Dim> Solver::normalFact(Dim left, FactRelation relation, Dim right) {
  Dim difference = s_.dims.sub(s_.resolve(left), s_.resolve(right));
  if (s_.dims.isUndefined(difference)) return {relation, difference};
  if (relation == FactRelation::lt || relation == FactRelation::le) {
    difference = s_.dims.mul(s_.dims.constant(-1), difference);
    relation = relation == FactRelation::lt ? FactRelation::gt : FactRelation::ge;
  }
  if (relation == FactRelation::gt) {
    difference = s_.dims.sub(difference, s_.dims.constant(1));
    relation = FactRelation::ge;
  }
  if (relation == FactRelation::ge) difference = tighten(difference);
  return {relation, difference};
}

std::vector<Dim> Solver::openDivisors(Dim left, Dim right) {
  std::set<Dim> written, divisors, assumed;
  for (Dim side : {left, right}) {
    decide::collectDivisors(s_.dims, side, written);  // those too that cancel when variables are known
    decide::collectDivisors(s_.dims, s_.resolve(side), divisors);
  }
  for (Dim d : written) divisors.insert(s_.resolve(d));
  std::erase_if(divisors, [&](Dim d) { return s_.dims.asConstant(d).value_or(0) >= 1; });
  if (divisors.empty()) return {};
  for (const DimFact& fact : assumptions)
    for (Dim side : {fact.left, fact.right}) decide::collectDivisors(s_.dims, s_.resolve(side), assumed);
  std::vector<Dim> open;
  for (Dim d : divisors) {
    Dim slack = s_.dims.sub(d, s_.dims.constant(1));
    if (!assumed.count(d) && !isNonNegative(slack) && !entailed(tighten(slack), FactRelation::ge)) open.push_back(d);
  }
  return open;
}

void Solver::keepDivisor(Dim quotient, Dim divisor, Span written) {
  std::set<Dim> shown;
  decide::collectDivisors(s_.dims, quotient, shown);
  if (s_.dims.isUndefined(quotient) || shown.count(divisor) || s_.dims.asConstant(divisor)) return;
  Reason reason;
  reason.kind = ReasonKind::where;
  reason.span = written;
  reason.subject = "the division";
  addFact(divisor, FactRelation::ge, s_.dims.constant(1), why_.add(std::move(reason)));
}

Solver::Verdict Solver::decide(Dim left, FactRelation asked, Dim right) {
  Verdict verdict = decideDefined(left, asked, right);
  return verdict == Verdict::proved && !openDivisors(left, right).empty() ? Verdict::open : verdict;
}

// Where all divisors are >= 1. What is refuted there does not hold elsewhere either.
Solver::Verdict Solver::decideDefined(Dim left, FactRelation asked, Dim right) {
  auto [relation, difference] = normalFact(left, asked, right);
  if (s_.dims.isUndefined(difference)) return Verdict::refuted;
  Dim negated = s_.dims.mul(s_.dims.constant(-1), difference);
  auto value = s_.dims.asConstant(difference);
  if (relation == FactRelation::ge) {
    if (value) return *value >= 0 ? Verdict::proved : Verdict::refuted;
    if (isNonNegative(difference) || isReachedLater(difference) || entailed(difference, relation))
      return Verdict::proved;
    // difference <= -1 everywhere
    Dim below = s_.dims.sub(negated, s_.dims.constant(1));
    if (isNonNegative(below) || entailed(tighten(below), FactRelation::ge)) return Verdict::refuted;
    return Verdict::open;
  }
  bool wanted = relation == FactRelation::eq;
  auto equal = [&](bool isEqual) { return isEqual == wanted ? Verdict::proved : Verdict::refuted; };
  if (value) return equal(*value == 0);
  // never 0: above 0 everywhere, below 0 everywhere, or a constant that the common factor of the rest does not divide
  Dim one = s_.dims.constant(1);
  if (isNonNegative(s_.dims.sub(difference, one)) || isNonNegative(s_.dims.sub(negated, one))) return equal(false);
  auto [common, constant] = contentOf(difference);
  if (common > 1 && constant % common != 0) return equal(false);
  if (withExactQuotients(s_, difference, assumptions) == s_.dims.constant(0)) return equal(true);
  if (entailed(difference, relation)) return Verdict::proved;
  // One product alone is 0 only where a factor is: refuted where all its factors are known to be >= 1.
  auto terms = s_.dims.terms(difference);
  if (terms.size() == 1) {
    std::vector<Factor> factors = terms[0].factors;
    bool positive = std::all_of(factors.begin(), factors.end(), [&](const Factor& f) {
      return !f.isAtom && entailed(s_.dims.sub(s_.dims.variable(DimVar{f.index}), one), FactRelation::ge);
    });
    if (positive) return equal(false);
  }
  return Verdict::open;
}

void Solver::addFact(Dim left, FactRelation relation, Dim right, ReasonId reason) {
  Constraint fact;
  fact.kind = ConstraintKind::fact;
  fact.reason = reason;
  fact.relation = relation;
  fact.dims = {left, right};
  add(std::move(fact));
}

Solver::Progress Solver::runDimEqual(Constraint& c) { return tryDimEqual(c.shapes[0][0], c.shapes[1][0], c.reason); }

Solver::Progress Solver::runFact(Constraint& c) {
  Verdict verdict = decideDefined(c.dims[0], c.relation, c.dims[1]);
  if (verdict == Verdict::proved) {
    // It is as much as that its divisors are >= 1.
    std::vector<Dim> divisors = openDivisors(c.dims[0], c.dims[1]);
    for (Dim d : divisors) addFact(d, FactRelation::ge, s_.dims.constant(1), c.reason);
    if (divisors.empty()) proved(c, decide::Tier::normalForm);
    return Progress::done;
  }
  if (verdict == Verdict::open) return Progress::waiting;
  failFact(c);
  return Progress::failed;
}

// Whether the fact holds only because a stream grows.
bool Solver::isDelay(const Constraint& c) {
  if (c.kind != ConstraintKind::fact || c.dims.size() < 2) return false;
  auto [relation, difference] = normalFact(c.dims[0], c.relation, c.dims[1]);
  return relation == FactRelation::ge && !s_.dims.isUndefined(difference) && isReachedLater(difference) &&
         !isNonNegative(difference) && !entailed(difference, relation);
}

namespace {

// A product without the factors that two have in common; both stay as they are where one is a sum.
std::pair<Dim, Dim> cancelled(DimStore& dims, Dim a, Dim b) {
  if (dims.terms(a).size() != 1 || dims.terms(b).size() != 1) return {a, b};
  Term left = dims.terms(a)[0], right = dims.terms(b)[0];
  for (Factor& f : left.factors)
    for (Factor& g : right.factors) {
      if (f.isAtom != g.isAtom || f.index != g.index) continue;
      std::uint32_t common = std::min(f.power, g.power);
      f.power -= common;
      g.power -= common;
    }
  for (Term* t : {&left, &right}) std::erase_if(t->factors, [](const Factor& f) { return f.power == 0; });
  return {dims.fromTerms({left}), dims.fromTerms({right})};
}

// Of `wanted`, all elements of a reshape whose open size is `given / product`: that division, in its lowest form.
std::optional<std::pair<Dim, Dim>> openSizeOf(DimStore& dims, Dim given, Dim wanted) {
  if (dims.terms(wanted).size() != 1) return std::nullopt;
  for (const Factor& f : dims.terms(wanted)[0].factors) {
    if (!f.isAtom || f.power != 1) continue;
    Atom atom = dims.atom(f.index);
    if (atom.op == AtomOp::div && atom.left == given) return cancelled(dims, atom.left, atom.right);
  }
  return std::nullopt;
}

}  // namespace

// The same where all sizes are numbers.
std::optional<std::pair<Dim, Dim>> Solver::numbersOfOpenSize(const Constraint& reshape) {
  std::size_t open = 0;
  Dim product = s_.dims.constant(1), given = s_.resolve(reshape.dims[0]);
  for (StaticId item : s_.types[s_.resolve(reshape.statics[0])].items) {
    const StaticTerm& term = s_.types[s_.resolve(item)];
    if (term.kind == StaticKind::dim)
      product = s_.dims.mul(product, s_.resolve(term.dim));
    else
      ++open;
  }
  auto total = s_.dims.asConstant(given), divisor = s_.dims.asConstant(product);
  if (open != 1 || !total || !divisor || *divisor < 1 || *total % *divisor == 0) return std::nullopt;
  return std::pair(given, product);
}

// What would stand for one of the numbers in the list, all other sizes as they are.
std::vector<std::pair<std::size_t, std::string>> Solver::fittingSizes(const Constraint& reshape) {
  std::vector<std::pair<std::size_t, std::string>> fits;
  std::vector<Dim> sizes;
  for (StaticId item : s_.types[s_.resolve(reshape.statics[0])].items)
    if (const StaticTerm& term = s_.types[s_.resolve(item)]; term.kind == StaticKind::dim)
      sizes.push_back(s_.resolve(term.dim));
    else
      return fits;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (!s_.dims.asConstant(sizes[i])) continue;
    Dim others = s_.dims.constant(1);
    for (std::size_t j = 0; j < sizes.size(); ++j)
      if (j != i) others = s_.dims.mul(others, sizes[j]);
    const Dim given = s_.resolve(reshape.dims[0]), quotient = s_.dims.div(given, others);
    if (s_.dims.isUndefined(quotient) || s_.dims.mul(quotient, others) != given) continue;
    fits.emplace_back(i, s_.dims.print(quotient));
  }
  return fits;
}

void Solver::failFact(const Constraint& c) {
  Conflict conflict;
  conflict.kind = ConflictKind::fact;
  conflict.reason = c.reason;
  // Of a size that there is not, nothing can be said: `n / m` of a reshape, where m is 0.
  bool isSaid = !std::any_of(c.dims.begin(), c.dims.begin() + 2,
                             [&](Dim side) { return s_.dims.isUndefined(c.isReshape ? s_.resolve(side) : side); });
  if (!isSaid) conflict.kind = ConflictKind::overflow;
  conflict.isReshape = c.isReshape;
  conflict.left = show(c.dims[0]);
  conflict.right = show(c.dims[1]);
  conflict.text = s_.dims.print(c.dims[0]) + " " + spelling(c.relation) + " " + s_.dims.print(c.dims[1]);
  if (c.dims.size() == 4) conflict.text = s_.dims.print(c.dims[2]) + " : 1 or " + s_.dims.print(c.dims[3]);
  if (c.isReshape) {
    conflict.text = show(c.shapes[0]);
    conflict.sizeName = show(c.statics[0]);
    conflict.fits = fittingSizes(c);
    auto division = openSizeOf(s_.dims, c.dims[0], s_.resolve(c.dims[1]));
    if (!division) division = numbersOfOpenSize(c);
    if (division) {
      conflict.dividend = show(division->first);
      conflict.divisor = show(division->second);
    }
    for (const ShapePart& part : c.shapes[0])
      for (OriginId o : originsOf(part)) conflict.origins.push_back(o);
  }
  for (Dim side : c.dims)
    for (DimVar v : s_.dims.variables(side)) {
      std::pair<std::string, std::string> value(s_.dims.name(v), show(s_.dims.variable(v)));
      bool known = std::find(conflict.values.begin(), conflict.values.end(), value) != conflict.values.end();
      if (!known && value.first != value.second) conflict.values.push_back(std::move(value));
    }
  for (Dim side : {c.dims[0], c.dims[1]}) {
    std::vector<OriginId> origins = originsOf(ShapePart::of(side));
    for (DimVar v : s_.dims.variables(side))
      if (OriginId via = s_.dimVars[v.index].boundVia; via.index) origins.push_back(via);
    for (OriginId o : origins)
      if (std::find(conflict.origins.begin(), conflict.origins.end(), o) == conflict.origins.end())
        conflict.origins.push_back(o);
  }
  fail(std::move(conflict));
}

}  // namespace axle
