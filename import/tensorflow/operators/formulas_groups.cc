// Formulas of operators that count, order and put rows together, by ids or along axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

std::int64_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// Rows of data and their ids, those that are negative behind the last group, which is dropped again.
struct Groups {
  Ex data, ids;
  Dim count;
  Dims row;
};

// Ids, which rise, say how many groups there are.
std::optional<Dim> countFrom(Formula& f, Ex ids) {
  Ex last = f.reduce("amax", f.concat({ids, f.full({1}, f.like(-1, ids))}, 0), {0});
  return f.found(last + 1.0, f.dim(Formula::mostFound(1)));
}

// The third input says how many there are, or the ids do.
std::optional<Groups> groupsOf(Formula& f) {
  auto dims = f.dims(0), its = f.dims(1);
  auto made = f.count() > 2 ? f.sizesBy(0, 2) : f.outletDims(0);
  if (!dims || !its || !made || made->empty() || its->size() > dims->size()) return std::nullopt;
  Groups g;
  g.row.assign(dims->begin() + static_cast<std::ptrdiff_t>(its->size()), dims->end());
  Dims flat{f.productOf(*its)};
  flat.insert(flat.end(), g.row.begin(), g.row.end());
  g.data = f.shaped(f.in(0), flat);
  g.ids = f.cast(f.shaped(f.in(1), {flat[0]}), Elem::i64);
  if (f.isOpen(made->front())) {
    auto count = countFrom(f, g.ids);
    if (!count) return std::nullopt;
    made->front() = *count;
  }
  g.count = made->front();
  g.ids = choose(g.ids < 0.0, f.numberOf(g.count), g.ids);
  return g;
}

// With a group for what is dropped.
StaticId countOf(Formula& f, const Groups& g) { return f.n.t.integer(f.plus(g.count, f.dim(1))); }
Ex withoutLast(Formula& f, const Groups& g, Ex all) { return f.sliced(all, 0, f.dim(0), g.count); }

Ex grouped(Formula& f, const Groups& g, std::string_view core) {
  return withoutLast(f, g, f.op(core, {g.data, g.ids}, {{"count", countOf(f, g)}}));
}

// How many rows each group has, beside its elements.
Ex sizesOf(Formula& f, const Groups& g) {
  Ex counts = withoutLast(f, g, f.op("bincount", {g.ids}, {{"count", countOf(f, g)}}));
  Dims shape(g.row.size() + 1, f.dim(1));
  shape[0] = g.count;
  return f.shaped(counts, shape);
}

FormulaResults sums(Formula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  return {grouped(f, *g, "segment_sum")};
}

// Towards 0.
Ex shared(Ex total, Ex count) {
  const ElemInfo& its = info(total.formula->elem(total));
  if (its.isFloat || !its.isSigned) return total / count;
  Ex share = apply("abs", total) / count;
  return choose(total < 0.0, -share, share);
}

FormulaResults means(Formula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  Ex counts = sizesOf(f, *g), total = grouped(f, *g, "segment_sum");
  return {shared(total, f.cast(choose(counts == 0.0, 1, counts), f.elem(total)))};
}

FormulaResults products(Formula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  Dims shape{f.plus(g->count, f.dim(1))};
  shape.insert(shape.end(), g->row.begin(), g->row.end());
  Ex ones = f.filled(shape, f.like(1, g->data));
  return {withoutLast(f, *g, f.op("scatter_mul", {ones, f.expand(g->ids, -1), g->data}))};
}

