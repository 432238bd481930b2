#include "typecheck/solver/rank_splits.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/trial.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

std::size_t openParts(const Shape& shape) {
  return static_cast<std::size_t>(std::ranges::count_if(shape, [](const ShapePart& part) { return part.isVar; }));
}

// Whether only a run tells the rank.
bool hasRuntimeRank(const Solution& solution, const Shape& shape) {
  return std::ranges::any_of(
      shape, [&](const ShapePart& part) { return part.isVar && solution.shapeVars[part.var.index].runtime; });
}

// The first open variable of an equation whose other side has a known rank, and the ranks that it may have.
struct RankChoice {
  ShapeVar variable;
  ReasonId reason;
  Shape known, open;
  std::vector<std::size_t> ranks;
};

std::optional<RankChoice> rankChoice(Solver& solver, const constraint::ShapeEqual& equation, ReasonId reason) {
  Solution& solution = solver.solution;
  Shape known = solution.resolve(equation.left), open = solution.resolve(equation.right);
  if (openParts(known)) std::swap(known, open);
  const std::size_t variables = openParts(open);
  if (openParts(known) || !variables || hasRuntimeRank(solution, open)) return std::nullopt;
  const ShapeVar variable = std::ranges::find(open, true, &ShapePart::isVar)->var;
  const auto times = static_cast<std::size_t>(
      std::ranges::count_if(open, [&](const ShapePart& part) { return part.isVar && part.var == variable; }));
  const std::size_t sizes = open.size() - variables;
  if (sizes > known.size()) return std::nullopt;  // the constraint's rule reports it
  RankChoice choice{variable, reason, std::move(known), std::move(open), {}};
  const std::size_t rest = choice.known.size() - sizes;
  for (std::size_t rank = 0; rank * times <= rest; ++rank)
    if (variables > times || rank * times == rest) choice.ranks.push_back(rank);
  return choice;
}

std::vector<RankChoice> rankChoices(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  std::vector<RankChoice> choices;
  for (const Constraint& constraint : pendingConstraints(solver))
    if (const auto* equation = constraint.as<constraint::ShapeEqual>(); equation && choose(constraint))
      if (auto choice = rankChoice(solver, *equation, constraint.reason)) choices.push_back(std::move(*choice));
  return choices;
}

Shape freshSizes(Solver& solver, const std::string& name, std::size_t rank) {
  Shape sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(ShapePart::of(freshDimTerm(solver, name + std::to_string(i))));
  return sizes;
}

void takeRank(Solver& solver, ShapeVar variable, std::size_t rank, ReasonId reason) {
  const std::string name = solver.solution.shapeVars[variable.index].name;
  unifyShape(solver, {ShapePart::of(variable)}, freshSizes(solver, name, rank), reason);
  solve(solver);
}
void takeRank(Solver& solver, const RankChoice& choice, std::size_t rank) {
  takeRank(solver, choice.variable, rank, choice.reason);
}

// Whether no suspended equation of sizes is refuted by the other facts: `k + k / 3 == 2` is by `k >= 3`.
bool sizesMayHold(Solver& solver) {
  std::vector<DimComparison> facts;
  for (const Constraint& constraint : pendingConstraints(solver))
    if (const auto fact = comparisonOf(constraint)) facts.push_back(*fact);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].relation != FactRelation::eq) continue;
    std::vector<DimFact> others = solver.assumptions;
    for (std::size_t j = 0; j < facts.size(); ++j)
      if (j != i) static_cast<DimComparison&>(others.emplace_back()) = facts[j];
    const AssumptionsInScope scope(solver, std::move(others));
    if (decideFact(solver, facts[i]) == FactVerdict::refuted) return false;
  }
  return true;
}

// Whether all equations can hold if the variable has this rank. Also true if finding out takes more than `trials`.
bool isPossible(Solver& solver, const RankChoice& choice, std::size_t rank, int& trials) {
  if (--trials < 0) return true;
  const Trial trial(solver);
  takeRank(solver, choice, rank);
  if (!solver.conflicts.empty()) return false;
  const std::vector<RankChoice> rest = rankChoices(solver, [](const Constraint&) { return true; });
  if (rest.empty()) return sizesMayHold(solver);
  return std::ranges::any_of(rest.front().ranks,
                             [&](std::size_t next) { return isPossible(solver, rest.front(), next, trials); });
}

void failSplit(Solver& solver, const RankChoice& choice) {
  std::vector<OriginId> origins;
  for (const Shape* shape : {&choice.known, &choice.open})
    if (!shape->empty() && shape->front().origin.index) origins.push_back(shape->front().origin);
  fail(solver, conflictOf(ConflictKind::split, choice.reason, show(solver, choice.known), show(solver, choice.open),
                          std::move(origins)));
}

