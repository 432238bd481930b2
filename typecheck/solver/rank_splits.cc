#include "typecheck/solver/rank_splits.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/trial.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// The first open variable of an equation whose other side has a known rank, and the ranks that leave none too few.
struct RankChoice {
  ShapeVar variable;
  ReasonId reason;
  Shape known, open;
  std::vector<std::size_t> ranks;
};

std::optional<RankChoice> rankChoice(Solver& solver, const constraint::ShapeEqual& equation, ReasonId reason) {
  Solution& solution = solver.solution;
  auto isVariable = [](const ShapePart& part) { return part.isVar; };
  auto isRuntime = [&](const ShapePart& part) { return part.isVar && solution.shapeVars[part.var.index].runtime; };
  Shape known = solution.resolve(equation.left), open = solution.resolve(equation.right);
  if (std::ranges::any_of(known, isVariable)) std::swap(known, open);
  const auto first = std::ranges::find_if(open, isVariable);
  if (std::ranges::any_of(known, isVariable) || first == open.end() || std::ranges::any_of(open, isRuntime))
    return std::nullopt;
  const ShapeVar variable = first->var;
  const auto variables = static_cast<std::size_t>(std::ranges::count_if(open, isVariable));
  const auto times = static_cast<std::size_t>(
      std::ranges::count_if(open, [&](const ShapePart& part) { return part.isVar && part.var == variable; }));
  const std::size_t sizes = open.size() - variables;
  if (sizes > known.size()) return std::nullopt;  // its rule refuses it
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

void takeRank(Solver& solver, const RankChoice& choice, std::size_t rank) {
  const std::string name = solver.solution.shapeVars[choice.variable.index].name;
  Shape sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(ShapePart::of(freshDimTerm(solver, name + std::to_string(i))));
  unifyShape(solver, {ShapePart::of(choice.variable)}, sizes, choice.reason);
  solve(solver);
}

// Whether all equations can hold where the variable has this rank. True also where that takes more than `trials`.
bool isPossible(Solver& solver, const RankChoice& choice, std::size_t rank, int& trials) {
  if (--trials < 0) return true;
  const Trial trial(solver);
  takeRank(solver, choice, rank);
  if (!solver.conflicts.empty()) return false;
  const std::vector<RankChoice> rest = rankChoices(solver, [](const Constraint&) { return true; });
  if (rest.empty()) return true;
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

}  // namespace

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

}  // namespace axle