double largestOf(Elem elem) {
  if (elem == Elem::f16) return 65504;
  if (elem == Elem::bf16) return 0x1.fep127;
  return elem == Elem::f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

// Of an empty group 0 where ids rise; else the lowest or the highest number that is finite.
FormulaResults extremes(Formula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  bool isMax = f.n.node.op.find("Max") != std::string::npos;
  Ex found = grouped(f, *g, isMax ? "segment_max" : "segment_min");
  Elem elem = f.elem(found);
  double none = 0;
  if (f.n.node.op.starts_with("Unsorted")) {
    if (!info(elem).isFloat) return {found};
    none = largestOf(elem);
    if (isMax) none = -none;
  }
  return {choose(sizesOf(f, *g) == 0.0, none, found)};
}

// The rows of `data` that the indices name, together by ids: what says how many groups there are comes last, if at all.
FormulaResults sparseSums(Formula& f) {
  const bool isSum = f.n.node.op.find("Sum") != std::string::npos;
  auto made = f.count() > 3 ? f.sizesBy(0, 3) : f.outletDims(0);
  if (!made || made->empty()) return {};
  Ex ids = f.cast(f.in(2), Elem::i64), rows = f.gather(f.in(0), f.in(1), 0);
  if (f.isOpen(made->front())) {
    auto count = countFrom(f, ids);
    if (!count) return {};
    made->front() = *count;
  }
  StaticId count = f.n.t.integer(made->front());
  Ex total = f.op("segment_sum", {rows, ids}, {{"count", count}});
  if (isSum) return {total};
  Dims shape(made->size(), f.dim(1));
  shape[0] = made->front();
  Ex counts = f.shaped(f.op("bincount", {ids}, {{"count", count}}), shape);
  Ex divisor = f.cast(choose(counts == 0.0, 1, counts), f.elem(total));
  return {total / (f.n.node.op.find("Sqrt") != std::string::npos ? apply("sqrt", divisor) : divisor)};
}

// ---- of whole numbers, along axes

// Summed in 64 bits, whatever the elements.
FormulaResults wholeMean(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  auto axes = f.n.numbers(1);
  const Elem elem = f.elem(f.in(0));
  if (!dims || !axes || !info(elem).isInt) return {};
  Dim count = f.dim(1);
  for (std::int64_t axis : *axes) {
    auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims->size()) : axis);
    if (at >= dims->size()) return {};
    count = f.times(count, (*dims)[at]);
  }
  const Elem wide = info(elem).isSigned ? Elem::i64 : Elem::u64;
  Ex total = f.reduce("sum", f.cast(f.in(0), wide), *axes, f.n.flag("keep_dims"));
  Ex divisor = apply("maximum", f.numberOf(count), f.number(1, Elem::i64));
  return {f.cast(shared(total, f.cast(divisor, wide)), elem)};
}

FormulaResults wholeNorm(Formula& f) {
  auto axes = f.n.numbers(1);
  Ex x = f.in(0);
  if (!axes || !info(f.elem(x)).isInt) return {};
  Ex total = f.reduce("sum", x * x, *axes, f.n.flag("keep_dims"));
  return {f.cast(apply("floor", apply("sqrt", f.cast(total, Elem::f64))), f.elem(x))};
}

// The logarithm of the sum of exponentials so far: each turn adds to each place as many again before it. Exclusive,
// the first is of nothing.
FormulaResults cumulated(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  auto given = f.n.number(1);
  if (!dims || !given) return {};
  const std::int64_t axis = *given < 0 ? *given + std::ssize(*dims) : *given;
  if (axis < 0 || axis >= std::ssize(*dims)) return {};
  const auto at = static_cast<std::size_t>(axis);
  const Dim size = (*dims)[at];
  auto turned = [&](Ex x) { return f.n.flag("reverse") ? f.op("reverse", {x}, {{"axis", f.n.t.integer(axis)}}) : x; };
  Ex place = f.countTo(size), none = f.like(-INFINITY, f.in(0));
  Dims along(dims->size() - at, f.dim(1));
  along[0] = size;
  auto earlier = [&](Ex all, Ex by, Ex otherwise) {
    Ex from = place - by;
    Ex found = f.gather(all, apply("maximum", from, f.like(0, from)), axis);
    return choose(f.shaped(from >= 0.0, along), found, otherwise);
  };
  Ex sum = f.loop(
      {f.number(1, Elem::i64), turned(f.in(0))}, [&](const Formula::States& now) { return now[0] < f.numberOf(size); },
      [&](const Formula::States& now) {
        return Formula::States{now[0] * 2.0, apply("logaddexp", now[1], earlier(now[1], now[0], none))};
      })[1];
  if (f.n.flag("exclusive")) sum = earlier(sum, f.number(1, Elem::i64), none);
  return {turned(sum)};
}

