// Asks the later tiers (dims/decide/) about facts that tier 1 leaves open, once nothing else changes: drops facts that
// follow, reports facts that cannot hold with their reasons and a counterexample, and binds sizes that have only one
// possible value.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dims/decide/evaluate.h"
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

// Returns the question whether `claim` follows from the facts of `from` that share a variable with it, directly or
// through other facts.
template <class Fact>
decide::Question makeQuestion(Solver& solver, DimComparison claim, const std::vector<Fact>& from,
                              std::vector<std::size_t>& asked) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  constexpr std::size_t most = 24;
  constexpr std::size_t lookedAt = 8;  // as work
  solution.work(lookedAt * from.size());
  claim.left = solution.resolve(claim.left);
  claim.right = solution.resolve(claim.right);
  std::vector<DimComparison> resolved(from.size());  // without their origins, which are not needed here
  std::set<DimVar> reached;
  auto reach = [&](const DimComparison& fact) {
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : dims.variables(side)) reached.insert(v);
  };
  auto isReached = [&](const DimComparison& fact) {
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : dims.variables(side))
        if (reached.count(v)) return true;
    return false;
  };
  reach(claim);
  for (std::size_t i = 0; i < from.size(); ++i) {
    resolved[i].left = solution.resolve(from[i].left);
    resolved[i].relation = from[i].relation;
    resolved[i].right = solution.resolve(from[i].right);
  }
  std::vector<bool> taken(resolved.size(), false);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < resolved.size() && asked.size() < most; ++i) {
      if (taken[i] || !isReached(resolved[i])) continue;
      taken[i] = moved = true;
      asked.push_back(i);
      reach(resolved[i]);
    }
  }
  std::sort(asked.begin(), asked.end());
  auto isSize = [&solver](DimVar v) { return solver.solution.dimVars[v.index].isSize; };
  decide::Question q{dims, {}, std::move(claim), isSize, {}, {}};
  for (std::size_t i : asked) q.assumptions.push_back(resolved[i]);
  return q;
}

// Returns text such as "for h = 3, `2*(h / 2)` is 2 and `h` is 3".
std::string describeCounterexample(Solver& solver, const DimComparison& fact, const decide::Assignment& sizes) {
  DimStore& dims = solver.solution.dims;
  std::vector<std::int64_t> values(dims.variableCount(), 0);
  std::vector<std::string> given, sides;
  for (const auto& [v, value] : sizes) {
    values[v.index] = value;
    auto in = [&](Dim side) {
      auto all = dims.variables(side);
      return std::binary_search(all.begin(), all.end(), v);
    };
    if (in(fact.left) || in(fact.right)) given.push_back(fmt::format("{} = {}", dims.name(v), value));
  }
  for (Dim side : {fact.left, fact.right}) {
    auto value = decide::evaluate(dims, side, values);
    if (dims.asConstant(side) || !value || *value > INT64_MAX || *value < INT64_MIN) continue;
    std::string text = fmt::format("`{}` is {}", dims.print(side), static_cast<std::int64_t>(*value));
    bool isOneName = dims.asVariable(side).has_value();
    if (!isOneName) sides.push_back(std::move(text));
  }
  if (given.empty() || sides.empty()) return {};
  return fmt::format("for {}, {}", fmt::join(given, ", "), fmt::join(sides, " and "));
}

// Returns sizes for which a refuted claim fails and all other required facts hold; none if none are found. Without
// other facts, returns `sizes`.
std::optional<decide::Assignment> counterexampleAmongAll(Solver& solver, const decide::Question& refuted,
                                                         const decide::Assignment& sizes) {
  std::vector<DimComparison> facts = refuted.assumptions;
  const std::size_t stated = facts.size();
  for (std::uint32_t index : solver.live) {
    const Solver::Slot& slot = solver.slots[index];
    const auto* fact = slot.live ? slot.constraint.as<constraint::Fact>() : nullptr;
    if (!fact || fact->stretch) continue;
    const DimComparison asked{solver.solution.resolve(fact->left), fact->relation,
                              solver.solution.resolve(fact->right)};
    const DimComparison& claim = refuted.claim;
    const bool isClaim = asked.left == claim.left && asked.relation == claim.relation && asked.right == claim.right;
    if (!isClaim) facts.push_back(asked);
  }
  if (facts.size() == stated) return sizes;
  std::vector<std::size_t> taken;
  return solver.decider.decide(makeQuestion(solver, refuted.claim, facts, taken)).failsFor;
}

