// Formulas of cuts whose bounds the run computes: gathers of the selected indices.
#include "import/tensorflow/operators/slicing.h"

namespace axle::tensorflow::slicing {
namespace {

// An index beyond any axis: gathering there stops the run.
constexpr double nowhere = 1e15;

Expr boundAt(NodeFormula& f, std::size_t input, std::size_t place) {
  return f.cast(f.at(f.in(input), 0, static_cast<std::int64_t>(place)), Elem::i64);
}

// Returns 0, 1, ... up to `count`, which the run computes. If the outlet's size is known, the run checks that it is
// `count`.
Expr placesOf(NodeFormula& f, Expr count, Dim size, Dim most) {
  if (f.isOpen(size)) return f.op("arange_to", {count}, {{"most", f.n.t.integer(most)}});
  return f.countTo(size) + choose(count == f.numberOf(size), 0, f.number(nowhere, Elem::i64));
}

bool isMasked(NodeFormula& f, std::string_view mask, const Cut& cut) {
  return cut.place < 63 && ((f.n.integer(mask) >> cut.place) & 1) != 0;
}

// Returns a bound counted from the front, clamped for a range in this direction.
Expr boundOf(NodeFormula& f, std::size_t input, const Cut& cut, Expr length) {
  Expr at = boundAt(f, input, cut.place);
  at = choose(at < 0.0, at + length, at);
  if (cut.shrunk) return at;
  const double before = cut.turned ? -1 : 0;
  return apply("minimum", apply("maximum", at, f.like(before, at)), length + before);
}

// Returns the number of indices, `step` apart, from `start` up to, but not including, `stop`.
Expr stepsBetween(NodeFormula& f, Expr start, Expr stop, std::int64_t step) {
  Expr count = -apply("floor_div", start - stop, f.number(static_cast<double>(step), Elem::i64));
  return apply("maximum", count, f.like(0, count));
}

Expr openRange(NodeFormula& f, Expr value, const Cut& cut, std::int64_t axis, Dim size, Dim its) {
  const std::int64_t step = cut.turned ? -cut.step : cut.step;
  Expr length = f.numberOf(size), zero = f.number(0, Elem::i64);
  Expr start = cut.turned ? length - 1.0 : zero, stop = cut.turned ? f.number(-1, Elem::i64) : length;
  if (!isMasked(f, "begin_mask", cut)) start = boundOf(f, 1, cut, length);
  if (!isMasked(f, "end_mask", cut)) stop = boundOf(f, 2, cut, length);
  Expr places = placesOf(f, stepsBetween(f, start, stop, step), its, size);
  return f.gather(value, start + places * static_cast<double>(step), axis);
}

}  // namespace

FormulaResults stridedSliceFormula(NodeFormula& f) {
  auto dims = f.n.dims(0);
  auto made = f.outletDims(0);
  auto cuts = dims && made ? cutsOf(f.n, *dims) : std::nullopt;
  if (!cuts) return {};
  Expr value = f.in(0);
  std::int64_t axis = 0;
  std::size_t from = 0;  // the axis of the input
  for (const Cut& cut : *cuts) {
    if (cut.added) {
      value = f.expand(value, axis++);
      continue;
    }
    Dim size = (*dims)[from++];
    if (cut.shrunk && cut.open) {
      value = f.gather(value, boundOf(f, 1, cut, f.numberOf(size)), axis);
      continue;
    }
    if (cut.open && static_cast<std::size_t>(axis) >= made->size()) return {};
    if (cut.open) {
      value = openRange(f, value, cut, axis, size, (*made)[static_cast<std::size_t>(axis)]);
    } else if (!cut.whole) {
      if (cut.turned) value = f.op("reverse", {value}, {{"axis", f.n.t.integer(axis)}});
      value = f.sliced(value, axis, cut.start, cut.stop, cut.step);
    }
    if (cut.shrunk)
      value = f.squeeze(value, axis);
    else
      ++axis;
  }
  return {value};
}

// A size of -1 takes the rest. Indices outside of the tensor stop the run.
FormulaResults sliceFormula(NodeFormula& f) {
  auto dims = f.n.dims(0);
  auto made = f.outletDims(0);
  if (!dims || !made || made->size() < dims->size()) return {};
  auto begin = f.n.known(1);
  Expr value = f.in(0), none = f.number(nowhere, Elem::i64);
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const bool isWhole = (*made)[i] == (*dims)[i] && begin && begin->elements[i] == f.dim(0);
    if (isWhole) continue;
    Expr start = boundAt(f, 1, i), size = boundAt(f, 2, i), length = f.numberOf((*dims)[i]);
    size = choose(size < 0.0, length - start, size);
    Expr places = placesOf(f, size, (*made)[i], (*dims)[i]);
    // A negative index would count from the end.
    value = f.gather(value, choose(start < 0.0, none, start) + places, static_cast<std::int64_t>(i));
  }
  return {value};
}

}  // namespace axle::tensorflow::slicing