// ---- counts

// Of each row by itself: the ids of a row lie behind those of the row before. Each row has a place more, for what is
// dropped.
FormulaResults bincount(Formula& f) {
  auto dims = f.dims(0), weights = f.dims(2), outlet = f.outletDims(0);
  if (!dims || !weights || !outlet || outlet->empty()) return {};
  auto made = f.sizesBy(0, 1, outlet->size() - 1);
  if (!made) return {};
  const bool isWeighted = f.number(f.productOf(*weights)) != 0;
  if (isWeighted && *weights != *dims) return {};
  const Dim rows = made->size() > 1 ? made->front() : f.dim(1), all = f.productOf(*dims), size = made->back();
  const Dim width = f.plus(size, f.dim(1));
  Ex ids = f.cast(f.in(0), Elem::i64), last = f.numberOf(size);
  ids = choose(ids >= last, last, ids);
  if (made->size() > 1) ids = ids + f.expand(f.countTo(rows) * (last + 1.0), -1);
  ids = f.shaped(ids, {all});
  const StaticId count = f.n.t.integer(f.times(rows, width));
  const Elem to = f.elemOf(f.n.type("T").value_or(f.n.fact(2).type));
  Ex counts = f.op("bincount", {ids}, {{"count", count}}), found;
  if (f.n.flag("binary_output"))
    found = f.cast(counts > 0.0, to);
  else if (isWeighted)
    found = f.op("segment_sum", {f.shaped(f.in(2), {all}), ids}, {{"count", count}});
  else
    found = f.cast(counts, to);
  return {f.shaped(f.sliced(f.shaped(found, {rows, width}), 1, f.dim(0), size), *made)};
}

FormulaResults histogram(Formula& f) {
  auto dims = f.sizes(0), made = f.outletSizes(0);
  if (!dims || !made || made->size() != 1) return {};
  auto bins = static_cast<double>(made->front());
  Ex low = f.at(f.in(1), 0, 0), high = f.at(f.in(1), 0, 1);
  Ex values = f.reshape(f.in(0), {product(*dims)});
  if (!info(f.elem(values)).isFloat) {
    values = f.cast(values, Elem::f64);
    low = f.cast(low, Elem::f64);
    high = f.cast(high, Elem::f64);
  }
  Ex places = apply("floor", (values - low) * bins / (high - low));
  places = apply("minimum", apply("maximum", places, f.like(0, places)), f.like(bins - 1, places));
  Type to = f.n.type("dtype").value_or(Type::i32);
  Ex counts = f.op("bincount", {f.cast(places, Elem::i64)}, {{"count", f.n.t.integer(made->front())}});
  return {f.cast(counts, f.elemOf(to))};
}

FormulaResults bucketize(Formula& f) {
  const Value* value = f.n.attribute("boundaries");
  const auto* items = value ? std::get_if<Values>(value) : nullptr;
  if (!items) return {};
  std::vector<double> bounds;
  for (const Value& item : *items)
    if (const auto* number = std::get_if<float>(&item)) bounds.push_back(static_cast<double>(*number));
  Ex values = f.cast(f.in(0), Elem::f64);
  Ex edges = f.reals(Elem::f64, {static_cast<std::int64_t>(bounds.size())}, bounds);
  return {f.cast(f.op("searchsorted", {edges, values}, {{"right", f.n.t.boolean(true)}}), Elem::i32)};
}

