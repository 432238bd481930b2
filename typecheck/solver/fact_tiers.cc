// What tier 1 leaves open, asked of the tiers behind it (decide/) when nothing else moves: facts that follow are
// dropped, facts that cannot hold are errors with their reasons and sizes that show it, sizes that are forced are
// found.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dims/decide/evaluate.h"
#include "typecheck/solver/solver.h"

namespace axle {
namespace {

bool isFact(const Constraint& c) { return c.kind == ConstraintKind::fact || c.kind == ConstraintKind::dimEqual; }

}  // namespace

DimFact asFact(const Constraint& c) {
  DimFact fact;
  fact.left = c.dims[0];
  fact.right = c.dims[1];
  fact.relation = c.kind == ConstraintKind::fact ? c.relation : FactRelation::eq;
  return fact;
}

// `claim` under those facts of `from` that share a variable with it, or with one that does.
decide::Question Solver::question(DimComparison claim, const std::vector<DimFact>& from, std::vector<std::size_t>& asked) {
  constexpr std::size_t most = 24;
  constexpr std::size_t lookedAt = 8;  // as work
  s_.work(lookedAt * from.size());
  claim.left = s_.resolve(claim.left);
  claim.right = s_.resolve(claim.right);
  std::vector<DimComparison> resolved(from.size());  // without who asks: nothing here says it
  std::set<DimVar> reached;
  auto reach = [&](const DimComparison& fact) {
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : s_.dims.variables(side)) reached.insert(v);
  };
  auto isReached = [&](const DimComparison& fact) {
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : s_.dims.variables(side))
        if (reached.count(v)) return true;
    return false;
  };
  reach(claim);
  for (std::size_t i = 0; i < from.size(); ++i) {
    resolved[i].left = s_.resolve(from[i].left);
    resolved[i].relation = from[i].relation;
    resolved[i].right = s_.resolve(from[i].right);
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
  decide::Question q{s_.dims, {}, std::move(claim), [this](DimVar v) { return s_.dimVars[v.index].isSize; }, {}, {}};
  for (std::size_t i : asked) q.assumptions.push_back(resolved[i]);
  return q;
}

Solver::Verdict Solver::decideFully(const DimFact& fact, std::string* counterexample, std::vector<DimFact>* because) {
  decidedBy = decide::Tier::normalForm;
  gaveUp = false;
  Verdict quick = decide(fact.left, fact.relation, fact.right);
  if (quick != Verdict::open) return quick;
  std::vector<std::size_t> asked;
  decide::Question q = question(fact, assumptions, asked);
  std::vector<std::uint32_t> key;
  auto note = [&](const DimComparison& f) {
    key.insert(key.end(), {static_cast<std::uint32_t>(f.relation), f.left.index, f.right.index});
  };
  note(q.claim);
  for (const DimComparison& f : q.assumptions) note(f);
  if (auto it = leftOpen_.find(key); it != leftOpen_.end()) {
    gaveUp = it->second;
    return Verdict::open;
  }
  if (gaveUp = decider_.isExhausted(); gaveUp) return Verdict::open;
  decide::Answer answer = decider_.decide(q);
  gaveUp = answer.verdict == decide::Verdict::unknown;
  decidedBy = answer.tier;
  if (answer.verdict == decide::Verdict::proved) return Verdict::proved;
  if (answer.verdict != decide::Verdict::refuted) {
    leftOpen_.emplace(std::move(key), gaveUp);
    return Verdict::open;
  }
  if (counterexample && answer.failsFor) *counterexample = told(q.claim, *answer.failsFor);
  if (because)
    for (std::size_t i : decider_.core(q, decide::Verdict::refuted)) because->push_back(assumptions[asked[i]]);
  return Verdict::refuted;
}

bool Solver::follows(const DimFact& fact, const std::vector<DimFact>& given) {
  std::vector<DimFact> inScope = given;
  std::swap(assumptions, inScope);
  bool proved = decideFully(fact) == Verdict::proved;
  std::swap(assumptions, inScope);
  return proved;
}

