// Relations between dimensions: tier 1 of the solver. Every rule states what makes it sound.
#include <algorithm>
#include <set>

#include "dims/decide/simplify.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rules.h"

namespace axle {
namespace {

// Whether `a` - `b` (`a` + `b` if negated) has no negative coefficient: a quick check before `isNonNegative` that makes
// no new dimension.
bool coefficientsCover(std::span<const Term> a, std::span<const Term> b, bool negated) {
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

bool isProductNonNegative(const Solver& solver, const std::vector<Factor>& factors) {
  for (const Factor& f : factors) {
    if (!f.isAtom) {
      if (!solver.solution.dimVars[f.index].isSize && f.power % 2 != 0) return false;
      continue;
    }
    const Atom& atom = solver.solution.dims.atom(f.index);
    bool left = isNonNegative(solver, atom.left), right = isNonNegative(solver, atom.right);
    bool holds = atom.op == DimOp::max ? left || right : left && right;
    if (!holds) return false;
  }
  return true;
}

// Whether `d` (-d if negated) is at least 1 for all sizes >= 0: like `isNonNegative` of d - 1, but makes no new
// dimension.
bool isAtLeastOne(const Solver& solver, Dim d, bool negated) {
  bool anyConstant = false;
  for (const Term& term : solver.solution.dims.terms(d)) {
    if (negated ? term.coefficient >= 0 : term.coefficient <= 0) return false;
    if (!isProductNonNegative(solver, term.factors)) return false;
    anyConstant |= term.factors.empty();
  }
  return anyConstant;
}

}  // namespace

bool isNonNegative(const Solver& solver, Dim d) {
  const DimStore& dims = solver.solution.dims;
  if (dims.isUndefined(d)) return false;
  return std::all_of(dims.terms(d).begin(), dims.terms(d).end(), [&](const Term& term) {
    return term.coefficient >= 0 && isProductNonNegative(solver, term.factors);
  });
}

namespace {

// Removes a rounding from `difference` >= 0. A size rounded to a multiple of m is written x + (-x) % m or x - x % m. If
// it is >= c, then x > (ceil(c / m) - 1)*m in the first case, and x >= ceil(c / m)*m in the second.
std::optional<Dim> withoutRounding(DimStore& dims, Dim difference) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  for (const Term& term : std::vector<Term>(dims.terms(difference).begin(), dims.terms(difference).end())) {
    const bool isOne = term.coefficient == 1 || term.coefficient == -1;
    if (!isOne || term.factors.size() != 1 || !term.factors[0].isAtom || term.factors[0].power != 1) continue;
    const Atom atom = dims.atom(term.factors[0].index);
    const auto modulus = dims.asConstant(atom.right);
    if (atom.op != DimOp::mod || !modulus || *modulus < 2) continue;
    const Dim rest = dims.sub(difference, dims.fromTerms({term}));
    const bool roundsUp = term.coefficient > 0;
    // `rest` is x - c, where x + atom.left (or x - atom.left) is a multiple of the modulus.
    const Dim rounded = roundsUp ? dims.add(rest, atom.left) : dims.sub(rest, atom.left);
    const auto least = dims.asConstant(dims.mod(rounded, atom.right));
    if (!least || *least > most || *least < -most) continue;
    const std::int64_t multiples = -floorDiv(*least, *modulus);  // ceil(c / m)
    const Dim bound = roundsUp ? dims.add(dims.mul(dims.constant(multiples - 1), atom.right), dims.constant(1))
                               : dims.mul(dims.constant(multiples), atom.right);
    const Dim tight = dims.sub(dims.sub(rest, dims.constant(*least)), bound);
    if (!dims.isUndefined(tight)) return tight;
  }
  return std::nullopt;
}

// Removes a maximum or minimum with the number n from `difference` >= 0, which is x + k or k - x where x is the
// maximum or minimum: max(y, n) + k >= 0 is y + k >= 0, unless n + k >= 0.
std::optional<Dim> withoutExtreme(DimStore& dims, const Term& term, const Atom& atom, std::int64_t k) {
  if (atom.op != DimOp::max && atom.op != DimOp::min) return std::nullopt;
  const auto left = dims.asConstant(atom.left), right = dims.asConstant(atom.right);
  if (!left && !right) return std::nullopt;
  const bool isAdded = term.coefficient > 0;
  auto bound = [&](Dim operand) {
    return isAdded ? dims.add(operand, dims.constant(k)) : dims.sub(dims.constant(k), operand);
  };
  const Dim ofNumber = bound(left ? atom.left : atom.right), ofOther = bound(left ? atom.right : atom.left);
  const auto value = dims.asConstant(ofNumber);
  if (!value) return std::nullopt;
  const bool oneIsEnough = (atom.op == DimOp::max) == isAdded;
  return oneIsEnough == (*value >= 0) ? ofNumber : ofOther;
}

}  // namespace

Dim tightenInequality(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  for (int round = 0; round < 64; ++round) {
    const auto [common, constant] = decide::contentOf(dims, difference);
    if (common == 0) return difference;
    // g*p + k >= 0 is p >= -floor(k / g)
    if (common > 1) {
      difference = dims.div(difference, dims.constant(common));
      continue;
    }
    if (const auto tight = withoutRounding(dims, difference)) {
      difference = *tight;
      continue;
    }
    const auto terms = dims.terms(difference);
    if (terms.size() > (terms[0].factors.empty() ? 2u : 1u)) return difference;
    const Term& only = terms.back();
    if (only.factors.size() != 1 || !only.factors[0].isAtom || only.factors[0].power != 1) return difference;
    const bool isAdded = only.coefficient > 0;
    const Atom atom = dims.atom(only.factors[0].index);
    if (const auto operand = withoutExtreme(dims, only, atom, constant)) {
      difference = *operand;
      continue;
    }
    auto divisor = dims.asConstant(atom.right);
    if (atom.op != DimOp::div || !divisor || *divisor < 1) return difference;
    // p / c + k >= 0 is p + k*c >= 0; -(p / c) + k >= 0 is k*c + c - 1 - p >= 0
    Dim bound = dims.mul(dims.constant(constant), atom.right);
    difference = isAdded ? dims.add(atom.left, bound)
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
  constexpr std::size_t compared = 8;  // work of a comparison, relative to a look-up
  solution.work(solver.assumptions.size());
  auto negated = [&](Dim d) { return dims.mul(dims.constant(-1), d); };
  for (const DimFact& fact : solver.assumptions) {
    // A fact about other sizes proves nothing: if it were a contradiction, it would be rejected where it is stated.
    if (!sharesVariable(solver, difference, fact.left) && !sharesVariable(solver, difference, fact.right)) continue;
    solution.work(compared);
    auto [how, known] = normaliseFact(solver, fact);
    if (relation == FactRelation::ge) {
      if (how != FactRelation::ge && how != FactRelation::eq) continue;
      auto follows = [&](bool turned) {
        return coefficientsCover(dims.terms(difference), dims.terms(known), turned) &&
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
    decide::collectDivisors(dims, side, written);  // including those that cancel once variables are known
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
    if (assumed.count(d) || isNonNegative(solver, slack)) continue;
    if (!isEntailed(solver, tightenInequality(solver, slack), FactRelation::ge)) open.push_back(d);
  }
  return open;
}

namespace {

// Whether a size that is not a number is a polynomial of promised sizes: then it is not 0 for all their values.
bool isPolynomialOfPromised(const Solver& solver, Dim d) {
  const auto& dims = solver.solution.dims;
  const auto terms = dims.terms(d);
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::all_of(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
      return !factor.isAtom && solver.solution.dimVars[factor.index].promised;
    });
  });
}

}  // namespace

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
  const auto [relation, difference] = normaliseFact(solver, {left, asked, right});
  return decideNormalised(solver, relation, difference);
}