// Row by row: how many of a sorted row are smaller, or not larger, than each value.
FormulaResults bounds(Formula& f) {
  auto rows = f.sizes(0), made = f.outletSizes(0);
  if (!rows || !made || rows->size() != 2) return {};
  Ex sorted = f.expand(f.in(0), 1), values = f.expand(f.in(1), 2);
  Ex before = f.n.node.op == "UpperBound" ? sorted <= values : sorted < values;
  Ex count = f.reduce("count_nonzero", before, {2});
  return {f.cast(count, f.elemOf(f.n.type("out_type").value_or(Type::i32)))};
}

FormulaResults nthElement(Formula& f) {
  Ex sorted = f.op("sort", {f.in(0)}, {{"descending", f.n.t.boolean(f.n.flag("reverse"))}});
  return {f.gather(sorted, f.in(1), -1)};
}

// The target's place among the predictions; none where a number of the row is not finite.
FormulaResults inTopK(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() != 2) return {};
  Ex k = f.count() > 2 ? f.cast(f.in(2), Elem::i64) : f.number(static_cast<double>(f.n.integer("k")), Elem::i64);
  Ex target = f.cast(f.in(1), Elem::i64);
  Ex inRange = target >= 0.0 && target < f.numberOf((*dims)[1]);
  Ex chosen = f.op("take_along", {f.in(0), f.expand(choose(inRange, target, 0), -1)}, {{"axis", f.n.t.integer(1)}});
  Ex larger = f.reduce("count_nonzero", f.in(0) > chosen, {1});
  Ex finite = f.reduce("all", apply("is_finite", f.in(0)), {1});
  return {inRange && finite && larger < k};
}

// Of each element the place of the first that equals it: sorted, equal ones stand together.
Ex firstOf(Formula& f, Ex all, Dim n) {
  if (f.elem(all) == Elem::boolean) all = f.cast(all, Elem::i32);
  const StaticId first = f.n.t.integer(0);
  Ex place = f.countTo(n), order = f.op("argsort", {all}), sorted = f.gather(all, order, 0);
  Ex before = f.gather(sorted, apply("maximum", place - 1.0, f.like(0, place)), 0);
  Ex isNew = place == 0.0 || sorted != before;
  Ex group = f.op("cumsum", {f.cast(isNew, Elem::i64)}, {{"axis", first}}) - 1.0;
  Ex least = f.op("segment_min", {order, group}, {{"count", f.n.t.integer(n)}});
  Ex none = f.filled({n}, f.number(0, Elem::i64));
  return f.op("scatter_update", {none, f.expand(order, 1), f.gather(least, group, 0)});
}

// The same of slices [n, width], each beside each.
std::optional<Ex> firstSlices(Formula& f, Ex all, std::int64_t n, std::int64_t width) {
  constexpr std::int64_t mostCompared = 4096;
  if (n > mostCompared || n * n * width > mostCompared * mostCompared) return std::nullopt;
  Ex same = f.reduce("all", f.expand(all, 1) == f.expand(all, 0), {2}) || f.identity(n, Elem::boolean);  // [n, n]
  same = f.concat({same, f.full({n, 1}, f.number(1, Elem::boolean))}, 1);
  return f.op("argmax", {f.cast(same, Elem::i32)}, {{"axis", f.n.t.integer(1)}});
}

