// Shape functions whose attributes name axes or list sizes, and the forms that attributes may have. Each rule goes both
// ways: what is known of the result tells sizes and rank of the operand.
#include <algorithm>
#include <set>

#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

// A shape split so that each of the axes asked for has a size of its own; `rest` is what may stay open.
struct SplitShape {
  Shape sizes;  // the leading ones, or where all axes count from the trailing end the trailing ones
  Shape rest;
  bool leading = true;
  std::vector<std::size_t> axes;  // into `sizes`

  // The whole shape, with `changed` in the place of `sizes`.
  Shape with(Shape changed) const {
    if (!leading) changed.insert(changed.begin(), rest.begin(), rest.end());
    if (leading) changed.insert(changed.end(), rest.begin(), rest.end());
    return changed;
  }
};

// One axis or a list of them; none while one of them is open. `wrong`: not of that form.
std::optional<std::vector<std::int64_t>> staticAxes(Solver& solver, StaticId list, bool& wrong) {
  Solution& solution = solver.solution;
  const StaticTerm& term = solution.types[solution.resolve(list)];
  std::vector<StaticId> items = term.kind == StaticKind::list ? term.items : std::vector<StaticId>{list};
  std::vector<std::int64_t> axes;
  for (StaticId item : items) {
    const StaticTerm& value = solution.types[solution.resolve(item)];
    if (value.kind == StaticKind::var) return std::nullopt;
    wrong |= value.kind != StaticKind::dim;
    auto number = wrong ? std::nullopt : solution.dims.asConstant(solution.resolve(value.dim));
    if (!number) return std::nullopt;
    axes.push_back(*number);
  }
  return axes;
}

// Axes that all count from one end leave the other end open; otherwise the rank must be known, from shape 1 or as
// `rank`, which follows from the result.
Progress splitAtAxes(Solver& solver, const Constraint& c, const std::vector<std::int64_t>& axes,
                                   std::optional<std::size_t> rank, SplitShape& apart) {
  auto outOfRange = [&](std::int64_t axis, std::size_t of) {
    failAttribute(solver, c.reason, "axis " + std::to_string(axis) + " is out of range for a tensor of rank " +
                                std::to_string(of) + ": " + axesOfRank(of));
    return Progress::failed;
  };
  for (std::int64_t axis : axes)
    if (axis >= maxAxes || axis < -maxAxes) {
      failAttribute(solver, c.reason, "axis " + std::to_string(axis) + " is out of range");
      return Progress::failed;
    }
  if (auto known = knownDims(solver, c.shapes[1])) rank = known->size();
  bool mixed = false, negative = false;
  std::size_t wanted = 0;
  for (std::int64_t axis : axes) {
    mixed |= axis != axes.front() && (axis < 0) != (axes.front() < 0);
    negative |= axis < 0;
    wanted = std::max(wanted, static_cast<std::size_t>(axis < 0 ? -axis : axis + 1));
  }
  if (rank)
    for (std::int64_t axis : axes)
      if (axis >= static_cast<std::int64_t>(*rank) || axis < -static_cast<std::int64_t>(*rank))
        return outOfRange(axis, *rank);
  if (mixed && !rank) return Progress::waiting;
  apart.leading = mixed || !negative;
  if (mixed) wanted = *rank;
  Shape flat = solver.solution.flatten(c.shapes[1]);
  auto isDim = [](const ShapePart& p) { return !p.isVar; };
  if (!apart.leading) std::reverse(flat.begin(), flat.end());
  bool visible =
      flat.size() >= wanted && std::all_of(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(wanted), isDim);
  if (visible) {
    apart.sizes.assign(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(wanted));
    apart.rest.assign(flat.begin() + static_cast<std::ptrdiff_t>(wanted), flat.end());
    if (!apart.leading) {
      std::reverse(apart.sizes.begin(), apart.sizes.end());
      std::reverse(apart.rest.begin(), apart.rest.end());
    }
  } else {
    for (std::size_t i = 0; i < wanted; ++i)
      apart.sizes.push_back(ShapePart::of(freshDimTerm(solver, "d" + std::to_string(i))));
    apart.rest = {ShapePart::of(freshShape(solver, "s"))};
    if (!unifyShape(solver, c.shapes[1], apart.with(apart.sizes), c.reason)) return Progress::failed;
  }
  for (std::int64_t axis : axes)
    apart.axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(wanted) : axis));
  return Progress::done;
}

}  // namespace

Progress runOfSort(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm& term = solution.types[solution.resolve(c.statics[0])];
  if (term.kind == StaticKind::var) return Progress::waiting;
  auto wanted = expectedForm(solution, *c.attribute, c.statics[0]);
  if (!wanted) return Progress::done;
  failAttribute(solver, c.reason, "`" + c.attribute->name.text + "` must be " + *wanted);
  return Progress::failed;
}