FactVerdict decideNormalised(Solver& solver, FactRelation relation, Dim difference) {
  DimStore& dims = solver.solution.dims;
  if (dims.isUndefined(difference)) return FactVerdict::refuted;
  auto value = dims.asConstant(difference);
  if (relation == FactRelation::ge) {
    if (value) return *value >= 0 ? FactVerdict::proved : FactVerdict::refuted;
    if (isNonNegative(solver, difference) || isReachedByStream(solver, difference) ||
        isEntailed(solver, difference, relation))
      return FactVerdict::proved;
    // difference <= -1 everywhere
    if (isAtLeastOne(solver, difference, /*negated=*/true)) return FactVerdict::refuted;
    if (solver.assumptions.empty()) return FactVerdict::open;
    Dim below = dims.sub(dims.negate(difference), dims.constant(1));
    return isEntailed(solver, tightenInequality(solver, below), FactRelation::ge) ? FactVerdict::refuted
                                                                                  : FactVerdict::open;
  }
  bool wanted = relation == FactRelation::eq;
  auto equal = [&](bool isEqual) { return isEqual == wanted ? FactVerdict::proved : FactVerdict::refuted; };
  if (value) return equal(*value == 0);
  // never 0: above 0 everywhere, below 0 everywhere, or a constant that the common factor of the rest does not divide
  for (bool negated : {false, true})
    if (isAtLeastOne(solver, difference, negated)) return equal(false);
  auto [common, constant] = decide::contentOf(dims, difference);
  if (common > 1 && constant % common != 0) return equal(false);
  if (withExactQuotients(solver.solution, difference, solver.assumptions) == dims.constant(0)) return equal(true);
  if (isEntailed(solver, difference, relation)) return FactVerdict::proved;
  if (isPolynomialOfPromised(solver, difference)) return equal(false);
  // A single product is 0 only if one of its factors is: refuted if all factors are known to be >= 1.
  auto terms = dims.terms(difference);
  if (terms.size() == 1) {
    std::vector<Factor> factors = terms[0].factors;
    bool positive = std::all_of(factors.begin(), factors.end(), [&](const Factor& f) {
      return !f.isAtom &&
             isEntailed(solver, dims.sub(dims.variable(DimVar{f.index}), dims.constant(1)), FactRelation::ge);
    });
    if (positive) return equal(false);
  }
  return FactVerdict::open;
}

