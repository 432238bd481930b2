// Rules of paddings and windows: the size that a convolution or a pool computes, and the facts it requires.
#include <algorithm>

#include "dims/windows.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"

namespace axle {
namespace {

// Requires that a padded size has the elements that the mode reads: `n >= side`, and one more if the edge itself is not
// repeated.
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

constexpr const char* paddingForm = "a padding is \"same\", \"valid\", or a pair [before, after] for each axis";

// One axis of a window: its stride, its extent, and the total padding around the image.
struct WindowSizes {
  Dim stride, extent, around;
  WindowPadding padding = WindowPadding::explicitly;

  bool isSame() const { return padding == WindowPadding::same; }
};

// Reads a window into `sizes`. Returns nothing once all of it is known.
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
  sizes.extent = windowExtent(dims, solution.resolve(window.window), dilation.dim);
  sizes.around = dims.constant(0);
  if (padding.kind == StaticKind::list) {
    auto pair = window.axis < padding.items.size() ? staticDims(solver, padding.items[window.axis], 2) : std::nullopt;
    if (!pair) return failAttribute(solver, reason, paddingForm);
    for (Dim side : *pair) addFact(solver, side, FactRelation::ge, dims.constant(0), reason);
    sizes.around = dims.add((*pair)[0], (*pair)[1]);
  } else {
    const bool isSame = padding.text == ast::samePadding;
    if (padding.kind != StaticKind::text || !(isSame || padding.text == ast::validPadding))
      return failAttribute(solver, reason, paddingForm);
    sizes.padding = isSame ? WindowPadding::same : WindowPadding::valid;
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
  static constexpr std::string_view modes[] = {"constant", "edge", "symmetric", "reflect", "circular"};
  const bool isMode = word.kind == StaticKind::text && std::ranges::find(modes, word.text) != std::end(modes);
  if (list.kind != StaticKind::list || !isMode)
    return failAttribute(solver, reason, "it takes pairs [before, after] and a mode such as \"edge\"");
  if (!fixRank(solver, operand, list.items.size(), reason)) return Progress::failed;
  if (!knownDims(solver, operand)) return Progress::waiting;
  Shape from = solution.resolve(operand), to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto pair = staticDims(solver, list.items[i], 2);
    if (!pair) return failAttribute(solver, reason, "it takes pairs [before, after]");
    for (Dim side : *pair) requirePaddable(solver, from[i].dim, side, word.text, reason);
    to.push_back(ShapePart::of(dims.add(from[i].dim, dims.add((*pair)[0], (*pair)[1])), from[i].origin));
  }
  return doneIf(unifyShape(solver, result, to, reason));
}

// The result is the number of window positions. Unless the padding is "same", the padded image must be at least as
// large as the window.
Progress constraint::ConvOut::run(Solver& solver, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  WindowSizes sizes;
  if (auto progress = readWindow(solver, *this, reason, sizes)) return *progress;
  const Dim h = solver.solution.resolve(image);
  Dim count = samePaddedPositions(dims, h, sizes.stride);
  if (!sizes.isSame()) {
    // Stated in the signature's names, before a negative size can follow.
    const Dim dilated = solver.solution.types[solver.solution.resolve(dilation)].dim;
    Fact covered{{dims.add(image, sizes.around), FactRelation::ge, windowExtent(dims, window, dilated)}};
    if (decideByNormalForm(solver, dims.add(h, sizes.around), FactRelation::ge, sizes.extent) == FactVerdict::refuted)
      return covered.run(solver, reason);
    addConstraint(solver, reason, std::move(covered));
    count = windowPositions(dims, h, sizes.around, sizes.extent, sizes.stride);
  }
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(count), reason));
}

// A given result size must be one that the convolution maps to h.
Progress constraint::ConvTransposeOut::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm list = solution.types[solution.resolve(sizes)];
  if (list.kind == StaticKind::var) return Progress::waiting;
  WindowSizes of;
  if (auto progress = readWindow(solver, *this, reason, of)) return *progress;
  if (list.kind != StaticKind::list || axis >= list.items.size())
    return failAttribute(solver, reason, "the sizes of results are a list, with `_` or a size for each axis");
  const StaticTerm given = solution.types[solution.resolve(list.items[axis])];
  if (given.kind == StaticKind::var) return Progress::waiting;
  const Dim h = solution.resolve(image);
  Dim size;
  if (given.kind == StaticKind::dim) {
    size = solution.resolve(given.dim);
    Dim back = samePaddedPositions(dims, size, of.stride);
    if (!of.isSame()) {
      const Dim room = dims.sub(dims.add(size, of.around), of.extent);
      addFact(solver, room, FactRelation::ge, dims.constant(0), reason);
      back = windowPositions(dims, size, of.around, of.extent, of.stride);
    }
    if (!unifyDim(solver, ShapePart::of(h), ShapePart::of(back), reason)) return Progress::failed;
  } else {
    if (of.padding == WindowPadding::explicitly)
      addFact(solver, windowSpan(dims, h, of.stride, of.extent), FactRelation::ge, of.around, reason);
    size = transposedWindowSize(dims, of.padding, h, of.around, of.extent, of.stride);
  }
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(size), reason));
}

}  // namespace axle