// Unique elements, or slices along an axis, stay in the order of their first occurrence.
FormulaResults unique(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  const bool hasAxis = f.n.node.op.ends_with("V2");
  auto axes = hasAxis && f.count() > 1 ? f.n.numbers(1) : Sizes{};
  if (!dims || dims->empty() || !axes || axes->size() > 1 || (dims->size() > 1 && axes->empty())) return {};
  std::int64_t axis = axes->empty() ? 0 : axes->front();
  if (axis < 0) axis += std::ssize(*dims);
  const Dim n = (*dims)[static_cast<std::size_t>(axis)];
  std::optional<Ex> first;
  if (dims->size() == 1) {
    first = firstOf(f, f.in(0), n);
  } else if (auto sizes = f.sizes(0)) {
    const std::int64_t count = (*sizes)[static_cast<std::size_t>(axis)],
                       width = count > 0 ? product(*sizes) / count : 0;
    Ex all = f.op("move_axis", {f.in(0)}, {{"from", f.n.t.integer(axis)}, {"to", f.n.t.integer(0)}});
    first = firstSlices(f, f.reshape(all, {count, width}), count, width);
  }
  if (!first) return {};
  Ex isFirst = *first == f.countTo(n);
  Ex kept = f.squeeze(f.op("nonzero", {isFirst}), 1);
  Ex number = f.op("cumsum", {f.cast(isFirst, Elem::i64)}, {{"axis", f.n.t.integer(0)}}) - 1.0;
  Elem places = f.elemOf(f.n.type("out_idx").value_or(Type::i32));
  FormulaResults results{f.gather(f.in(0), kept, axis), f.cast(f.gather(number, *first, 0), places)};
  if (f.n.node.op.starts_with("UniqueWithCounts")) {
    Ex counts = f.op("bincount", {*first}, {{"count", f.n.t.integer(n)}});
    results.push_back(f.cast(f.gather(counts, kept, 0), places));
  }
  return results;
}

// What of the first vector is not in the second one, and where it stands.
FormulaResults difference(Formula& f) {
  Ex isIn = f.reduce("any", f.expand(f.in(0), 1) == f.expand(f.in(1), 0), {1});
  Ex kept = f.squeeze(f.op("nonzero", {apply("not", isIn)}), 1);
  return {f.gather(f.in(0), kept, 0), f.cast(kept, f.elemOf(f.n.type("out_idx").value_or(Type::i32)))};
}

// Of all axes but that of the channels.
FormulaResults biasGrad(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() < 2) return {};
  const std::size_t channels = f.n.text("data_format") == "NCHW" ? 1 : dims->size() - 1;
  Sizes axes;
  for (std::size_t i = 0; i < dims->size(); ++i)
    if (i != channels) axes.push_back(static_cast<std::int64_t>(i));
  return {f.reduce("sum", f.in(0), axes)};
}

// Dense, of a few elements whose places are rows.
FormulaResults sparseDenseAdd(Formula& f) { return {f.op("scatter_add", {f.in(3), f.in(0), f.in(1)})}; }

constexpr FormulaRow rows[] = {
    {"Mean", wholeMean},
    {"EuclideanNorm", wholeNorm},
    {"CumulativeLogsumexp", cumulated},
    {"SegmentSum", sums},
    {"SegmentMean", means},
    {"SegmentProd", products},
    {"SegmentMax", extremes},
    {"SegmentMin", extremes},
    {"UnsortedSegmentSum", sums},
    {"UnsortedSegmentProd", products},
    {"UnsortedSegmentMax", extremes},
    {"UnsortedSegmentMin", extremes},
    {"SparseSegmentSum", sparseSums},
    {"SparseSegmentMean", sparseSums},
    {"SparseSegmentSqrtN", sparseSums},
    {"SparseSegmentSumWithNumSegments", sparseSums},
    {"SparseSegmentMeanWithNumSegments", sparseSums},
    {"SparseSegmentSqrtNWithNumSegments", sparseSums},
    {"Bincount", bincount},
    {"DenseBincount", bincount},
    {"HistogramFixedWidth", histogram},
    {"Bucketize", bucketize},
    {"UpperBound", bounds},
    {"LowerBound", bounds},
    {"NthElement", nthElement},
    {"InTopK", inTopK},
    {"InTopKV2", inTopK},
    {"Unique", unique},
    {"UniqueWithCounts", unique},
    {"UniqueV2", unique},
    {"UniqueWithCountsV2", unique},
    {"ListDiff", difference},
    {"BiasAddGrad", biasGrad},
    {"SparseTensorDenseAdd", sparseDenseAdd},
};

}  // namespace

std::span<const FormulaRow> groupFormulas() { return rows; }

}  // namespace axle::tensorflow
