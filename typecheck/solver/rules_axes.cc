// Rules whose attributes name axes. Each works in both directions: known parts of the result determine sizes and rank
// of the operand.
#include <algorithm>
#include <set>

#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// A shape split so that each requested axis has its own size; `rest` may stay open.
struct SplitShape {
  Shape sizes;  // the leading sizes; the trailing ones if all axes count from the trailing end
  Shape rest;
  bool leading = true;
  std::vector<std::size_t> axes;  // into `sizes`

  // Returns the whole shape, with `changed` in place of `sizes`.
  Shape with(Shape changed) const {
    if (!leading) changed.insert(changed.begin(), rest.begin(), rest.end());
    if (leading) changed.insert(changed.end(), rest.begin(), rest.end());
    return changed;
  }
};

// Reads one axis or a list of axes; none while one of them is open. Sets `isWrong` if the value has another form.
std::optional<std::vector<std::int64_t>> staticAxes(Solver& solver, StaticId list, bool& isWrong) {
  Solution& solution = solver.solution;
  const StaticTerm& term = solution.types[solution.resolve(list)];
  std::vector<StaticId> items = term.kind == StaticKind::list ? term.items : std::vector<StaticId>{list};
  std::vector<std::int64_t> axes;
  for (StaticId item : items) {
    const StaticTerm& value = solution.types[solution.resolve(item)];
    if (value.kind == StaticKind::var) return std::nullopt;
    isWrong |= value.kind != StaticKind::dim;
    auto number = isWrong ? std::nullopt : solution.dims.asConstant(solution.resolve(value.dim));
    if (!number) return std::nullopt;
    axes.push_back(*number);
  }
  return axes;
}

Progress failAxisBeyondLimit(Solver& solver, ReasonId reason, std::int64_t axis) {
  return failAttribute(solver, reason, "axis " + std::to_string(axis) + " is out of range");
}

// Checks that every axis is within the limits, and within the rank if that is known.
Progress checkAxes(Solver& solver, ReasonId reason, const std::vector<std::int64_t>& axes,
                   std::optional<std::size_t> rank) {
  for (std::int64_t axis : axes)
    if (axis >= maxAxes || axis < -maxAxes) return failAxisBeyondLimit(solver, reason, axis);
  if (!rank) return Progress::done;
  const auto count = static_cast<std::int64_t>(*rank);
  for (std::int64_t axis : axes)
    if (axis >= count || axis < -count)
      return failAttribute(solver, reason,
                           "axis " + std::to_string(axis) + " is out of range for a tensor of rank " +
                               std::to_string(*rank) + ": " + axesOfRank(*rank));
  return Progress::done;
}

// Splits `count` sizes off one end of the operand. Takes the sizes that are visible there; otherwise unifies the
// operand with fresh ones.
bool splitOff(Solver& solver, const Shape& operand, std::size_t count, ReasonId reason, SplitShape& split) {
  Shape flat = solver.solution.flatten(operand);
  if (!split.leading) std::reverse(flat.begin(), flat.end());
  const auto end = static_cast<std::ptrdiff_t>(count);
  auto isDim = [](const ShapePart& p) { return !p.isVar; };
  if (flat.size() >= count && std::all_of(flat.begin(), flat.begin() + end, isDim)) {
    split.sizes.assign(flat.begin(), flat.begin() + end);
    split.rest.assign(flat.begin() + end, flat.end());
    if (!split.leading) {
      std::reverse(split.sizes.begin(), split.sizes.end());
      std::reverse(split.rest.begin(), split.rest.end());
    }
    return true;
  }
  for (std::size_t i = 0; i < count; ++i)
    split.sizes.push_back(ShapePart::of(freshDimTerm(solver, "d" + std::to_string(i))));
  split.rest = {ShapePart::of(freshShape(solver, "s"))};
  return unifyShape(solver, operand, split.with(split.sizes), reason);
}