void addFact(Solver& solver, Dim left, FactRelation relation, Dim right, ReasonId reason) {
  addConstraint(solver, reason, constraint::Fact{{left, relation, right}});
}

namespace {

// Marks a stated fact which alone refutes another one, in the conflict that was made of that.
void markContradicting(Solver& solver, const DimComparison& refuted) {
  auto isRefutedBy = [&](std::vector<DimFact> stated) {
    const AssumptionsInScope scope(solver, std::move(stated));
    return decideGivenDivisors(solver, refuted.left, refuted.relation, refuted.right) == FactVerdict::refuted;
  };
  if (isRefutedBy({})) return;
  for (const DimFact& stated : std::vector<DimFact>(solver.assumptions))
    if (!stated.places.empty() && isRefutedBy({stated})) {
      solver.conflicts.back().because.emplace_back(stated.places.front(), "since this is so");
      return;
    }
}

}  // namespace

Progress constraint::Fact::run(Solver& solver, ReasonId reason) {
  FactVerdict verdict = decideGivenDivisors(solver, left, relation, right);
  if (verdict == FactVerdict::open) return Progress::waiting;
  if (verdict == FactVerdict::refuted) {
    failFact(solver, *this, reason);
    markContradicting(solver, *this);
    return Progress::failed;
  }
  // The fact holds as soon as its divisors are >= 1.
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