// Adds evidence to an error: the stated facts that it relies on, and the counterexample.
void addEvidence(Conflict& conflict, const std::string& counterexample, const std::vector<DimFact>& because) {
  if (!counterexample.empty()) conflict.notes.push_back(Phrase("{}", arg::Subject{counterexample}));
  for (const DimFact& fact : because)
    if (!fact.places.empty()) conflict.because.emplace_back(fact.places.front(), "since this is so");
}

}  // namespace

FactVerdict decideFact(Solver& solver, const DimComparison& fact, std::string* counterexample,
                       std::vector<DimFact>* because) {
  solver.decidedBy = decide::Tier::normalForm;
  solver.gaveUp = false;
  FactVerdict quick = decideByNormalForm(solver, fact.left, fact.relation, fact.right);
  if (quick != FactVerdict::open) return quick;
  std::vector<std::size_t> asked;
  decide::Question q = makeQuestion(solver, fact, solver.assumptions, asked);
  std::vector<std::uint32_t> key;
  auto note = [&](const DimComparison& f) {
    key.insert(key.end(), {static_cast<std::uint32_t>(f.relation), f.left.index, f.right.index});
  };
  note(q.claim);
  for (const DimComparison& f : q.assumptions) note(f);
  if (const bool* wasPastLimits = solver.leftOpen.find(key)) {
    solver.gaveUp = *wasPastLimits;
    return FactVerdict::open;
  }
  if (solver.gaveUp = solver.decider.isExhausted(); solver.gaveUp) return FactVerdict::open;
  decide::Answer answer = solver.decider.decide(q);
  solver.gaveUp = answer.verdict == decide::Verdict::unknown;
  solver.decidedBy = answer.tier;
  if (answer.verdict == decide::Verdict::proved) return FactVerdict::proved;
  if (answer.verdict != decide::Verdict::refuted) {
    solver.leftOpen.insert(std::move(key), solver.gaveUp);
    return FactVerdict::open;
  }
  if (counterexample && answer.failsFor)
    if (const auto sizes = counterexampleAmongAll(solver, q, *answer.failsFor))
      *counterexample = describeCounterexample(solver, q.claim, *sizes);
  if (because)
    for (std::size_t i : solver.decider.core(q, decide::Verdict::refuted))
      because->push_back(solver.assumptions[asked[i]]);
  return FactVerdict::refuted;
}

bool factFollows(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given) {
  const AssumptionsInScope scope(solver, given);
  return decideFact(solver, fact) == FactVerdict::proved;
}

bool factIsSatisfiable(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given) {
  std::vector<std::size_t> asked;
  return solver.decider.possible(makeQuestion(solver, fact, given, asked)).has_value();
}