// Splits an operand at its axes. If all axes count from one end, the other end stays open; otherwise the rank must be
// known, from the operand or from `rank`, which follows from the result.
Progress splitAtAxes(Solver& solver, const Shape& operand, const std::vector<std::int64_t>& axes,
                     std::optional<std::size_t> rank, ReasonId reason, SplitShape& split) {
  if (auto known = knownDims(solver, operand)) rank = known->size();
  if (Progress progress = checkAxes(solver, reason, axes, rank); progress != Progress::done) return progress;
  bool mixed = false, negative = false;
  std::size_t count = 0;
  for (std::int64_t axis : axes) {
    mixed |= axis != axes.front() && (axis < 0) != (axes.front() < 0);
    negative |= axis < 0;
    count = std::max(count, static_cast<std::size_t>(axis < 0 ? -axis : axis + 1));
  }
  if (mixed && !rank) return Progress::waiting;
  if (mixed) count = *rank;
  split.leading = mixed || !negative;
  if (!splitOff(solver, operand, count, reason, split)) return Progress::failed;
  for (std::int64_t axis : axes)
    split.axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(count) : axis));
  return Progress::done;
}

// Splits the operand at two axes, each given as one number.
Progress splitAtTwo(Solver& solver, const Shape& result, const Shape& operand, StaticId first, StaticId second,
                    ReasonId reason, SplitShape& split) {
  std::vector<std::int64_t> axes;
  bool isWrong = false;
  for (StaticId given : {first, second}) {
    auto axis = staticAxes(solver, given, isWrong);
    if (isWrong || (axis && axis->size() != 1)) return failForm(solver, reason, "a whole number");
    if (!axis) return Progress::waiting;
    axes.push_back(axis->front());
  }
  auto sizes = knownDims(solver, result);
  return splitAtAxes(solver, operand, axes, sizes ? std::optional(sizes->size()) : std::nullopt, reason, split);
}

// Reads a list of the numbers 0 to n - 1 in some order; none if the list is not a permutation.
std::optional<std::vector<std::size_t>> permutationOf(Solution& solution, const std::vector<StaticId>& items) {
  std::vector<bool> seen(items.size(), false);
  std::vector<std::size_t> order;
  for (StaticId item : items) {
    const StaticTerm& term = solution.types[solution.resolve(item)];
    auto value = term.kind == StaticKind::dim ? solution.dims.asConstant(term.dim) : std::nullopt;
    if (!value || *value < 0 || *value >= static_cast<std::int64_t>(seen.size())) return std::nullopt;
    const auto axis = static_cast<std::size_t>(*value);
    if (seen[axis]) return std::nullopt;
    seen[axis] = true;
    order.push_back(axis);
  }
  return order;
}

// The rule of a reduction over all axes.
Progress reduceAll(Solver& solver, const constraint::Reduce& reduce, bool keeps, ReasonId reason) {
  if (!requireWhole(solver, reduce.operand, reason)) return Progress::failed;
  if (!keeps) return doneIf(unifyShape(solver, reduce.result, {}, reason));
  auto from = knownDims(solver, reduce.operand), to = knownDims(solver, reduce.result);
  if (!from && to && !fixRank(solver, reduce.operand, to->size(), reason)) return Progress::failed;
  if (!from) from = knownDims(solver, reduce.operand);
  if (!from) return Progress::waiting;
  const Shape ones(from->size(), ShapePart::of(solver.solution.dims.constant(1)));
  return doneIf(unifyShape(solver, reduce.result, ones, reason));
}

}  // namespace

Progress constraint::AxisSplit::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const StaticTerm term = solution.types[solution.resolve(axis)];
  if (term.kind != StaticKind::dim && term.kind != StaticKind::var) return failForm(solver, reason, "a whole number");
  auto value = term.kind == StaticKind::dim ? solution.dims.asConstant(solution.resolve(term.dim)) : std::nullopt;
  if (!value) return Progress::waiting;
  if (*value >= maxAxes || *value < -maxAxes) return failAxisBeyondLimit(solver, reason, *value);
  const Shape& side = *value >= 0 ? before : after;
  const auto rank = static_cast<std::size_t>(*value >= 0 ? *value : -*value - 1);
  if (!fixRank(solver, side, rank, reason)) return Progress::failed;
  return knownDims(solver, side) ? Progress::done : Progress::waiting;
}

