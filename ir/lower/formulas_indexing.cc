// Operators that read and write at computed positions, as formulas over gathers and scatters.
#include "ir/lower/formula.h"
#include "ir/lower/formula_rules.h"

namespace axle::ir::lowering {

namespace {

using F = Formula;

std::size_t axisOf(F& f) { return f.axis(f.shape(f[0]).size()); }
Operand i64(F& f, const Operand& x) { return f.cast(x, Elem::i64); }
Operand positions(F& f, Dim count) { return f.apply(Op::iota, {}, AxisAttributes{0}, Fact{Elem::i64, {count}, {}}); }
Operand clipped(F& f, const Operand& x, Dim low, Dim high) { return maximum(minimum(x, f.size(high)), f.size(low)); }

Results takeAlong(F& f) { return f.apply(Op::gatherElements, {f[0], f[1]}, AxisAttributes{axisOf(f)}); }

Results scatterAlong(F& f) {
  return f.apply(Op::scatterElements, {f[0], f[1], f[2]}, ScatterAttributes{axisOf(f), ScatterMode::put});
}

Operand scatter(F& f, const Operand& base, const Operand& ids, const Operand& updates, ScatterMode mode) {
  return f.apply(Op::scatterNd, {f.wide(base), ids, f.wide(updates)}, ModeAttributes{mode});
}

Results scatterNd(F& f, ScatterMode mode) {
  if (mode == ScatterMode::put) return f.apply(Op::scatterNd, {f[0], f[1], f[2]}, ModeAttributes{mode});
  return scatter(f, f[0], f[1], f[2], mode);
}

// Combines rows with equal ids; ids without rows get `start`.
Operand segments(F& f, const Operand& x, const Operand& start, ScatterMode mode) {
  Dims shape = f.shape(x);
  if (f.failed()) return x;
  Operand ids = f.reshape(f[1], {shape[0], f.size(1)});
  shape[0] = f.dim("count");
  return scatter(f, f.broadcast(start, std::move(shape)), ids, x, mode);
}

Results segmentSum(F& f) {
  Operand x = f.wide(0);
  return segments(f, x, f.number(0, x), ScatterMode::add);
}

Results segmentMean(F& f) {
  Operand x = f.wide(0);
  Dims shape = f.shape(x);
  if (f.failed()) return x;
  for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = f.size(1);
  Operand ones = f.broadcast(f.number(1, x), std::move(shape));
  return segments(f, x, f.number(0, x), ScatterMode::add) /
         maximum(segments(f, ones, f.number(0, x), ScatterMode::add), 1.0);
}

Results bincount(F& f) {
  const Dims shape = f.shape(f[0]);
  if (f.failed()) return f[0];
  Operand ids = f.reshape(f[0], {shape[0], f.size(1)});
  return f.apply(
      Op::scatterNd,
      {f.broadcast(f.number(0, Elem::i64), {f.dim("count")}), ids, f.broadcast(f.number(1, Elem::i64), shape)},
      ModeAttributes{ScatterMode::add});
}

// Clamps the start so that the slice lies within the tensor.
Operand clampStart(F& f, const Operand& start, Dim n, Dim size) {
  return clipped(f, i64(f, start), f.size(0), f.dims.sub(n, size));
}

Results dynamicSlice(F& f) {
  const std::size_t axis = axisOf(f);
  if (f.failed()) return f[0];
  Dim n = f.shape(f[0])[axis], size = f.dim("size");
  // Slicing the positions fails for a size larger than the axis, even if no element is gathered.
  Operand first = f.slice(positions(f, n), 0, f.size(0), size);
  return f.gather(f[0], clampStart(f, f[1], n, size) + first, axis);
}

Results dynamicUpdateSlice(F& f) {
  const std::size_t axis = axisOf(f);
  Dims shape = f.shape(f[0]), line(shape.size(), f.size(1));
  if (f.failed()) return f[0];
  Dim n = shape[axis], k = f.shape(f[1])[axis];
  Operand from = positions(f, n) - clampStart(f, f[2], n, k);
  Operand moved = f.gather(f[1], clipped(f, from, f.size(0), f.dims.sub(k, f.size(1))), axis);
  line[axis] = n;
  return choose(f.reshape(both(from >= 0.0, from < f.size(k)), std::move(line)), moved, f[0]);
}

// Sorts, and keeps each element that differs from the one before it.
Results unique(F& f) {
  Dim n = elementCount(f.dims, f.shape(f[0])), one = f.size(1), k = f.results[0].shape[0];
  Operand x = f.reshape(f[0], {n});
  x = f.gather(x, f.apply(Op::argsort, {x}, OrderAttributes{0}), 0);
  Dim pairs = f.dims.max(f.dims.sub(n, one), f.size(0));
  Operand changes = differs(f.slice(x, 0, f.dims.sub(n, pairs), pairs), f.slice(x, 0, f.size(0), pairs));
  Operand first = f.broadcast(f.number(1, Elem::boolean), {f.dims.min(n, one)});
  Operand changed = f.apply(Op::nonzero, {f.concat({first, changes}, 0)}, {}, Fact{Elem::i64, {k, one}, {}});
  return f.gather(x, f.reshape(changed, {k}), 0);
}

// [b, n] @ s: reverses the first lengths[b] elements of each sequence.
Results reverseSequence(F& f) {
  Dims shape = f.shape(f[0]);
  if (f.failed()) return f[0];
  Dim n = shape[1];
  Operand length = f.reshape(i64(f, f[1]), {shape[0], f.size(1)});
  Operand position = f.reshape(positions(f, n), {f.size(1), n});
  Operand from = choose(position < length, length - 1.0 - position, position + 0.0 * length);
  Dims ids(shape.size(), f.size(1));
  ids[0] = shape[0];
  ids[1] = n;
  return f.apply(Op::gatherElements, {f[0], f.broadcast(f.reshape(from, std::move(ids)), shape)}, AxisAttributes{1});
}

}  // namespace

std::span<const FormulaRow> indexingFormulas() {
  // clang-format off
  static constexpr FormulaRow rows[] = {
      {"take_along", takeAlong},
      {"gather_nd", [](F& f) -> Results { return f.apply(Op::gatherNd, {f[0], f[1]}); }},
      {"scatter_along", scatterAlong},
      {"scatter_update", [](F& f) { return scatterNd(f, ScatterMode::put); }},
      {"scatter_add", [](F& f) { return scatterNd(f, ScatterMode::add); }},
      {"scatter_mul", [](F& f) { return scatterNd(f, ScatterMode::multiply); }},
      {"scatter_max", [](F& f) { return scatterNd(f, ScatterMode::max); }},
      {"scatter_min", [](F& f) { return scatterNd(f, ScatterMode::min); }},
      {"segment_sum", segmentSum},
      {"segment_mean", segmentMean},
      {"segment_max", [](F& f) -> Results { return segments(f, f[0], f.lowest(f.elem(f[0])), ScatterMode::max); }},
      {"segment_min", [](F& f) -> Results { return segments(f, f[0], f.highest(f.elem(f[0])), ScatterMode::min); }},
      {"bincount", bincount},
      {"dynamic_slice", dynamicSlice},
      {"dynamic_update_slice", dynamicUpdateSlice},
      {"reverse_sequence", reverseSequence},
      {"unique", unique},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir::lowering
