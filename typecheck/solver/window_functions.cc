// Shape functions of windows, paddings and equations: each with its equations, and what the result tells of the
// operands.
#include <map>

#include "typecheck/solver/einsum.h"
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

// What a mode reads of the tensor: `n >= side` and one more where the edge itself is left out.
Progress runPad(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm pads = solution.types[solution.resolve(c.statics[0])];
  StaticTerm mode;
  mode.kind = StaticKind::text;
  mode.text = "constant";
  if (c.statics.size() > 1) mode = solution.types[solution.resolve(c.statics[1])];
  if (pads.kind == StaticKind::var || mode.kind == StaticKind::var) return Progress::waiting;
  if (pads.kind != StaticKind::list || mode.kind != StaticKind::text) return Progress::failed;
  if (!fixRank(solver, c.shapes[1], pads.items.size(), c.reason)) return Progress::failed;
  if (!knownDims(solver, c.shapes[1])) return Progress::waiting;
  Shape from = solution.resolve(c.shapes[1]), to;
  Dim one = dims.constant(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto pair = staticDims(solver, pads.items[i], 2);
    if (!pair) return Progress::failed;
    Dim size = from[i].dim;
    for (Dim side : *pair) {
      addFact(solver, side, FactRelation::ge, dims.constant(0), c.reason);
      Dim any = dims.min(side, one), least = side;
      if (mode.text == "constant") continue;
      if (mode.text == "circular" && dims.asConstant(side) != 0) requireWhole(solver, size, c.reason);
      if (mode.text == "edge") least = any;
      if (mode.text == "reflect") least = dims.add(side, any);
      addFact(solver, size, FactRelation::ge, least, c.reason);
    }
    to.push_back(ShapePart::of(dims.add(size, dims.add((*pair)[0], (*pair)[1])), from[i].origin));
  }
  return unifyShape(solver, c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

// One axis of a window: its stride, how far it reaches (dilation*(r - 1) + 1), and what is put around the image.
struct WindowRule {
  Dim stride, extent, around;
  bool same = false, valid = false;
};

// Nothing once all of it is known.
std::optional<Progress> readWindow(Solver& solver, const Constraint& c, WindowRule& window) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm stride = solution.types[solution.resolve(c.statics[0])];
  const StaticTerm padding = solution.types[solution.resolve(c.statics[1])];
  const StaticTerm dilation = solution.types[solution.resolve(c.statics[2])];
  if (stride.kind != StaticKind::dim || dilation.kind != StaticKind::dim || padding.kind == StaticKind::var)
    return Progress::waiting;
  Dim one = dims.constant(1);
  for (const auto& [value, what] : {std::pair(stride.dim, "a stride"), std::pair(dilation.dim, "a dilation")})
    if (decideByNormalForm(solver, value, FactRelation::ge, one) == FactVerdict::refuted) {
      failAttribute(solver, c.reason, std::string(what) + " must be >= 1, but is " + show(solver, value));
      return Progress::failed;
    }
  addFact(solver, stride.dim, FactRelation::ge, one, c.reason);
  addFact(solver, dilation.dim, FactRelation::ge, one, c.reason);
  window.stride = stride.dim;
  window.extent = dims.add(dims.mul(dilation.dim, dims.sub(solution.resolve(c.dims[2]), one)), one);
  window.around = dims.constant(0);
  window.same = padding.kind == StaticKind::text && padding.text == ast::samePadding;
  window.valid = padding.kind == StaticKind::text && padding.text == ast::validPadding;
  if (padding.kind == StaticKind::list) {
    auto axis = static_cast<std::size_t>(*dims.asConstant(c.dims[3]));
    auto pair = axis < padding.items.size() ? staticDims(solver, padding.items[axis], 2) : std::nullopt;
    if (!pair) return Progress::failed;
    for (Dim side : *pair) addFact(solver, side, FactRelation::ge, dims.constant(0), c.reason);
    window.around = dims.add((*pair)[0], (*pair)[1]);
  } else if (!window.same && !window.valid) {
    return Progress::failed;
  }
  return std::nullopt;
}

// same: ceildiv(h, stride); else (h + around - extent)/stride + 1 where h + around >= extent.
Progress runConvOut(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  WindowRule window;
  if (auto progress = readWindow(solver, c, window)) return *progress;
  Dim h = solution.resolve(c.dims[1]), result = dims.ceildiv(h, window.stride);
  if (!window.same) {
    h = dims.add(h, window.around);
    // Told in the signature's names, and before a size below 0 would follow.
    Constraint covered;
    covered.kind = ConstraintKind::fact;
    covered.reason = c.reason;
    covered.relation = FactRelation::ge;
    Dim dilation = solution.types[solution.resolve(c.statics[2])].dim, one = dims.constant(1);
    covered.dims = {dims.add(c.dims[1], window.around),
                    dims.add(dims.mul(dilation, dims.sub(c.dims[2], one)), one)};
    if (decideByNormalForm(solver, h, FactRelation::ge, window.extent) == FactVerdict::refuted) return runFact(solver, covered);
    addConstraint(solver, std::move(covered));
    result = dims.add(dims.div(dims.sub(h, window.extent), window.stride), dims.constant(1));
  }
  return unifyDim(solver, ShapePart::of(c.dims[0]), ShapePart::of(result), c.reason) ? Progress::done : Progress::failed;
}

// same: h*stride; valid: h*stride + max(extent - stride, 0); else (h - 1)*stride + extent - around. A size that is
// given is one that the convolution leads from to h.
Progress runConvTransposeOut(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm sizes = solution.types[solution.resolve(c.statics[3])];
  if (sizes.kind == StaticKind::var) return Progress::waiting;
  WindowRule window;
  if (auto progress = readWindow(solver, c, window)) return *progress;
  auto axis = static_cast<std::size_t>(*dims.asConstant(c.dims[3]));
  if (sizes.kind != StaticKind::list || axis >= sizes.items.size()) return Progress::failed;
  const StaticTerm given = solution.types[solution.resolve(sizes.items[axis])];
  if (given.kind == StaticKind::var) return Progress::waiting;
  Dim one = dims.constant(1), zero = dims.constant(0), h = solution.resolve(c.dims[1]);
  Dim stretched = dims.mul(h, window.stride), result = stretched;
  if (given.kind == StaticKind::dim) {
    result = solution.resolve(given.dim);
    Dim room = dims.sub(dims.add(result, window.around), window.extent),
        back = dims.ceildiv(result, window.stride);
    if (!window.same) {
      addFact(solver, room, FactRelation::ge, zero, c.reason);
      back = dims.add(dims.div(room, window.stride), one);
    }
    if (!unifyDim(solver, ShapePart::of(h), ShapePart::of(back), c.reason)) return Progress::failed;
  } else if (window.valid) {
    result = dims.add(stretched, dims.max(dims.sub(window.extent, window.stride), zero));
  } else if (!window.same) {
    Dim all = dims.add(dims.sub(stretched, window.stride), window.extent);
    addFact(solver, all, FactRelation::ge, window.around, c.reason);
    result = dims.sub(all, window.around);
  }
  return unifyDim(solver, ShapePart::of(c.dims[0]), ShapePart::of(result), c.reason) ? Progress::done : Progress::failed;
}

// Equal letters are equal sizes; what the ellipses stand for broadcasts.
Progress runEinsum(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm text = solution.types[solution.resolve(c.statics[0])];
  if (text.kind == StaticKind::var) return Progress::waiting;
  if (text.kind != StaticKind::text) return Progress::failed;
  auto equation = parseEinsum(text.text, c.shapes.size() - 1);
  if (!equation) {
    failAttribute(solver, c.reason, "\"" + text.text + "\": " + equation.error());
    return Progress::failed;
  }
  std::map<char, Dim> sizes;
  auto dims = [&](const std::string& letters, Shape& into) {
    for (char letter : letters) {
      auto [size, isNew] = sizes.try_emplace(letter);
      if (isNew) size->second = freshDimTerm(solver, std::string(1, letter));
      into.push_back(ShapePart::of(size->second));
    }
  };
  std::optional<Shape> batch;
  auto shapeOf = [&](const EinsumTerm& term, const Shape& middle) {
    Shape shape;
    dims(term.before, shape);
    if (term.ellipsis) shape.insert(shape.end(), middle.begin(), middle.end());
    dims(term.after, shape);
    return shape;
  };
  for (std::size_t i = 0; i < equation->operands.size(); ++i) {
    const EinsumTerm& term = equation->operands[i];
    Shape middle{ShapePart::of(freshShape(solver, "s"))};
    if (!unifyShape(solver, shapeOf(term, middle), c.shapes[i + 1], c.reason)) return Progress::failed;
    if (!term.ellipsis) continue;
    if (!batch) {
      batch = middle;
      continue;
    }
    Constraint both;
    both.kind = ConstraintKind::broadcast;
    both.reason = c.reason;
    both.shapes = {{ShapePart::of(freshShape(solver, "s"))}, *batch, middle};
    batch = both.shapes[0];
    addConstraint(solver, std::move(both));
  }
  for (const auto& [letter, size] : sizes)
    if (equation->result.letters().find(letter) == std::string::npos) requireWhole(solver, size, c.reason);
  Shape result = shapeOf(equation->result, batch.value_or(Shape{}));
  return unifyShape(solver, c.shapes[0], result, c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