Progress constraint::Permute::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const StaticTerm list = solution.types[solution.resolve(order)];
  if (list.kind == StaticKind::var) return Progress::waiting;
  std::optional<std::vector<std::size_t>> axes;
  if (list.kind == StaticKind::reversed) {
    auto known = knownDims(solver, operand);
    if (!known) known = knownDims(solver, result);
    if (!known) return Progress::waiting;
    axes.emplace();
    for (std::size_t i = known->size(); i > 0; --i) axes->push_back(i - 1);
  } else if (list.kind == StaticKind::list) {
    axes = permutationOf(solution, list.items);
    if (!axes)
      return failAttribute(solver, reason,
                           "`perm` must name each axis from 0 to " + std::to_string(list.items.size() - 1) + " once");
  } else {
    return failForm(solver, reason, "a list of axes");
  }
  if (!fixRank(solver, operand, axes->size(), reason)) return Progress::failed;
  if (!knownDims(solver, operand)) return Progress::waiting;
  Shape from = solution.resolve(operand), to;
  for (std::size_t axis : *axes) to.push_back(from[axis]);
  return doneIf(unifyShape(solver, result, to, reason));
}

Progress constraint::Reduce::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const StaticTerm& given = solution.types[solution.resolve(axes)];
  const StaticTerm& kept = solution.types[solution.resolve(keep)];
  if (given.kind == StaticKind::var || kept.kind == StaticKind::var) return Progress::waiting;
  if (kept.kind != StaticKind::boolean) return failForm(solver, reason, "`true` or `false`");
  const bool keeps = kept.boolean;
  if (given.kind == StaticKind::all) return reduceAll(solver, *this, keeps, reason);
  bool isWrong = false;
  auto numbers = staticAxes(solver, axes, isWrong);
  if (isWrong) return failForm(solver, reason, "an axis or a list of axes");
  if (!numbers) return Progress::waiting;
  std::optional<std::size_t> rank;
  if (auto sizes = knownDims(solver, result)) rank = sizes->size() + (keeps ? 0 : numbers->size());
  SplitShape split;
  Progress progress = splitAtAxes(solver, operand, *numbers, rank, reason, split);
  if (progress != Progress::done) return progress;
  std::set<std::size_t> gone(split.axes.begin(), split.axes.end());
  if (gone.size() != numbers->size()) return failAttribute(solver, reason, "an axis is named twice");
  Shape left;
  for (std::size_t i = 0; i < split.sizes.size(); ++i) {
    if (gone.count(i) && !requireWhole(solver, split.sizes[i].dim, reason)) return Progress::failed;
    if (!gone.count(i)) left.push_back(split.sizes[i]);
    if (gone.count(i) && keeps) left.push_back(ShapePart::of(solution.dims.constant(1)));
  }
  return doneIf(unifyShape(solver, result, split.with(std::move(left)), reason));
}

Progress constraint::Swap::run(Solver& solver, ReasonId reason) {
  SplitShape split;
  Progress progress = splitAtTwo(solver, result, operand, first, second, reason, split);
  if (progress != Progress::done) return progress;
  Shape to = split.sizes;
  std::swap(to[split.axes[0]], to[split.axes[1]]);
  return doneIf(unifyShape(solver, result, split.with(std::move(to)), reason));
}

Progress constraint::Move::run(Solver& solver, ReasonId reason) {
  SplitShape split;
  Progress progress = splitAtTwo(solver, result, operand, from, to, reason, split);
  if (progress != Progress::done) return progress;
  Shape moved = split.sizes;
  ShapePart axis = moved[split.axes[0]];
  moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(split.axes[0]));
  moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(split.axes[1]), axis);
  return doneIf(unifyShape(solver, result, split.with(std::move(moved)), reason));
}

}  // namespace axle