// Whether some choice of the remaining ranks satisfies the equations.
bool canFinish(Solver& solver, int& trials) {
  if (!solver.conflicts.empty()) return false;
  const std::vector<RankChoice> rest = rankChoices(solver, [](const Constraint&) { return true; });
  if (rest.empty()) return sizesMayHold(solver);
  return std::ranges::any_of(rest.front().ranks,
                             [&](std::size_t rank) { return isPossible(solver, rest.front(), rank, trials); });
}

// Adds the possible ranks of the variables, starting with variable number `ranks.size()`.
void addChoices(Solver& solver, OpenSplit& split, std::vector<std::size_t>& ranks, int& trials) {
  if (ranks.size() == split.variables.size()) {
    if (canFinish(solver, trials)) split.choices.push_back(ranks);
    return;
  }
  const ShapeVar variable = split.variables[ranks.size()];
  const Shape now = solver.solution.resolve(Shape{ShapePart::of(variable)});
  const bool isOpen = std::ranges::any_of(now, [](const ShapePart& part) { return part.isVar; });
  for (std::size_t rank = isOpen ? 0 : now.size(); rank <= (isOpen ? split.known.size() : now.size()); ++rank) {
    if (--trials < 0) return;
    const Trial trial(solver);
    if (isOpen) takeRank(solver, variable, rank, split.reason);
    if (!solver.conflicts.empty()) continue;
    ranks.push_back(rank);
    addChoices(solver, split, ranks, trials);
    ranks.pop_back();
  }
}

// The rank that an operand must have, and whether it follows from the operand and the result alone.
struct RankInResult {
  std::size_t rank;
  bool isForced;
};

// A result of known rank has the rank of one operand, and the other has no higher one. None while several are possible,
// and for ranks that only a run tells.
std::optional<RankInResult> rankInResult(const Solution& solution, const Shape& result, const Shape& operand,
                                         const Shape& other) {
  const std::size_t open = openParts(operand), sizes = operand.size() - open;
  if (!open || openParts(result) || hasRuntimeRank(solution, operand)) return std::nullopt;
  if (sizes >= result.size()) return RankInResult{sizes, true};
  const bool isHigher = open == 1 && !openParts(other) && other.size() < result.size();
  return isHigher ? std::optional(RankInResult{result.size(), false}) : std::nullopt;
}

}  // namespace

std::optional<OpenSplit> firstOpenSplit(Solver& solver) {
  int trials = 500;
  for (const RankChoice& choice : rankChoices(solver, [](const Constraint&) { return true; })) {
    OpenSplit split{choice.reason, choice.known, choice.open, {}, {}};
    for (const ShapePart& part : split.open)
      if (part.isVar && std::ranges::find(split.variables, part.var) == split.variables.end())
        split.variables.push_back(part.var);
    std::vector<std::size_t> ranks;
    addChoices(solver, split, ranks, trials);
    return split;
  }
  return std::nullopt;
}

void takeSplit(Solver& solver, const OpenSplit& split, const std::vector<std::size_t>& ranks) {
  std::size_t at = 0;  // in the known shape
  for (const ShapePart& part : split.open) {
    const auto found = part.isVar ? std::ranges::find(split.variables, part.var) : split.variables.end();
    const std::size_t rank = part.isVar ? ranks[static_cast<std::size_t>(found - split.variables.begin())] : 1;
    const auto from = split.known.begin() + static_cast<std::ptrdiff_t>(at);
    at += rank;
    if (part.isVar) unifyShape(solver, {part}, Shape(from, from + static_cast<std::ptrdiff_t>(rank)), split.reason);
  }
  solve(solver);
}

bool settleRanks(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  int trials = 500;
  for (const RankChoice& choice : rankChoices(solver, choose)) {
    std::vector<std::size_t> ranks = choice.ranks;
    if (ranks.size() > 1)
      std::erase_if(ranks, [&](std::size_t rank) { return !isPossible(solver, choice, rank, trials); });
    if (ranks.size() > 1) continue;
    if (ranks.empty())
      failSplit(solver, choice);
    else
      takeRank(solver, choice, ranks.front());
    return true;
  }
  return false;
}

bool takeBroadcastRanks(Solver& solver, const std::function<bool(ShapeVar)>& choose) {
  Solution& solution = solver.solution;
  for (const Pending<constraint::Broadcast>& pending : pendingOf<constraint::Broadcast>(solver)) {
    const Shape a = solution.resolve(pending->left), b = solution.resolve(pending->right),
                whole = solution.resolve(pending->result);
    for (const auto& [operand, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      const auto found = rankInResult(solution, whole, *operand, *other);
      const auto mayTake = [&](const ShapePart& part) { return !part.isVar || choose(part.var); };
      if (!found || (!found->isForced && !std::ranges::all_of(*operand, mayTake))) continue;
      unifyShape(solver, freshSizes(solver, "s", found->rank), *operand, pending.reason);
      solve(solver);
      return true;
    }
  }
  return false;
}

}  // namespace axle
