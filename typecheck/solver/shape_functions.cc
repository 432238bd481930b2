// Shape functions whose attributes name axes or list sizes, and the forms that attributes may have. Each rule goes both
// ways: what is known of the result tells sizes and rank of the operand.
#include <algorithm>
#include <set>

#include "typecheck/solver/solver.h"

namespace axle {

namespace {

// "a", "b" or "c"
std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + ('"' + all[i] + '"');
  return text;
}

}  // namespace

std::string axesOfRank(std::size_t rank) {
  return rank == 0 ? "it has none" : "-" + std::to_string(rank) + " to " + std::to_string(rank - 1);
}

std::optional<std::string> notOfSort(Solution& solution, const ast::OpAttribute& attribute, StaticId value) {
  const StaticTerm& term = solution.types[solution.resolve(value)];
  auto kindOf = [&](StaticId id) { return solution.types[solution.resolve(id)].kind; };
  auto all = [&](const StaticTerm& list, auto&& test) {
    return list.kind == StaticKind::list && std::all_of(list.items.begin(), list.items.end(), test);
  };
  auto isDim = [&](StaticId id) { return kindOf(id) == StaticKind::dim; };
  auto isPair = [&](StaticId id) {
    const StaticTerm& pair = solution.types[solution.resolve(id)];
    return all(pair, isDim) && pair.items.size() == 2;
  };
  auto unless = [](bool ok, std::string wanted) { return ok ? std::nullopt : std::optional(std::move(wanted)); };
  if (term.kind == StaticKind::var) return std::nullopt;
  std::uint64_t axes = attribute.length.value_or(paddedAxes);
  switch (attribute.sort) {
    case ast::Sort::integer:
    case ast::Sort::axis:
      return unless(term.kind == StaticKind::dim, "a whole number");
    case ast::Sort::ints:
      return unless(all(term, isDim) && (!attribute.length || term.items.size() == *attribute.length),
                    attribute.length ? "a list of " + std::to_string(*attribute.length) + " whole numbers"
                                     : "a list of whole numbers");
    case ast::Sort::axes:
      return unless(term.kind == StaticKind::dim || term.kind == StaticKind::all || all(term, isDim),
                    "an axis or a list of axes");
    case ast::Sort::perm:
      return unless(term.kind == StaticKind::reversed || all(term, isDim), "a list of axes");
    case ast::Sort::pairs:
      return unless(all(term, isPair), "a list of pairs [before, after], one for each dimension");
    case ast::Sort::padding:
      return unless(
          (term.kind == StaticKind::text && (term.text == ast::validPadding || term.text == ast::samePadding)) ||
              (all(term, isPair) && term.items.size() == axes),
          std::string("\"valid\", \"same\" or ") + (axes == 1   ? "[[before, after]]"
                                                    : axes == 2 ? "[[top, bottom], [left, right]]"
                                                                : "[before, after] for each of its axes, in a list"));
    case ast::Sort::sizes:
      return unless(all(term, [&](StaticId id) { return isDim(id) || kindOf(id) == StaticKind::hole; }) &&
                        term.items.size() == axes,
                    "a list of sizes or `_`, " + std::to_string(axes) + " in all");
    case ast::Sort::word:
      return unless(term.kind == StaticKind::text &&
                        std::count(attribute.sortArguments.begin(), attribute.sortArguments.end(), term.text) > 0,
                    words(attribute.sortArguments));
    case ast::Sort::equation:
      return unless(term.kind == StaticKind::text, "an equation such as \"ij,jk->ik\"");
    case ast::Sort::boolean:
      return unless(term.kind == StaticKind::boolean, "`true` or `false`");
    case ast::Sort::shape: {
      auto isHole = [&](StaticId id) { return kindOf(id) == StaticKind::hole; };
      return unless(all(term, [&](StaticId id) { return isDim(id) || isHole(id); }) &&
                        std::count_if(term.items.begin(), term.items.end(), isHole) <= 1,
                    "a list of sizes, at most one of them `_`");
    }
    case ast::Sort::real:
      return unless(term.kind == StaticKind::real ||
                        (term.kind == StaticKind::dim && solution.dims.asConstant(solution.resolve(term.dim))),
                    "a number");
    case ast::Sort::elem:
      return "an element type";
  }
  return std::nullopt;
}

