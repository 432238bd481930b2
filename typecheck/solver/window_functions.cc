// Shape functions of windows, paddings and equations: each with its equations, and what the result tells of the
// operands.
#include <map>

#include "typecheck/solver/einsum.h"
#include "typecheck/solver/solver.h"

namespace axle {

// What a mode reads of the tensor: `n >= side` and one more where the edge itself is left out.
Solver::Progress Solver::runPad(Constraint& c) {
  const StaticTerm pads = s_.types[s_.resolve(c.statics[0])];
  StaticTerm mode;
  mode.kind = StaticKind::text;
  mode.text = "constant";
  if (c.statics.size() > 1) mode = s_.types[s_.resolve(c.statics[1])];
  if (pads.kind == StaticKind::var || mode.kind == StaticKind::var) return Progress::waiting;
  if (pads.kind != StaticKind::list || mode.kind != StaticKind::text) return Progress::failed;
  if (!fixRank(c.shapes[1], pads.items.size(), c.reason)) return Progress::failed;
  if (!knownDims(c.shapes[1])) return Progress::waiting;
  Shape from = s_.resolve(c.shapes[1]), to;
  Dim one = s_.dims.constant(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto pair = dimsOf(pads.items[i], 2);
    if (!pair) return Progress::failed;
    Dim size = from[i].dim;
    for (Dim side : *pair) {
      addFact(side, FactRelation::ge, s_.dims.constant(0), c.reason);
      Dim any = s_.dims.min(side, one), least = side;
      if (mode.text == "constant") continue;
      if (mode.text == "circular" && s_.dims.asConstant(side) != 0) needWhole(size, c.reason);
      if (mode.text == "edge") least = any;
      if (mode.text == "reflect") least = s_.dims.add(side, any);
      addFact(size, FactRelation::ge, least, c.reason);
    }
    to.push_back(ShapePart::of(s_.dims.add(size, s_.dims.add((*pair)[0], (*pair)[1])), from[i].origin));
  }
  return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

// One axis of a window: its stride, how far it reaches (dilation*(r - 1) + 1), and what is put around the image.
struct Solver::WindowRule {
  Dim stride, extent, around;
  bool same = false, valid = false;
};

// Nothing once all of it is known.
std::optional<Solver::Progress> Solver::readWindow(const Constraint& c, WindowRule& window) {
  const StaticTerm stride = s_.types[s_.resolve(c.statics[0])];
  const StaticTerm padding = s_.types[s_.resolve(c.statics[1])];
  const StaticTerm dilation = s_.types[s_.resolve(c.statics[2])];
  if (stride.kind != StaticKind::dim || dilation.kind != StaticKind::dim || padding.kind == StaticKind::var)
    return Progress::waiting;
  Dim one = s_.dims.constant(1);
  for (const auto& [value, what] : {std::pair(stride.dim, "a stride"), std::pair(dilation.dim, "a dilation")})
    if (decide(value, FactRelation::ge, one) == Verdict::refuted) {
      failAttribute(c.reason, std::string(what) + " must be >= 1, but is " + show(value));
      return Progress::failed;
    }
  addFact(stride.dim, FactRelation::ge, one, c.reason);
  addFact(dilation.dim, FactRelation::ge, one, c.reason);
  window.stride = stride.dim;
  window.extent = s_.dims.add(s_.dims.mul(dilation.dim, s_.dims.sub(s_.resolve(c.dims[2]), one)), one);
  window.around = s_.dims.constant(0);
  window.same = padding.kind == StaticKind::text && padding.text == ast::samePadding;
  window.valid = padding.kind == StaticKind::text && padding.text == ast::validPadding;
  if (padding.kind == StaticKind::list) {
    auto axis = static_cast<std::size_t>(*s_.dims.asConstant(c.dims[3]));
    auto pair = axis < padding.items.size() ? dimsOf(padding.items[axis], 2) : std::nullopt;
    if (!pair) return Progress::failed;
    for (Dim side : *pair) addFact(side, FactRelation::ge, s_.dims.constant(0), c.reason);
    window.around = s_.dims.add((*pair)[0], (*pair)[1]);
  } else if (!window.same && !window.valid) {
    return Progress::failed;
  }
  return std::nullopt;
}

// same: ceildiv(h, stride); else (h + around - extent)/stride + 1 where h + around >= extent.
Solver::Progress Solver::runConvOut(Constraint& c) {
  WindowRule window;
  if (auto progress = readWindow(c, window)) return *progress;
  Dim h = s_.resolve(c.dims[1]), result = s_.dims.ceildiv(h, window.stride);
  if (!window.same) {
    h = s_.dims.add(h, window.around);
    // Told in the signature's names, and before a size below 0 would follow.
    Constraint covered;
    covered.kind = ConstraintKind::fact;
    covered.reason = c.reason;
    covered.relation = FactRelation::ge;
    Dim dilation = s_.types[s_.resolve(c.statics[2])].dim, one = s_.dims.constant(1);
    covered.dims = {s_.dims.add(c.dims[1], window.around),
                    s_.dims.add(s_.dims.mul(dilation, s_.dims.sub(c.dims[2], one)), one)};
    if (decide(h, FactRelation::ge, window.extent) == Verdict::refuted) return runFact(covered);
    add(std::move(covered));
    result = s_.dims.add(s_.dims.div(s_.dims.sub(h, window.extent), window.stride), s_.dims.constant(1));
  }
  return unifyDim(ShapePart::of(c.dims[0]), ShapePart::of(result), c.reason) ? Progress::done : Progress::failed;
}

// same: h*stride; valid: h*stride + max(extent - stride, 0); else (h - 1)*stride + extent - around. A size that is
// given is one that the convolution leads from to h.
Solver::Progress Solver::runConvTransposeOut(Constraint& c) {
  const StaticTerm sizes = s_.types[s_.resolve(c.statics[3])];
  if (sizes.kind == StaticKind::var) return Progress::waiting;
  WindowRule window;
  if (auto progress = readWindow(c, window)) return *progress;
  auto axis = static_cast<std::size_t>(*s_.dims.asConstant(c.dims[3]));
  if (sizes.kind != StaticKind::list || axis >= sizes.items.size()) return Progress::failed;
  const StaticTerm given = s_.types[s_.resolve(sizes.items[axis])];
  if (given.kind == StaticKind::var) return Progress::waiting;
  Dim one = s_.dims.constant(1), zero = s_.dims.constant(0), h = s_.resolve(c.dims[1]);
  Dim stretched = s_.dims.mul(h, window.stride), result = stretched;
  if (given.kind == StaticKind::dim) {
    result = s_.resolve(given.dim);
    Dim room = s_.dims.sub(s_.dims.add(result, window.around), window.extent),
        back = s_.dims.ceildiv(result, window.stride);
    if (!window.same) {
      addFact(room, FactRelation::ge, zero, c.reason);
      back = s_.dims.add(s_.dims.div(room, window.stride), one);
    }
    if (!unifyDim(ShapePart::of(h), ShapePart::of(back), c.reason)) return Progress::failed;
  } else if (window.valid) {
    result = s_.dims.add(stretched, s_.dims.max(s_.dims.sub(window.extent, window.stride), zero));
  } else if (!window.same) {
    Dim all = s_.dims.add(s_.dims.sub(stretched, window.stride), window.extent);
    addFact(all, FactRelation::ge, window.around, c.reason);
    result = s_.dims.sub(all, window.around);
  }
  return unifyDim(ShapePart::of(c.dims[0]), ShapePart::of(result), c.reason) ? Progress::done : Progress::failed;
}

// Equal letters are equal sizes; what the ellipses stand for broadcasts.
Solver::Progress Solver::runEinsum(Constraint& c) {
  const StaticTerm text = s_.types[s_.resolve(c.statics[0])];
  if (text.kind == StaticKind::var) return Progress::waiting;
  if (text.kind != StaticKind::text) return Progress::failed;
  auto equation = parseEinsum(text.text, c.shapes.size() - 1);
  if (!equation) {
    failAttribute(c.reason, "\"" + text.text + "\": " + equation.error());
    return Progress::failed;
  }
  std::map<char, Dim> sizes;
  auto dims = [&](const std::string& letters, Shape& into) {
    for (char letter : letters) {
      auto [size, isNew] = sizes.try_emplace(letter);
      if (isNew) size->second = freshDimTerm(std::string(1, letter));
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
    Shape middle{ShapePart::of(freshShape("s"))};
    if (!unifyShape(shapeOf(term, middle), c.shapes[i + 1], c.reason)) return Progress::failed;
    if (!term.ellipsis) continue;
    if (!batch) {
      batch = middle;
      continue;
    }
    Constraint both;
    both.kind = ConstraintKind::broadcast;
    both.reason = c.reason;
    both.shapes = {{ShapePart::of(freshShape("s"))}, *batch, middle};
    batch = both.shapes[0];
    add(std::move(both));
  }
  for (const auto& [letter, size] : sizes)
    if (equation->result.letters().find(letter) == std::string::npos) needWhole(size, c.reason);
  Shape result = shapeOf(equation->result, batch.value_or(Shape{}));
  return unifyShape(c.shapes[0], result, c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
