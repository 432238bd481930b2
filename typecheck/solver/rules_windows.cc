// Rules of paddings and windows: what a convolution or a pool makes of a size, and what it asks of it.
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"

namespace axle {
namespace {

// Asks of a padded size what the mode reads of the tensor: `n >= side`, and one more where the edge itself is left out.
void requirePaddable(Solver& solver, Dim size, Dim side, const std::string& mode, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  const Dim one = dims.constant(1);
  addFact(solver, side, FactRelation::ge, dims.constant(0), reason);
  if (mode == "constant") return;
  const Dim any = dims.min(side, one);
  if (mode == "circular" && dims.asConstant(side) != 0) requireWhole(solver, size, reason);
  const Dim least = mode == "edge" ? any : mode == "reflect" ? dims.add(side, any) : side;
  addFact(solver, size, FactRelation::ge, least, reason);
}

// One axis of a window: its stride, how far it reaches (dilation*(r - 1) + 1), and what is put around the image.
struct WindowSizes {
  Dim stride, extent, around;
  bool same = false, valid = false;
};

// dilation*(window - 1) + 1
Dim extentOf(DimStore& dims, Dim window, Dim dilation) {
  const Dim one = dims.constant(1);
  return dims.add(dims.mul(dilation, dims.sub(window, one)), one);
}

// Nothing once all of it is known.
std::optional<Progress> readWindow(Solver& solver, const constraint::Window& window, ReasonId reason,
                                   WindowSizes& sizes) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm stride = solution.types[solution.resolve(window.stride)];
  const StaticTerm padding = solution.types[solution.resolve(window.padding)];
  const StaticTerm dilation = solution.types[solution.resolve(window.dilation)];
  if (stride.kind != StaticKind::dim || dilation.kind != StaticKind::dim || padding.kind == StaticKind::var)
    return Progress::waiting;
  const Dim one = dims.constant(1);
  for (const auto& [value, what] : {std::pair(stride.dim, "a stride"), std::pair(dilation.dim, "a dilation")})
    if (decideByNormalForm(solver, value, FactRelation::ge, one) == FactVerdict::refuted)
      return failAttribute(solver, reason, std::string(what) + " must be >= 1, but is " + show(solver, value));
  addFact(solver, stride.dim, FactRelation::ge, one, reason);
  addFact(solver, dilation.dim, FactRelation::ge, one, reason);
  sizes.stride = stride.dim;
  sizes.extent = extentOf(dims, solution.resolve(window.window), dilation.dim);
  sizes.around = dims.constant(0);
  sizes.same = padding.kind == StaticKind::text && padding.text == ast::samePadding;
  sizes.valid = padding.kind == StaticKind::text && padding.text == ast::validPadding;
  if (padding.kind == StaticKind::list) {
    auto pair = window.axis < padding.items.size() ? staticDims(solver, padding.items[window.axis], 2) : std::nullopt;
    if (!pair) return Progress::failed;
    for (Dim side : *pair) addFact(solver, side, FactRelation::ge, dims.constant(0), reason);
    sizes.around = dims.add((*pair)[0], (*pair)[1]);
  } else if (!sizes.same && !sizes.valid) {
    return Progress::failed;
  }
  return std::nullopt;
}

}  // namespace

Progress constraint::Pad::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm list = solution.types[solution.resolve(pads)];
  StaticTerm word;
  word.kind = StaticKind::text;
  word.text = "constant";
  if (mode) word = solution.types[solution.resolve(*mode)];
  if (list.kind == StaticKind::var || word.kind == StaticKind::var) return Progress::waiting;
  if (list.kind != StaticKind::list || word.kind != StaticKind::text) return Progress::failed;
  if (!fixRank(solver, operand, list.items.size(), reason)) return Progress::failed;
  if (!knownDims(solver, operand)) return Progress::waiting;
  Shape from = solution.resolve(operand), to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto pair = staticDims(solver, list.items[i], 2);
    if (!pair) return Progress::failed;
    for (Dim side : *pair) requirePaddable(solver, from[i].dim, side, word.text, reason);
    to.push_back(ShapePart::of(dims.add(from[i].dim, dims.add((*pair)[0], (*pair)[1])), from[i].origin));
  }
  return doneIf(unifyShape(solver, result, to, reason));
}

// same: ceildiv(h, stride); else (h + around - extent)/stride + 1 where h + around >= extent.
Progress constraint::ConvOut::run(Solver& solver, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  WindowSizes sizes;
  if (auto progress = readWindow(solver, *this, reason, sizes)) return *progress;
  Dim h = solver.solution.resolve(image), count = dims.ceildiv(h, sizes.stride);
  if (!sizes.same) {
    h = dims.add(h, sizes.around);
    // Stated in the signature's names, and before a size below 0 would follow.
    const Dim dilated = solver.solution.types[solver.solution.resolve(dilation)].dim;
    Fact covered{{dims.add(image, sizes.around), FactRelation::ge, extentOf(dims, window, dilated)}};
    if (decideByNormalForm(solver, h, FactRelation::ge, sizes.extent) == FactVerdict::refuted)
      return covered.run(solver, reason);
    addConstraint(solver, reason, std::move(covered));
    count = dims.add(dims.div(dims.sub(h, sizes.extent), sizes.stride), dims.constant(1));
  }
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(count), reason));
}

// same: h*stride; valid: h*stride + max(extent - stride, 0); else (h - 1)*stride + extent - around. A size that is
// given is one that the convolution leads from to h.
Progress constraint::ConvTransposeOut::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm list = solution.types[solution.resolve(sizes)];
  if (list.kind == StaticKind::var) return Progress::waiting;
  WindowSizes of;
  if (auto progress = readWindow(solver, *this, reason, of)) return *progress;
  if (list.kind != StaticKind::list || axis >= list.items.size()) return Progress::failed;
  const StaticTerm given = solution.types[solution.resolve(list.items[axis])];
  if (given.kind == StaticKind::var) return Progress::waiting;
  const Dim one = dims.constant(1), zero = dims.constant(0), h = solution.resolve(image);
  const Dim stretched = dims.mul(h, of.stride);
  Dim size = stretched;
  if (given.kind == StaticKind::dim) {
    size = solution.resolve(given.dim);
    Dim room = dims.sub(dims.add(size, of.around), of.extent), back = dims.ceildiv(size, of.stride);
    if (!of.same) {
      addFact(solver, room, FactRelation::ge, zero, reason);
      back = dims.add(dims.div(room, of.stride), one);
    }
    if (!unifyDim(solver, ShapePart::of(h), ShapePart::of(back), reason)) return Progress::failed;
  } else if (of.valid) {
    size = dims.add(stretched, dims.max(dims.sub(of.extent, of.stride), zero));
  } else if (!of.same) {
    Dim all = dims.add(dims.sub(stretched, of.stride), of.extent);
    addFact(solver, all, FactRelation::ge, of.around, reason);
    size = dims.sub(all, of.around);
  }
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(size), reason));
}

}  // namespace axle