namespace {

// Whether the fact was written `n : 1 or m`.
bool isStretch(const Constraint& c) {
  const auto* fact = c.as<constraint::Fact>();
  return fact && fact->stretch;
}

// Returns the fact, or the equation as a fact.
constraint::Fact factOf(const Constraint& c) {
  if (const auto* fact = c.as<constraint::Fact>()) return *fact;
  return {*comparisonOf(c)};
}

// Returns the constraint as an assumption, with the place that requires it.
DimFact asAssumption(const Solver& solver, const Constraint& c) {
  DimFact fact;
  static_cast<DimComparison&>(fact) = *comparisonOf(c);
  fact.places = {solver.provenance[c.reason].span};
  return fact;
}

OriginId originOfFact(Solver& solver, const Constraint& c) {
  const DimComparison fact = *comparisonOf(c);
  for (Dim side : {fact.left, fact.right})
    for (OriginId o : originsOf(solver, ShapePart::of(side)))
      if (o.index) return o;
  Origin here;
  here.span = solver.provenance[c.reason].span;
  return solver.provenance.add(here);
}

Phrase onlyZeroWouldDo(const std::string& size) { return Phrase("only {} = 0 would do", arg::Size{size}); }

// Refutes equations such as 8*b*t = 9*b*t, which hold only if b*t is 0: nobody means that.
bool refuteProduct(Solver& solver, const Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const DimComparison fact = *comparisonOf(c);
  const Dim left = solution.resolve(fact.left), right = solution.resolve(fact.right), zero = dims.constant(0);
  if (fact.relation != FactRelation::eq || isStretch(c) || left == zero || right == zero) return false;
  auto terms = dims.terms(dims.sub(left, right));
  if (terms.size() != 1 || terms[0].factors.empty()) return false;
  Term product = terms[0];
  product.coefficient = 1;
  bool isOfSizes = std::all_of(product.factors.begin(), product.factors.end(), [&](const Factor& f) {
    return !f.isAtom && solution.dimVars[f.index].isSize && solution.dimVars[f.index].kind == DimKind::plain;
  });
  if (!isOfSizes) return false;
  failComparison(solver, c);
  solver.conflicts.back().notes.push_back(onlyZeroWouldDo(dims.print(dims.fromTerms({product}))));
  return true;
}

// Returns the only value that `v` can have under the facts. None if there are several, or if this is not found out;
// then the question is not asked again.
std::optional<std::int64_t> findForcedValue(Solver& solver, DimVar v, const std::vector<DimComparison>& facts) {
  DimStore& dims = solver.solution.dims;
  std::vector<std::size_t> asked;
  const Dim self = dims.variable(v);
  decide::Question q = makeQuestion(solver, DimComparison{self, FactRelation::eq, self}, facts, asked);
  std::vector<std::uint32_t> key{v.index};
  for (const DimComparison& f : q.assumptions)
    key.insert(key.end(), {static_cast<std::uint32_t>(f.relation), f.left.index, f.right.index});
  if (solver.leftOpen.find(key)) return std::nullopt;
  const auto value = solver.decider.possible(q);
  if (value) q.claim.right = dims.constant(*value);
  if (value && solver.decider.decide(q).verdict == decide::Verdict::proved) return value;
  solver.leftOpen.insert(std::move(key), false);
  return std::nullopt;
}

// Whether an equation has neither 0 nor the stretched size 1 as a side.
bool hasOpenSides(Solver& solver, const Constraint& c) {
  Solution& solution = solver.solution;
  const DimComparison equation = *comparisonOf(c);
  const Dim zero = solution.dims.constant(0);
  return equation.relation == FactRelation::eq && !isStretch(c) && solution.resolve(equation.left) != zero &&
         solution.resolve(equation.right) != zero;
}

void failForZero(Solver& solver, const Constraint& c, DimVar v) {
  failComparison(solver, c);
  solver.conflicts.back().notes.push_back(onlyZeroWouldDo(solver.solution.dims.name(v)));
}

// The equation, such as 8*n = 9*n, that only `v` = 0 solves, although neither side is 0: nobody means that. None where
// the facts make `v` 0 without it.
std::optional<Constraint> onlySolvedByZero(Solver& solver, DimVar v, const std::vector<Constraint>& open) {
  Solution& solution = solver.solution;
  if (!solution.dimVars[v.index].isSize) return std::nullopt;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!hasOpenSides(solver, open[i])) continue;
    const DimComparison equation = *comparisonOf(open[i]);
    const auto variables = solution.dims.variables(solution.resolve(solution.dims.sub(equation.left, equation.right)));
    if (!std::binary_search(variables.begin(), variables.end(), v)) continue;
    std::vector<DimComparison> others;
    for (std::size_t j = 0; j < open.size(); ++j)
      if (j != i && !isStretch(open[j])) others.push_back(*comparisonOf(open[j]));
    if (findForcedValue(solver, v, others) != 0) return open[i];
  }
  return std::nullopt;
}

// Binds `v` to the value that the equation `c` forces beside the other open facts.
void bindForced(Solver& solver, DimVar v, std::int64_t value, const Constraint& c,
                const std::vector<Constraint>& open) {
  DimStore& dims = solver.solution.dims;
  if (const auto meant = value == 0 ? onlySolvedByZero(solver, v, open) : std::nullopt)
    return failForZero(solver, *meant, v);
  const ShapePart number = ShapePart::of(dims.constant(value), originOfFact(solver, c));
  unifyDim(solver, ShapePart::of(dims.variable(v)), number, c.reason);
  solve(solver);
}

