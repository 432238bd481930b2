// Operators that search, sort and count elements.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::searching {
namespace {

Outcome topKType(RuleNode& n, std::string_view) {
  Dim k = n.t.constant(n.integer("k"));
  if (n.count() > 1) {
    auto given = n.sizes(1);
    k = given && given->size() == 1 ? given->front() : n.t.unknownSize("k");
  }
  auto found = n.op("top_k", {n.in(0)}, {{"k", n.t.integer(k)}, {"sorted", n.t.boolean(n.flag("sorted"))}});
  if (!found) return Outcome::failed;
  std::vector<TypedId> parts = n.t.bind(n.node.name, *found, n.places.op);
  if (n.type("index_type") != Type::i64) {
    auto places = castTo(n, parts[1], Elem::i32);
    if (!places) return Outcome::failed;
    parts[1] = *places;
  }
  return n.give(std::move(parts));
}

Outcome whereType(RuleNode& n, std::string_view) {
  auto rank = n.rank(0);
  Dim places = rank ? n.t.constant(static_cast<std::int64_t>(*rank)) : n.t.unknownSize("r");
  giveDims(n, {n.t.unknownSize("k"), places});
  return rank ? Outcome::done : Outcome::waits;
}

// Gives the distinct elements, the index of each input element among them, and for some versions their counts.
Outcome uniqueType(RuleNode& n, std::string_view) {
  Dim found = n.t.unknownSize("k");
  if (!n.node.op.ends_with("V2")) {
    if (!requireDims(n, 0, {n.t.unknownSize("n")}, n.places.inputs[0])) return Outcome::failed;
  }
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  std::size_t axis = 0;
  if (n.node.op.ends_with("V2") && n.count() > 1) {
    auto axes = n.numbers(1);
    if (!axes) return Outcome::waits;
    if (!axes->empty()) {
      auto at = axisWithin(n, axes->front(), dims->size());
      if (!at) return Outcome::failed;
      axis = *at;
    }
  }
  if (axis >= dims->size()) return Outcome::unknown;
  Dim all = (*dims)[axis];
  (*dims)[axis] = found;
  if (Outcome made = giveDims(n, *dims, 0); made != Outcome::done) return made;
  if (n.node.op.starts_with("UniqueWithCounts")) {
    giveDims(n, {all}, 1);
    return giveDims(n, {found}, 2);
  }
  return giveDims(n, {all}, 1);
}

// Gives two vectors of one length, which the run determines.
Outcome pairOfFoundVectorsType(RuleNode& n, std::string_view) {
  Dim count = n.t.unknownSize("k");
  giveDims(n, {count}, 0);
  return giveDims(n, {count}, 1);
}

Outcome unravelIndexType(RuleNode& n, std::string_view) {
  auto indices = n.dims(0), sizes = n.dims(1);
  if (!indices || !sizes || sizes->size() != 1) return Outcome::waits;
  indices->insert(indices->begin(), sizes->front());
  return giveDims(n, *indices);
}

// The inputs are sparse tensors of sequences. The result has the axes of their shapes, the third and the sixth input,
// without the last.
Outcome editDistanceType(RuleNode& n, std::string_view) {
  auto a = n.sizes(2), b = n.sizes(5);
  if (!a || !b || a->size() != b->size() || a->empty()) return Outcome::waits;
  Dims sizes;
  for (std::size_t i = 0; i + 1 < a->size(); ++i) sizes.push_back(larger(n, (*a)[i], (*b)[i]));
  return giveDims(n, sizes);
}

Outcome approxTopKType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  auto axis = axisWithin(n, n.integer("reduction_dimension", -1), dims->size());
  if (!axis) return Outcome::failed;
  (*dims)[*axis] = n.flag("aggregate_to_topk") ? n.t.constant(n.integer("k")) : n.t.unknownSize("k");
  giveDims(n, *dims, 0);
  return giveDims(n, *dims, 1);
}

// Gives a bucket for each row of each input; the boundaries are the remaining inputs.
Outcome bucketizeEachType(RuleNode& n, std::string_view) {
  for (std::size_t port = 0; static_cast<std::int64_t>(port) < n.integer("num_features"); ++port) {
    Dim rows = n.t.unknownSize("n");
    if (!requireDims(n, port, {rows}, n.places.inputs[port])) return Outcome::failed;
    giveDims(n, {rows}, port);
  }
  return Outcome::done;
}

