#include "typecheck/solver/rank_splits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/rules.h"
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

void takeRank(Solver& solver, ShapeVar variable, std::size_t rank, ReasonId reason) {
  const std::string name = solver.solution.shapeVars[variable.index].name;
  Shape sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(ShapePart::of(freshDimTerm(solver, name + std::to_string(i))));
  unifyShape(solver, {ShapePart::of(variable)}, sizes, reason);
  solve(solver);
}
void takeRank(Solver& solver, const RankChoice& choice, std::size_t rank) {
  takeRank(solver, choice.variable, rank, choice.reason);
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

// Whether one of the ranks that are left for the equations can be taken.
bool canFinish(Solver& solver, int& trials) {
  if (!solver.conflicts.empty()) return false;
  const std::vector<RankChoice> rest = rankChoices(solver, [](const Constraint&) { return true; });
  return rest.empty() || std::ranges::any_of(rest.front().ranks, [&](std::size_t rank) {
           return isPossible(solver, rest.front(), rank, trials);
         });
}

// Adds the possible ranks of the variables from the one at `ranks.size()` on.
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

bool isSameShape(const Shape& a, const Shape& b) {
  return std::ranges::equal(a, b, [](const ShapePart& x, const ShapePart& y) {
    return x.isVar == y.isVar && (x.isVar ? x.var == y.var : x.dim == y.dim);
  });
}

// Whether an equation of two shapes makes a variable known, or cannot hold.
bool saysMore(Solver& solver, const Shape& left, const Shape& right) {
  Solution& solution = solver.solution;
  auto isRuntime = [&](const ShapePart& part) { return part.isVar && solution.shapeVars[part.var.index].runtime; };
  if (std::ranges::any_of(left, isRuntime) || std::ranges::any_of(right, isRuntime)) return false;
  auto canBecome = [&](const ShapePart& size, const ShapePart& other) {
    const auto v = solution.dims.asVariable(size.dim);
    if (!v || solution.dims.isUndefined(other.dim) || std::ranges::count(solution.dims.variables(other.dim), *v))
      return false;
    return !solution.dimVars[v->index].rigid && solution.dimVars[v->index].kind == DimKind::plain;
  };
  bool bindsSize = false;
  auto takeEnds = [&](auto a, const auto endOfA, auto b, const auto endOfB) {
    std::ptrdiff_t taken = 0;
    for (; a != endOfA && b != endOfB && a->isVar == b->isVar && (!a->isVar || a->var == b->var); ++a, ++b, ++taken)
      bindsSize |= !a->isVar && a->dim != b->dim && (canBecome(*a, *b) || canBecome(*b, *a));
    return taken;
  };
  const std::ptrdiff_t back = takeEnds(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  const std::ptrdiff_t front = takeEnds(left.begin(), left.end() - back, right.begin(), right.end() - back);
  if (bindsSize) return true;
  const Shape a(left.begin() + front, left.end() - back), b(right.begin() + front, right.end() - back);
  if (a.empty() && b.empty()) return false;
  const Trial trial(solver);
  return tryShapeEqual(solver, a, b, {}) != Progress::waiting;
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

bool equateEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  Solution& solution = solver.solution;
  using Key = std::vector<std::pair<bool, std::uint32_t>>;
  struct Member {
    Shape shape;
    ReasonId reason;
    std::size_t equals;  // the first shape that it is known to be equal to
  };
  std::vector<Member> members;
  std::map<Key, std::size_t> known;
  auto memberOf = [&](const Shape& shape, ReasonId reason) {
    Key key;
    for (const ShapePart& part : shape) key.emplace_back(part.isVar, part.isVar ? part.var.index : part.dim.index);
    const auto [at, isNew] = known.try_emplace(std::move(key), members.size());
    if (isNew) members.push_back({shape, reason, members.size()});
    return at->second;
  };
  auto firstOf = [&](std::size_t member) {
    while (members[member].equals != member) member = members[member].equals;
    return member;
  };
  for (const Constraint& constraint : pendingConstraints(solver)) {
    const auto* equation = constraint.as<constraint::ShapeEqual>();
    if (!equation || !choose(constraint)) continue;
    const std::size_t left = firstOf(memberOf(solution.resolve(equation->left), constraint.reason));
    const std::size_t right = firstOf(memberOf(solution.resolve(equation->right), constraint.reason));
    members[std::max(left, right)].equals = std::min(left, right);
  }
  std::map<std::size_t, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < members.size(); ++i) classes[firstOf(i)].push_back(i);
  int pairs = 10'000;
  for (const auto& [first, ofClass] : classes)
    for (auto i = ofClass.begin(); i != ofClass.end(); ++i)
      for (auto j = ofClass.begin(); j != i; ++j) {
        const Member &one = members[*i], &other = members[*j];
        if (--pairs < 0) return false;
        if (!saysMore(solver, one.shape, other.shape)) continue;
        const Shape before[] = {solution.resolve(one.shape), solution.resolve(other.shape)};
        unifyShape(solver, one.shape, other.shape, one.reason);
        solve(solver);
        const bool isKnown = isSameShape(before[0], solution.resolve(one.shape)) &&
                             isSameShape(before[1], solution.resolve(other.shape));
        if (!isKnown || !solver.conflicts.empty()) return true;
      }
  return false;
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

}  // namespace axle