bool Solver::isSatisfiable(const DimFact& fact, const std::vector<DimFact>& given) {
  std::vector<std::size_t> asked;
  return decider_.possible(question(fact, given, asked)).has_value();
}

// "for h = 3, `2*(h / 2)` is 2 and `h` is 3"
std::string Solver::told(const DimComparison& fact, const decide::Assignment& sizes) {
  std::vector<std::int64_t> values(s_.dims.variableCount(), 0);
  std::vector<std::string> given, sides;
  for (const auto& [v, value] : sizes) {
    values[v.index] = value;
    auto in = [&](Dim side) {
      auto all = s_.dims.variables(side);
      return std::binary_search(all.begin(), all.end(), v);
    };
    if (in(fact.left) || in(fact.right)) given.push_back(fmt::format("{} = {}", s_.dims.name(v), value));
  }
  for (Dim side : {fact.left, fact.right}) {
    auto value = decide::evaluate(s_.dims, side, values);
    if (s_.dims.asConstant(side) || !value || *value > INT64_MAX || *value < INT64_MIN) continue;
    std::string text = fmt::format("`{}` is {}", s_.dims.print(side), static_cast<std::int64_t>(*value));
    bool isOneName = s_.dims.asVariable(side).has_value();
    if (!isOneName) sides.push_back(std::move(text));
  }
  if (given.empty() || sides.empty()) return {};
  return fmt::format("for {}, {}", fmt::join(given, ", "), fmt::join(sides, " and "));
}

// Adds what an error should show besides: the stated facts that it takes, and sizes.
void Solver::addEvidence(Conflict& conflict, const std::string& counterexample, const std::vector<DimFact>& because) {
  if (!counterexample.empty()) conflict.notes.push_back(counterexample);
  for (const DimFact& fact : because)
    if (!fact.places.empty()) conflict.because.emplace_back(fact.places.front(), "since this is so");
}

bool Solver::settleFacts(const std::function<bool(const Constraint&)>& choose) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t index : live_)
    if (slots_[index].live && isFact(slots_[index].constraint) && choose(slots_[index].constraint))
      chosen.push_back(index);
  bool moved = false;
  for (std::uint32_t index : chosen) {
    const Constraint c = slots_[index].constraint;
    if (refuteProduct(c)) {
      slots_[index].live = false;
      return true;
    }
    std::string counterexample;
    std::vector<DimFact> because;
    Verdict verdict = decideFully(asFact(c), &counterexample, &because);
    if (verdict == Verdict::open) continue;
    slots_[index].live = false;
    moved = true;
    if (verdict == Verdict::proved) proved(c, decidedBy);
    if (verdict == Verdict::proved) continue;
    if (c.kind == ConstraintKind::dimEqual)
      failSizes(ConflictKind::dim, c.shapes[0][0], c.shapes[1][0], c.reason);
    else
      failFact(c);
    addEvidence(conflicts.back(), counterexample, because);
    return true;
  }
  if (moved || chosen.empty()) return moved;
  std::vector<Constraint> open;
  for (std::uint32_t index : chosen) open.push_back(slots_[index].constraint);
  return forceSizes(open) || refuteTogether(open, chosen);
}

// 8*b*t = 9*b*t holds only where b*t is 0, and nobody means that.
bool Solver::refuteProduct(const Constraint& c) {
  const DimFact fact = asFact(c);
  const Dim left = s_.resolve(fact.left), right = s_.resolve(fact.right), zero = s_.dims.constant(0);
  if (fact.relation != FactRelation::eq || c.dims.size() > 2 || left == zero || right == zero) return false;
  auto terms = s_.dims.terms(s_.dims.sub(left, right));
  if (terms.size() != 1 || terms[0].factors.empty()) return false;
  Term product = terms[0];
  product.coefficient = 1;
  bool isOfSizes = std::all_of(product.factors.begin(), product.factors.end(), [&](const Factor& f) {
    return !f.isAtom && s_.dimVars[f.index].isSize && s_.dimVars[f.index].kind == DimKind::plain;
  });
  if (!isOfSizes) return false;
  if (c.kind == ConstraintKind::dimEqual)
    failSizes(ConflictKind::dim, c.shapes[0][0], c.shapes[1][0], c.reason);
  else
    failFact(c);
  conflicts.back().notes.push_back(fmt::format("only {} = 0 would do", s_.dims.print(s_.dims.fromTerms({product}))));
  return true;
}