Outcome bincountType(RuleNode& n, std::string_view) {
  bool dense = n.node.op == "DenseBincount";
  auto dims = n.dims(0);
  if (!dims && dense) return Outcome::waits;
  auto count = n.sizes(1);
  Dims sizes{count && count->size() == 1 ? count->front() : n.t.unknownSize("k")};
  if (dense && dims->size() == 2) sizes.insert(sizes.begin(), dims->front());
  return giveDims(n, sizes);
}

// ---- values

// Computes the elements of the first list that the second lacks, and their indices.
KnownValues listDiffValue(const RuleNode& n) {
  auto a = n.numbers(0), b = n.numbers(1);
  if (!a || !b) return {};
  Dims kept, places;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (std::find(b->begin(), b->end(), (*a)[i]) != b->end()) continue;
    kept.push_back(n.t.constant((*a)[i]));
    places.push_back(n.t.constant(static_cast<std::int64_t>(i)));
  }
  return {Known::vector(std::move(kept)), Known::vector(std::move(places))};
}

// ---- formulas

FormulaResults topKFormula(NodeFormula& f) {
  auto made = f.outletSizes(0);
  if (!made || made->empty()) return {};
  auto found =
      f.parts("top_k", {f.in(0)}, {{"k", f.n.t.integer(made->back())}, {"sorted", f.n.t.boolean(f.n.flag("sorted"))}});
  if (found.size() != 2) return {};
  return {found[0], f.cast(found[1], Elem::i32)};
}

FormulaResults whereFormula(NodeFormula& f) { return {f.op("nonzero", {f.in(0)})}; }

// Counts within each row, with ids offset by row. Each row has one more entry, for ids that are dropped.
FormulaResults bincountFormula(NodeFormula& f) {
  auto dims = f.dims(0), weights = f.dims(2), outlet = f.outletDims(0);
  if (!dims || !weights || !outlet || outlet->empty()) return {};
  auto made = f.sizesBy(0, 1, outlet->size() - 1);
  if (!made) return {};
  const bool isWeighted = f.number(f.productOf(*weights)) != 0;
  if (isWeighted && *weights != *dims) return {};
  const Dim rows = made->size() > 1 ? made->front() : f.dim(1), all = f.productOf(*dims), size = made->back();
  const Dim width = f.plus(size, f.dim(1));
  Expr ids = f.cast(f.in(0), Elem::i64), last = f.numberOf(size);
  ids = choose(ids >= last, last, ids);
  if (made->size() > 1) ids = ids + f.expand(f.countTo(rows) * (last + 1.0), -1);
  ids = f.shaped(ids, {all});
  const StaticId count = f.n.t.integer(f.times(rows, width));
  const Elem to = f.elemOf(f.n.type("T").value_or(f.n.fact(2).type));
  Expr counts = f.op("bincount", {ids}, {{"count", count}}), found;
  if (f.n.flag("binary_output"))
    found = f.cast(counts > 0.0, to);
  else if (isWeighted)
    found = f.op("segment_sum", {f.shaped(f.in(2), {all}), ids}, {{"count", count}});
  else
    found = f.cast(counts, to);
  return {f.shaped(f.sliced(f.shaped(found, {rows, width}), 1, f.dim(0), size), *made)};
}

FormulaResults histogramFormula(NodeFormula& f) {
  auto dims = f.sizes(0), made = f.outletSizes(0);
  if (!dims || !made || made->size() != 1) return {};
  auto bins = static_cast<double>(made->front());
  Expr low = f.at(f.in(1), 0, 0), high = f.at(f.in(1), 0, 1);
  Expr values = f.reshape(f.in(0), {countOf(*dims)});
  if (!info(f.elem(values)).isFloat) {
    values = f.cast(values, Elem::f64);
    low = f.cast(low, Elem::f64);
    high = f.cast(high, Elem::f64);
  }
  Expr places = apply("floor", (values - low) * bins / (high - low));
  places = clamped(places, 0, bins - 1);
  Type to = f.n.type("dtype").value_or(Type::i32);
  Expr counts = f.op("bincount", {f.cast(places, Elem::i64)}, {{"count", f.n.t.integer(made->front())}});
  return {f.cast(counts, f.elemOf(to))};
}