Solver::Progress Solver::runOfSort(Constraint& c) {
  const StaticTerm& term = s_.types[s_.resolve(c.statics[0])];
  if (term.kind == StaticKind::var) return Progress::waiting;
  auto wanted = notOfSort(s_, *c.attribute, c.statics[0]);
  if (!wanted) return Progress::done;
  failAttribute(c.reason, "`" + c.attribute->name.text + "` must be " + *wanted);
  return Progress::failed;
}

Shape Solver::Apart::with(Shape changed) const {
  if (!leading) changed.insert(changed.begin(), rest.begin(), rest.end());
  if (leading) changed.insert(changed.end(), rest.begin(), rest.end());
  return changed;
}

// One axis or a list of them; none while one of them is open. `wrong`: not of that form.
std::optional<std::vector<std::int64_t>> Solver::axesOf(StaticId list, bool& wrong) {
  const StaticTerm& term = s_.types[s_.resolve(list)];
  std::vector<StaticId> items = term.kind == StaticKind::list ? term.items : std::vector<StaticId>{list};
  std::vector<std::int64_t> axes;
  for (StaticId item : items) {
    const StaticTerm& value = s_.types[s_.resolve(item)];
    if (value.kind == StaticKind::var) return std::nullopt;
    wrong |= value.kind != StaticKind::dim;
    auto number = wrong ? std::nullopt : s_.dims.asConstant(s_.resolve(value.dim));
    if (!number) return std::nullopt;
    axes.push_back(*number);
  }
  return axes;
}

// Axes that all count from one end leave the other end open; otherwise the rank must be known, from shape 1 or as
// `rank`, which follows from the result.
Solver::Progress Solver::takeApart(const Constraint& c, const std::vector<std::int64_t>& axes,
                                   std::optional<std::size_t> rank, Apart& apart) {
  auto outOfRange = [&](std::int64_t axis, std::size_t of) {
    failAttribute(c.reason, "axis " + std::to_string(axis) + " is out of range for a tensor of rank " +
                                std::to_string(of) + ": " + axesOfRank(of));
    return Progress::failed;
  };
  for (std::int64_t axis : axes)
    if (axis >= maxAxes || axis < -maxAxes) {
      failAttribute(c.reason, "axis " + std::to_string(axis) + " is out of range");
      return Progress::failed;
    }
  if (auto known = knownDims(c.shapes[1])) rank = known->size();
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
  Shape flat = s_.flatten(c.shapes[1]);
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
      apart.sizes.push_back(ShapePart::of(freshDimTerm("d" + std::to_string(i))));
    apart.rest = {ShapePart::of(freshShape("s"))};
    if (!unifyShape(c.shapes[1], apart.with(apart.sizes), c.reason)) return Progress::failed;
  }
  for (std::int64_t axis : axes)
    apart.axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(wanted) : axis));
  return Progress::done;
}

Solver::Progress Solver::runReduce(Constraint& c) {
  const StaticTerm& given = s_.types[s_.resolve(c.statics[0])];
  const StaticTerm& keep = s_.types[s_.resolve(c.statics[1])];
  if (given.kind == StaticKind::var || keep.kind == StaticKind::var) return Progress::waiting;
  if (keep.kind != StaticKind::boolean) return wrongForm(c, "`true` or `false`");
  const bool keeps = keep.boolean;
  auto settle = [&](const Shape& to) {
    return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
  };
  auto result = knownDims(c.shapes[0]);
  if (given.kind == StaticKind::all) {
    if (!needWhole(c.shapes[1], c.reason)) return Progress::failed;
    if (!keeps) return settle({});
    auto from = knownDims(c.shapes[1]);
    if (!from && result && !fixRank(c.shapes[1], result->size(), c.reason)) return Progress::failed;
    if (!from) from = knownDims(c.shapes[1]);
    if (!from) return Progress::waiting;
    return settle(Shape(from->size(), ShapePart::of(s_.dims.constant(1))));
  }
  bool wrong = false;
  auto axes = axesOf(c.statics[0], wrong);
  if (wrong) return wrongForm(c, "an axis or a list of axes");
  if (!axes) return Progress::waiting;
  std::optional<std::size_t> rank;
  if (result) rank = result->size() + (keeps ? 0 : axes->size());
  Apart apart;
  Progress progress = takeApart(c, *axes, rank, apart);
  if (progress != Progress::done) return progress;
  std::set<std::size_t> gone(apart.axes.begin(), apart.axes.end());
  if (gone.size() != axes->size()) {
    failAttribute(c.reason, "an axis is named twice");
    return Progress::failed;
  }
  Shape kept;
  for (std::size_t i = 0; i < apart.sizes.size(); ++i) {
    if (gone.count(i) && !needWhole(apart.sizes[i].dim, c.reason)) return Progress::failed;
    if (!gone.count(i)) kept.push_back(apart.sizes[i]);
    if (gone.count(i) && keeps) kept.push_back(ShapePart::of(s_.dims.constant(1)));
  }
  return settle(apart.with(std::move(kept)));
}