// h*h = 49 makes h 7: an equation that has one solution is solved.
bool Solver::forceSizes(const std::vector<Constraint>& open) {
  std::vector<Constraint> equations;
  std::vector<DimFact> facts;
  for (const Constraint& c : open) {
    if (c.dims.size() > 2) continue;
    facts.push_back(asFact(c));
    if (facts.back().relation == FactRelation::eq) equations.push_back(c);
  }
  for (const Constraint& c : equations) {
    if (decider_.isExhausted()) return false;
    Dim difference = s_.resolve(s_.dims.sub(c.dims[0], c.dims[1]));
    std::vector<DimVar> variables(s_.dims.variables(difference).begin(), s_.dims.variables(difference).end());
    constexpr std::size_t most = 3;
    if (variables.size() > most) continue;
    for (DimVar v : variables) {
      const DimVarInfo& info = s_.dimVars[v.index];
      if (info.rigid || info.kind != DimKind::plain) continue;
      DimFact self;
      self.left = self.right = s_.dims.variable(v);
      self.relation = FactRelation::eq;
      std::vector<std::size_t> asked;
      decide::Question q = question(self, facts, asked);
      std::vector<std::uint32_t> key{v.index};
      for (const DimComparison& f : q.assumptions)
        key.insert(key.end(), {static_cast<std::uint32_t>(f.relation), f.left.index, f.right.index});
      if (leftOpen_.count(key)) continue;
      auto value = decider_.possible(q);
      if (value) q.claim.right = s_.dims.constant(*value);
      if (!value || decider_.decide(q).verdict != decide::Verdict::proved) {
        leftOpen_.emplace(std::move(key), false);
        continue;
      }
      // 8*n = 9*n holds of nothing at all; nobody means that.
      Dim zero = s_.dims.constant(0);
      if (info.isSize && *value == 0 && s_.resolve(c.dims[0]) != zero && s_.resolve(c.dims[1]) != zero) {
        if (c.kind == ConstraintKind::dimEqual)
          failSizes(ConflictKind::dim, c.shapes[0][0], c.shapes[1][0], c.reason);
        else
          failFact(c);
        conflicts.back().notes.push_back(fmt::format("only {} = 0 would do", s_.dims.name(v)));
        return true;
      }
      unifyDim(ShapePart::of(self.left), ShapePart::of(s_.dims.constant(*value), originOfFact(c)), c.reason);
      solve();
      return true;
    }
  }
  return false;
}

OriginId Solver::originOfFact(const Constraint& c) {
  for (Dim side : c.dims)
    for (OriginId o : originsOf(ShapePart::of(side)))
      if (o.index) return o;
  Origin here;
  here.span = why_[c.reason].span;
  return why_.add(here);
}

// Facts of which each could hold, but not all.
bool Solver::refuteTogether(const std::vector<Constraint>& open, const std::vector<std::uint32_t>& slots) {
  const std::vector<DimFact> stated = assumptions;
  if (decider_.isExhausted()) return false;
  if (open.size() + stated.size() < 2) return false;
  for (std::size_t i = open.size(); i-- > 0;) {
    s_.work(open.size());
    for (std::size_t j = 0; j < open.size(); ++j) {
      if (j == i) continue;
      assumptions.push_back(asFact(open[j]));
      assumptions.back().places = {why_[open[j].reason].span};
    }
    std::string counterexample;
    std::vector<DimFact> because;
    bool refuted = decideFully(asFact(open[i]), &counterexample, &because) == Verdict::refuted;
    assumptions = stated;
    if (!refuted) continue;
    for (std::uint32_t index : slots) slots_[index].live = false;
    failFact(open[i]);
    addEvidence(conflicts.back(), counterexample, because);
    return true;
  }
  return false;
}

}  // namespace axle