FormulaResults bucketizeFormula(NodeFormula& f) {
  const Value* value = f.n.attribute("boundaries");
  const auto* items = value ? std::get_if<Values>(value) : nullptr;
  if (!items) return {};
  std::vector<double> bounds;
  for (const Value& item : *items)
    if (const auto* number = std::get_if<float>(&item)) bounds.push_back(static_cast<double>(*number));
  Expr values = f.cast(f.in(0), Elem::f64);
  Expr edges = f.reals(Elem::f64, {static_cast<std::int64_t>(bounds.size())}, bounds);
  return {f.cast(f.op("searchsorted", {edges, values}, {{"right", f.n.t.boolean(true)}}), Elem::i32)};
}

// Computes, for each row, how many elements of the sorted row are smaller, or not larger, than each value.
FormulaResults boundsFormula(NodeFormula& f) {
  auto rows = f.sizes(0), made = f.outletSizes(0);
  if (!rows || !made || rows->size() != 2) return {};
  Expr sorted = f.expand(f.in(0), 1), values = f.expand(f.in(1), 2);
  Expr before = f.n.node.op == "UpperBound" ? sorted <= values : sorted < values;
  Expr count = f.reduce("count_nonzero", before, {2});
  return {f.cast(count, f.elemOf(f.n.type("out_type").value_or(Type::i32)))};
}

FormulaResults nthElementFormula(NodeFormula& f) {
  Expr sorted = f.op("sort", {f.in(0)}, {{"descending", f.n.t.boolean(f.n.flag("reverse"))}});
  return {f.gather(sorted, f.in(1), -1)};
}

// Whether the target is among the k largest predictions; false if a number of the row is not finite.
FormulaResults inTopKFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() != 2) return {};
  Expr k = f.count() > 2 ? f.cast(f.in(2), Elem::i64) : f.number(static_cast<double>(f.n.integer("k")), Elem::i64);
  Expr target = f.cast(f.in(1), Elem::i64);
  Expr inRange = target >= 0.0 && target < f.numberOf((*dims)[1]);
  Expr chosen = f.op("take_along", {f.in(0), f.expand(choose(inRange, target, 0), -1)}, {{"axis", f.n.t.integer(1)}});
  Expr larger = f.reduce("count_nonzero", f.in(0) > chosen, {1});
  Expr finite = f.reduce("all", apply("is_finite", f.in(0)), {1});
  return {inRange && finite && larger < k};
}

// Returns, for each element, the index of the first equal one. Equal elements are neighbours after sorting.
Expr firstOf(NodeFormula& f, Expr all, Dim n) {
  if (f.elem(all) == Elem::boolean) all = f.cast(all, Elem::i32);
  const StaticId first = f.n.t.integer(0);
  Expr place = f.countTo(n), order = f.op("argsort", {all}), sorted = f.gather(all, order, 0);
  Expr before = f.gather(sorted, apply("maximum", place - 1.0, f.like(0, place)), 0);
  Expr isNew = place == 0.0 || sorted != before;
  Expr group = f.op("cumsum", {f.cast(isNew, Elem::i64)}, {{"axis", first}}) - 1.0;
  Expr least = f.op("segment_min", {order, group}, {{"count", f.n.t.integer(n)}});
  Expr none = f.filled({n}, f.number(0, Elem::i64));
  return f.op("scatter_update", {none, f.expand(order, 1), f.gather(least, group, 0)});
}

// The same for slices [n, width], by comparing all pairs.
std::optional<Expr> firstSlices(NodeFormula& f, Expr all, std::int64_t n, std::int64_t width) {
  constexpr std::int64_t mostCompared = 4096;
  if (n > mostCompared || n * n * width > mostCompared * mostCompared) return std::nullopt;
  Expr same = f.reduce("all", f.expand(all, 1) == f.expand(all, 0), {2}) || f.identity(n, Elem::boolean);  // [n, n]
  same = f.concat({same, f.full({n, 1}, f.number(1, Elem::boolean))}, 1);
  return f.op("argmax", {f.cast(same, Elem::i32)}, {{"axis", f.n.t.integer(1)}});
}