Solver::Progress Solver::runSwap(Constraint& c) {
  std::vector<std::int64_t> axes;
  bool wrong = false;
  for (StaticId given : c.statics) {
    auto axis = axesOf(given, wrong);
    if (wrong || (axis && axis->size() != 1)) return wrongForm(c, "a whole number");
    if (!axis) return Progress::waiting;
    axes.push_back(axis->front());
  }
  auto result = knownDims(c.shapes[0]);
  Apart apart;
  Progress progress = takeApart(c, axes, result ? std::optional(result->size()) : std::nullopt, apart);
  if (progress != Progress::done) return progress;
  Shape to = apart.sizes;
  if (c.kind == ConstraintKind::swap) {
    std::swap(to[apart.axes[0]], to[apart.axes[1]]);
  } else {
    ShapePart moved = to[apart.axes[0]];
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(apart.axes[0]));
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(apart.axes[1]), moved);
  }
  return unifyShape(c.shapes[0], apart.with(std::move(to)), c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runMove(Constraint& c) { return runSwap(c); }

Solver::Progress Solver::runTile(Constraint& c) {
  const StaticTerm& times = s_.types[s_.resolve(c.statics[0])];
  if (times.kind == StaticKind::var) return Progress::waiting;
  auto factors = dimsOf(c.statics[0], times.items.size());
  if (!factors) return wrongForm(c, "a list of whole numbers");
  if (!fixRank(c.shapes[1], factors->size(), c.reason)) return Progress::failed;
  if (!knownDims(c.shapes[1])) return Progress::waiting;
  Shape from = s_.resolve(c.shapes[1]), to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    addFact((*factors)[i], FactRelation::ge, s_.dims.constant(0), c.reason);
    if ((*factors)[i] != s_.dims.constant(1) && !needWhole(from[i].dim, c.reason)) return Progress::failed;
    to.push_back(ShapePart::of(s_.dims.mul(from[i].dim, (*factors)[i]), from[i].origin));
  }
  return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runSized(Constraint& c) {
  const StaticTerm& sizes = s_.types[s_.resolve(c.statics[0])];
  if (sizes.kind == StaticKind::var) return Progress::waiting;
  auto dims = dimsOf(c.statics[0], sizes.items.size());
  if (!dims) return wrongForm(c, "a list of sizes, without `_`");
  Shape to;
  for (Dim d : *dims) {
    addFact(d, FactRelation::ge, s_.dims.constant(0), c.reason);
    to.push_back(ShapePart::of(d));
  }
  return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runStretch(Constraint& c) {
  Progress progress = runSized(c);
  if (progress != Progress::done) return progress;
  Constraint stretched;
  stretched.kind = ConstraintKind::broadcast;
  stretched.reason = c.reason;
  stretched.shapes = {c.shapes[0], c.shapes[1], c.shapes[0]};
  add(std::move(stretched));
  return Progress::done;
}

Solver::Progress Solver::runWidth(Constraint& c) {
  const ElemTerm elem = s_.resolve(s_.types[s_.resolve(c.types[0])].elem);
  if (elem.isVar) return Progress::waiting;
  Dim bytes = s_.dims.constant(static_cast<std::int64_t>(info(elem.elem).bytes));
  return unifyDim(ShapePart::of(c.dims[0]), ShapePart::of(bytes), c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