Progress runReduce(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm& given = solution.types[solution.resolve(c.statics[0])];
  const StaticTerm& keep = solution.types[solution.resolve(c.statics[1])];
  if (given.kind == StaticKind::var || keep.kind == StaticKind::var) return Progress::waiting;
  if (keep.kind != StaticKind::boolean) return failForm(solver, c, "`true` or `false`");
  const bool keeps = keep.boolean;
  auto settle = [&](const Shape& to) {
    return unifyShape(solver, c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
  };
  auto result = knownDims(solver, c.shapes[0]);
  if (given.kind == StaticKind::all) {
    if (!requireWhole(solver, c.shapes[1], c.reason)) return Progress::failed;
    if (!keeps) return settle({});
    auto from = knownDims(solver, c.shapes[1]);
    if (!from && result && !fixRank(solver, c.shapes[1], result->size(), c.reason)) return Progress::failed;
    if (!from) from = knownDims(solver, c.shapes[1]);
    if (!from) return Progress::waiting;
    return settle(Shape(from->size(), ShapePart::of(dims.constant(1))));
  }
  bool wrong = false;
  auto axes = staticAxes(solver, c.statics[0], wrong);
  if (wrong) return failForm(solver, c, "an axis or a list of axes");
  if (!axes) return Progress::waiting;
  std::optional<std::size_t> rank;
  if (result) rank = result->size() + (keeps ? 0 : axes->size());
  SplitShape apart;
  Progress progress = splitAtAxes(solver, c, *axes, rank, apart);
  if (progress != Progress::done) return progress;
  std::set<std::size_t> gone(apart.axes.begin(), apart.axes.end());
  if (gone.size() != axes->size()) {
    failAttribute(solver, c.reason, "an axis is named twice");
    return Progress::failed;
  }
  Shape kept;
  for (std::size_t i = 0; i < apart.sizes.size(); ++i) {
    if (gone.count(i) && !requireWhole(solver, apart.sizes[i].dim, c.reason)) return Progress::failed;
    if (!gone.count(i)) kept.push_back(apart.sizes[i]);
    if (gone.count(i) && keeps) kept.push_back(ShapePart::of(dims.constant(1)));
  }
  return settle(apart.with(std::move(kept)));
}

Progress runSwap(Solver& solver, Constraint& c) {
  std::vector<std::int64_t> axes;
  bool wrong = false;
  for (StaticId given : c.statics) {
    auto axis = staticAxes(solver, given, wrong);
    if (wrong || (axis && axis->size() != 1)) return failForm(solver, c, "a whole number");
    if (!axis) return Progress::waiting;
    axes.push_back(axis->front());
  }
  auto result = knownDims(solver, c.shapes[0]);
  SplitShape apart;
  Progress progress = splitAtAxes(solver, c, axes, result ? std::optional(result->size()) : std::nullopt, apart);
  if (progress != Progress::done) return progress;
  Shape to = apart.sizes;
  if (c.kind == ConstraintKind::swap) {
    std::swap(to[apart.axes[0]], to[apart.axes[1]]);
  } else {
    ShapePart moved = to[apart.axes[0]];
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(apart.axes[0]));
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(apart.axes[1]), moved);
  }
  return unifyShape(solver, c.shapes[0], apart.with(std::move(to)), c.reason) ? Progress::done : Progress::failed;
}

Progress runMove(Solver& solver, Constraint& c) { return runSwap(solver, c); }

Progress runTile(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm& times = solution.types[solution.resolve(c.statics[0])];
  if (times.kind == StaticKind::var) return Progress::waiting;
  auto factors = staticDims(solver, c.statics[0], times.items.size());
  if (!factors) return failForm(solver, c, "a list of whole numbers");
  if (!fixRank(solver, c.shapes[1], factors->size(), c.reason)) return Progress::failed;
  if (!knownDims(solver, c.shapes[1])) return Progress::waiting;
  Shape from = solution.resolve(c.shapes[1]), to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    addFact(solver, (*factors)[i], FactRelation::ge, dims.constant(0), c.reason);
    if ((*factors)[i] != dims.constant(1) && !requireWhole(solver, from[i].dim, c.reason)) return Progress::failed;
    to.push_back(ShapePart::of(dims.mul(from[i].dim, (*factors)[i]), from[i].origin));
  }
  return unifyShape(solver, c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Progress runSized(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm& sizes = solution.types[solution.resolve(c.statics[0])];
  if (sizes.kind == StaticKind::var) return Progress::waiting;
  auto dims = staticDims(solver, c.statics[0], sizes.items.size());
  if (!dims) return failForm(solver, c, "a list of sizes, without `_`");
  Shape to;
  for (Dim d : *dims) {
    addFact(solver, d, FactRelation::ge, solution.dims.constant(0), c.reason);
    to.push_back(ShapePart::of(d));
  }
  return unifyShape(solver, c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Progress runStretch(Solver& solver, Constraint& c) {
  Progress progress = runSized(solver, c);
  if (progress != Progress::done) return progress;
  Constraint stretched;
  stretched.kind = ConstraintKind::broadcast;
  stretched.reason = c.reason;
  stretched.shapes = {c.shapes[0], c.shapes[1], c.shapes[0]};
  addConstraint(solver, std::move(stretched));
  return Progress::done;
}

Progress runWidth(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const ElemTerm elem = solution.resolve(solution.types[solution.resolve(c.types[0])].elem);
  if (elem.isVar) return Progress::waiting;
  Dim bytes = solution.dims.constant(static_cast<std::int64_t>(info(elem.elem).bytes));
  return unifyDim(solver, ShapePart::of(c.dims[0]), ShapePart::of(bytes), c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