// Computes the unique elements, or slices along an axis, in the order of their first occurrence.
FormulaResults uniqueFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  const bool hasAxis = f.n.node.op.ends_with("V2");
  auto axes = hasAxis && f.count() > 1 ? f.n.numbers(1) : Sizes{};
  if (!dims || dims->empty() || !axes || axes->size() > 1 || (dims->size() > 1 && axes->empty())) return {};
  std::int64_t axis = axes->empty() ? 0 : axes->front();
  if (axis < 0) axis += std::ssize(*dims);
  const Dim n = (*dims)[static_cast<std::size_t>(axis)];
  std::optional<Expr> first;
  if (dims->size() == 1) {
    first = firstOf(f, f.in(0), n);
  } else if (auto sizes = f.sizes(0)) {
    const std::int64_t count = (*sizes)[static_cast<std::size_t>(axis)],
                       width = count > 0 ? countOf(*sizes) / count : 0;
    Expr all = f.op("move_axis", {f.in(0)}, {{"from", f.n.t.integer(axis)}, {"to", f.n.t.integer(0)}});
    first = firstSlices(f, f.reshape(all, {count, width}), count, width);
  }
  if (!first) return {};
  Expr isFirst = *first == f.countTo(n);
  Expr kept = f.squeeze(f.op("nonzero", {isFirst}), 1);
  Expr number = f.op("cumsum", {f.cast(isFirst, Elem::i64)}, {{"axis", f.n.t.integer(0)}}) - 1.0;
  Elem places = f.elemOf(f.n.type("out_idx").value_or(Type::i32));
  FormulaResults results{f.gather(f.in(0), kept, axis), f.cast(f.gather(number, *first, 0), places)};
  if (f.n.node.op.starts_with("UniqueWithCounts")) {
    Expr counts = f.op("bincount", {*first}, {{"count", f.n.t.integer(n)}});
    results.push_back(f.cast(f.gather(counts, kept, 0), places));
  }
  return results;
}

// Computes the elements of the first vector that the second lacks, and their indices.
FormulaResults listDiffFormula(NodeFormula& f) {
  Expr isIn = f.reduce("any", f.expand(f.in(0), 1) == f.expand(f.in(1), 0), {1});
  Expr kept = f.squeeze(f.op("nonzero", {apply("not", isIn)}), 1);
  return {f.gather(f.in(0), kept, 0), f.cast(kept, f.elemOf(f.n.type("out_idx").value_or(Type::i32)))};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                    type                                       value           formula
    // search and sort
    {"TopK",                   topKType},
    {"TopKV2",                 topKType,                                  {},             topKFormula},
    {"Where",                  whereType,                                 {},             whereFormula},
    {"Unique",                 uniqueType,                                {},             uniqueFormula},
    {"UniqueV2",               uniqueType,                                {},             uniqueFormula},
    {"UniqueWithCounts",       uniqueType,                                {},             uniqueFormula},
    {"UniqueWithCountsV2",     uniqueType,                                {},             uniqueFormula},
    {"ListDiff",               pairOfFoundVectorsType,                    listDiffValue,  listDiffFormula},
    {"UnravelIndex",           unravelIndexType},
    {"EditDistance",           editDistanceType},
    {"IsotonicRegression",     "(t s) -> (u s, i s)"},
    {"TopKUnique",             "(t [n, m]; k : int) -> (t [n, k], i [n, k])"},
    {"TopKWithUnique",         "(t [n, m]; k : int) -> (t [n, k], i [n, k])"},
    {"ApproxTopK",             approxTopKType},
    {"MakeUnique",             "(t [n, m]) -> t [n, m]"},
    {"KthOrderStatistic",      "(t s @ [n]) -> t s"},
    {"BoostedTreesBucketize",  bucketizeEachType},
    {"UpperBound",             "(t [b, n], t [b, m]) -> i [b, m]",        {},             boundsFormula},
    {"LowerBound",             "(t [b, n], t [b, m]) -> i [b, m]",        {},             boundsFormula},
    {"NthElement",             "(t s @ [n], i []) -> t s",                {},             nthElementFormula},
    {"InTopK",                 "(t [b, c], i [b]) -> bool [b]",           {},             inTopKFormula},
    {"InTopKV2",               "(t [b, c], i [b], i []) -> bool [b]",     {},             inTopKFormula},
    {"NearestNeighbors",       "(t [n, d], t [m, d]; k : int) -> (i [n, k], t [n, k])"},
    // count
    {"Bincount",               bincountType,                              {},             bincountFormula},
    {"DenseBincount",          bincountType,                              {},             bincountFormula},
    {"HistogramFixedWidth",    "(t s, t [2]; nbins : int) -> i [nbins]",  {},             histogramFormula},
    {"Bucketize",              "(t s) -> i s",                            {},             bucketizeFormula},
    {"ToBool",                 "(t s) -> bool []"},
    {"Fingerprint",            "(t [n] @ s, u []) -> v [n, 8]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::searching