// Solves equations that have one solution: h*h = 49 makes h 7, and b*k = 96*b makes k 96. True if one was solved.
bool forceSizes(Solver& solver, const std::vector<Constraint>& open) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  std::vector<Constraint> equations;
  std::vector<DimComparison> facts;
  for (const Constraint& c : open) {
    if (isStretch(c)) continue;
    facts.push_back(*comparisonOf(c));
    if (facts.back().relation == FactRelation::eq) equations.push_back(c);
  }
  std::vector<DimFact> known = solver.assumptions;
  for (const std::uint32_t index : solver.live)  // also those of sizes that are not of this function
    if (const Solver::Slot& slot = solver.slots[index]; slot.live && comparisonOf(slot.constraint))
      known.push_back(asAssumption(solver, slot.constraint));
  for (const Constraint& c : equations)
    if (solveForNumber(solver, *comparisonOf(c), known, c.reason)) {
      solve(solver);
      return true;
    }
  for (const Constraint& c : equations) {
    if (solver.decider.isExhausted()) return false;
    const DimComparison equation = *comparisonOf(c);
    const Dim difference = solution.resolve(dims.sub(equation.left, equation.right));
    const std::vector<DimVar> variables(dims.variables(difference).begin(), dims.variables(difference).end());
    constexpr std::size_t most = 3;
    if (variables.size() > most) continue;
    for (DimVar v : variables) {
      if (solution.dimVars[v.index].rigid || solution.dimVars[v.index].kind != DimKind::plain) continue;
      const auto value = findForcedValue(solver, v, facts);
      if (!value) continue;
      bindForced(solver, v, *value, c, open);
      return true;
    }
  }
  return false;
}

// Returns the sizes that a fact forces to 0: n and m of `0 >= 2*n + m`.
std::vector<DimVar> vanishing(Solver& solver, const DimComparison& fact) {
  const auto [relation, difference] = normaliseFact(solver, fact);
  std::vector<DimVar> out;
  if (relation != FactRelation::ge || solver.solution.dims.isUndefined(difference)) return out;
  for (const Term& term : solver.solution.dims.terms(difference)) {
    if (term.coefficient > 0 || term.factors.size() != 1 || term.factors[0].isAtom) return {};
    const DimVar v{term.factors[0].index};
    const DimVarInfo& info = solver.solution.dimVars[v.index];
    if (!info.isSize || info.rigid || info.promised || info.kind != DimKind::plain) return {};
    out.push_back(v);
  }
  return out;
}

bool bindVanishing(Solver& solver, const Constraint& c) {
  const std::vector<DimVar> zeros = vanishing(solver, *comparisonOf(c));
  if (zeros.empty()) return false;
  DimStore& dims = solver.solution.dims;
  const ShapePart zero = ShapePart::of(dims.constant(0), originOfFact(solver, c));
  for (DimVar v : zeros) unifyDim(solver, ShapePart::of(dims.variable(v)), zero, c.reason);
  solve(solver);
  return true;
}

// Refutes an equation of one size that alone makes it 0, such as h = h / 2, whatever the other facts say.
bool refuteVanishing(Solver& solver, const std::vector<Constraint>& open, const std::vector<std::uint32_t>& slots) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (solver.decider.isExhausted()) return false;
    if (!hasOpenSides(solver, open[i])) continue;
    const DimComparison equation = *comparisonOf(open[i]);
    const Dim difference = solver.solution.resolve(solver.solution.dims.sub(equation.left, equation.right));
    const auto variables = solver.solution.dims.variables(difference);
    if (variables.size() != 1 || !solver.solution.dimVars[variables[0].index].isSize) continue;
    const DimVar only = variables[0];
    if (findForcedValue(solver, only, {equation}) != 0) continue;
    for (std::uint32_t index : slots) removeConstraint(solver, index);
    failForZero(solver, open[i], only);
    return true;
  }
  return false;
}

