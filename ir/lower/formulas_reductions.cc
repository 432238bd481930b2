// Reductions over any axes, normalisations, scans and sorting. Sums of f16 and bf16 are computed in f32.
#include <cmath>

#include "ir/lower/formula.h"
#include "ir/lower/formula_rules.h"

namespace axle::ir::lowering {

namespace {

using F = Formula;
using Axes = std::vector<std::size_t>;

Operand sum(F& f, const Operand& x, const Axes& axes, bool keep) {
  return f.reduce(Op::reduceSum, x, axes, keep, f.number(0, x));
}
Operand largest(F& f, const Operand& x, const Axes& axes, bool keep) {
  return f.reduce(Op::reduceMax, x, axes, keep, f.lowest(f.elem(x)));
}
Operand smallest(F& f, const Operand& x, const Axes& axes, bool keep) {
  return f.reduce(Op::reduceMin, x, axes, keep, f.highest(f.elem(x)));
}
Axes axesOf(F& f) { return f.axes(f.shape(f[0]).size()); }

Results reduced(F& f, Op op, double start) {
  Operand x = f.wide(0);
  return f.reduce(op, x, axesOf(f), f.flag("keep"), f.number(start, x));
}

Results mean(F& f) {
  Operand x = f.wide(0);
  Axes axes = axesOf(f);
  const bool keep = f.flag("keep");
  return sum(f, x, axes, keep) / f.countAlong(x, axes, keep);
}

Operand variance(F& f) {
  Operand x = f.wide(0);
  Axes axes = axesOf(f);
  const bool keep = f.flag("keep");
  Operand count = f.countAlong(x, axes, true), distance = x - f.repeatForRows(sum(f, x, axes, true) / count);
  if (!keep) count = f.countAlong(x, axes, false);
  return sum(f, distance * distance, axes, keep) / (count - f.real("correction"));
}

Results countNonzero(F& f) {
  Operand x = f[0];
  Operand holds = f.elem(x) == Elem::boolean ? x : differs(x, 0.0);
  return sum(f, f.cast(holds, Elem::i64), axesOf(f), f.flag("keep"));
}

// An infinite maximum is not subtracted, since inf - inf is NaN.
Results logsumexp(F& f) {
  Operand x = f.wide(0);
  Axes axes = axesOf(f);
  Operand top = largest(f, x, axes, true);
  top = choose(abs(top) < INFINITY, top, 0.0);
  Operand all = log(sum(f, exp(x - f.repeatForRows(top)), axes, true)) + top;
  return f.flag("keep") ? all : f.reshape(all, f.results[0].shape);
}

Results softmax(F& f) {
  Operand x = f.wide(0);
  Axes axes{f.axis(f.shape(x).size())};
  Operand e = exp(x - f.repeatForRows(largest(f, x, axes, true)));
  return e / f.repeatForRows(sum(f, e, axes, true));
}

Results l2Normalize(F& f) {
  Operand x = f.wide(0);
  Operand squares = sum(f, x * x, {f.axis(f.shape(x).size())}, true);
  return x / f.repeatForRows(sqrt(maximum(squares, f.real("eps"))));
}

Results logSoftmax(F& f) {
  Operand x = f.wide(0);
  Axes axes{f.axis(f.shape(x).size())};
  Operand d = x - f.repeatForRows(largest(f, x, axes, true));
  return d - f.repeatForRows(log(sum(f, exp(d), axes, true)));
}

Results argExtreme(F& f, Op op) {
  const std::size_t axis = f.axis(f.shape(f[0]).size());
  Operand place = f.apply(op, {f[0]}, AxisAttributes{axis});
  return f.flag("keep") ? f.expand(place, axis) : place;
}

Results scan(F& f, Op op) {
  const std::size_t axis = f.axis(f.shape(f[0]).size());
  return f.apply(op, {f[0]}, ScanAttributes{axis, f.flag("exclusive"), f.flag("reverse")});
}

Operand argsort(F& f, bool descending) {
  return f.apply(Op::argsort, {f[0]}, OrderAttributes{f.axis(f.shape(f[0]).size()), descending});
}

Results sort(F& f) {
  Operand order = argsort(f, f.flag("descending"));
  return f.apply(Op::gatherElements, {f[0], order}, AxisAttributes{f.axis(f.shape(f[0]).size())});
}

Results topK(F& f) {
  const std::size_t axis = f.axis(f.shape(f[0]).size());
  Fact places{Elem::i64, f.shape(f[0]), {}};
  if (f.failed()) return f[0];
  places.shape[axis] = f.dim("k");
  Operand first = f.apply(Op::topPlaces, {f[0]}, TopAttributes{axis, f.flag("largest"), f.flag("sorted")}, places);
  return {f.apply(Op::gatherElements, {f[0], first}, AxisAttributes{axis}), first};
}

}  // namespace

std::span<const FormulaRow> reductionFormulas() {
  // clang-format off
  static constexpr FormulaRow rows[] = {
      {"sum", [](F& f) { return reduced(f, Op::reduceSum, 0); }, lowerRaggedFormula},
      {"prod", [](F& f) { return reduced(f, Op::reduceProd, 1); }, lowerRaggedFormula},
      {"amax", [](F& f) -> Results { return largest(f, f[0], axesOf(f), f.flag("keep")); }, lowerRaggedFormula},
      {"amin", [](F& f) -> Results { return smallest(f, f[0], axesOf(f), f.flag("keep")); }, lowerRaggedFormula},
      {"any", [](F& f) { return reduced(f, Op::reduceMax, 0); }, lowerRaggedFormula},
      {"all", [](F& f) { return reduced(f, Op::reduceMin, 1); }, lowerRaggedFormula},
      {"mean", mean, lowerRaggedFormula},
      {"variance", [](F& f) -> Results { return variance(f); }, lowerRaggedFormula},
      {"std", [](F& f) -> Results { return sqrt(variance(f)); }, lowerRaggedFormula},
      {"l1_norm", [](F& f) -> Results { return sum(f, abs(f.wide(0)), axesOf(f), f.flag("keep")); }, lowerRaggedFormula},
      {"l2_norm", [](F& f) -> Results { return sqrt(sum(f, f.wide(0) * f.wide(0), axesOf(f), f.flag("keep"))); }, lowerRaggedFormula},
      {"count_nonzero", countNonzero, lowerRaggedFormula},
      {"logsumexp", logsumexp, lowerRaggedFormula},
      {"softmax", softmax, lowerRaggedFormula},
      {"l2_normalize", l2Normalize, lowerRaggedFormula},
      {"log_softmax", logSoftmax, lowerRaggedFormula},
      {"argmax", [](F& f) { return argExtreme(f, Op::argMax); }, lowerFormula},
      {"argmin", [](F& f) { return argExtreme(f, Op::argMin); }, lowerFormula},
      {"cumsum", [](F& f) { return scan(f, Op::cumSum); }, lowerFormula},
      {"cumprod", [](F& f) { return scan(f, Op::cumProd); }, lowerFormula},
      {"cummax", [](F& f) { return scan(f, Op::cumMax); }, lowerFormula},
      {"cummin", [](F& f) { return scan(f, Op::cumMin); }, lowerFormula},
      {"argsort", [](F& f) -> Results { return argsort(f, f.flag("descending")); }, lowerFormula},
      {"sort", sort, lowerFormula},
      {"top_k", topK, lowerFormula},
      {"searchsorted", [](F& f) -> Results { return f.apply(Op::searchSorted, {f[0], f[1]}, SearchAttributes{f.flag("right")}); }},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir::lowering