// Refutes facts that can hold one by one but not together.
bool refuteTogether(Solver& solver, const std::vector<Constraint>& open, const std::vector<std::uint32_t>& slots) {
  const std::vector<DimFact> stated = solver.assumptions;
  if (solver.decider.isExhausted()) return false;
  if (open.size() + stated.size() < 2) return false;
  for (std::size_t i = open.size(); i-- > 0;) {
    solver.solution.work(open.size());
    std::vector<DimFact> others = stated;
    for (std::size_t j = 0; j < open.size(); ++j)
      if (j != i) others.push_back(asAssumption(solver, open[j]));
    std::string counterexample;
    std::vector<DimFact> because;
    {
      const AssumptionsInScope scope(solver, std::move(others));
      if (decideFact(solver, *comparisonOf(open[i]), &counterexample, &because) != FactVerdict::refuted) continue;
    }
    for (std::uint32_t index : slots) removeConstraint(solver, index);
    failFact(solver, factOf(open[i]), open[i].reason);
    addEvidence(solver.conflicts.back(), counterexample, because);
    return true;
  }
  return false;
}

}  // namespace

bool settleFacts(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t index : solver.live)
    if (const Solver::Slot& slot = solver.slots[index];
        slot.live && comparisonOf(slot.constraint) && choose(slot.constraint))
      chosen.push_back(index);
  bool moved = false;
  for (std::uint32_t index : chosen) {
    const Constraint c = solver.slots[index].constraint;
    if (refuteProduct(solver, c)) {
      removeConstraint(solver, index);
      return true;
    }
    std::string counterexample;
    std::vector<DimFact> because;
    FactVerdict verdict = decideFact(solver, *comparisonOf(c), &counterexample, &because);
    if (verdict == FactVerdict::open) {
      if (bindVanishing(solver, c)) return true;
      continue;
    }
    removeConstraint(solver, index);
    moved = true;
    if (verdict == FactVerdict::proved) recordProof(solver, c, solver.decidedBy);
    if (verdict == FactVerdict::proved) continue;
    failComparison(solver, c);
    addEvidence(solver.conflicts.back(), counterexample, because);
    return true;
  }
  if (moved || chosen.empty()) return moved;
  std::vector<Constraint> open;
  for (std::uint32_t index : chosen) open.push_back(solver.slots[index].constraint);
  return refuteVanishing(solver, open, chosen) || forceSizes(solver, open) || refuteTogether(solver, open, chosen);
}

namespace {

// Whether a fact that does not hold asks that a division of the sizes in conflict leaves no remainder.
bool asksForDivision(const Conflict& fact, const Conflict& sizes) {
  return fact.kind == ConflictKind::fact && std::ranges::any_of(fact.divisions, [&](const auto& division) {
           return std::ranges::find(sizes.divisions, division) != sizes.divisions.end();
         });
}

}  // namespace

void preferRefutedFact(Solver& solver) {
  if (solver.conflicts.empty() || solver.conflicts.front().kind != ConflictKind::dim) return;
  const auto divided = std::ranges::find_if(
      solver.conflicts, [&](const Conflict& c) { return asksForDivision(c, solver.conflicts.front()); });
  if (divided != solver.conflicts.end()) return void(std::rotate(solver.conflicts.begin(), divided, divided + 1));
  const Span meets = solver.provenance[solver.conflicts.front().reason].span;
  const std::vector<std::uint32_t> pending(solver.live.begin(), solver.live.end());
  for (std::uint32_t index : pending) {
    if (!solver.slots[index].live || !comparisonOf(solver.slots[index].constraint)) continue;
    const Constraint c = solver.slots[index].constraint;
    const Span asked = solver.provenance[c.reason].span;  // arguments end before their call does
    if (asked == meets || (asked.source == meets.source && asked.end > meets.end) || !refuteProduct(solver, c))
      continue;
    removeConstraint(solver, index);
    std::rotate(solver.conflicts.begin(), solver.conflicts.end() - 1, solver.conflicts.end());
    return;
  }
}

decide::Statistics decisionStatistics(const Solver& solver) {
  decide::Statistics all = solver.decider.statistics();
  all.decided[static_cast<int>(decide::Tier::normalForm)] += solver.settledByNormalForm;
  return all;
}

}  // namespace axle
