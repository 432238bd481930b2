// Operators that combine rows by ids: sums, means, products and extremes of each group.
#include <algorithm>
#include <limits>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::segments {
namespace {

// Replaces the leading axes of the data, which are those of the ids, by one axis of groups. The ids of a sparse segment
// belong to the selected rows.
Outcome grouped(RuleNode& n, std::size_t ids, Dim groups) {
  auto dims = n.dims(0), its = n.dims(ids);
  if (!dims || !its) return Outcome::waits;
  auto chosen = n.node.op.starts_with("SparseSegment") ? n.dims(1) : dims;
  if (chosen && !beginsWith(n, *chosen, *its)) return Outcome::failed;
  Dims sizes{groups};
  appendFrom(sizes, *dims, its->size());
  return giveDims(n, sizes);
}

// Requires that an input is a vector. Returns false after an error.
bool isVector(RuleNode& n, std::size_t input) {
  return requireDims(n, input, {n.t.unknownSize("n")}, n.places.inputs[input]);
}

// The ids are sorted, so the last one determines the number of groups.
Outcome segmentType(RuleNode& n, std::string_view) {
  std::size_t ids = n.count() - 1;
  if (!isVector(n, ids)) return Outcome::failed;
  auto values = n.numbers(ids);
  Dim groups = !values ? n.t.unknownSize("k") : values->empty() ? n.t.constant(0) : n.t.constant(values->back() + 1);
  return grouped(n, ids, groups);
}

Outcome countedSegmentType(RuleNode& n, std::string_view) {
  std::size_t last = n.count() - 1;
  if (!n.node.op.starts_with("Unsorted") && !isVector(n, last - 1)) return Outcome::failed;
  auto count = n.sizes(last);
  Dim groups = count && count->size() == 1 ? count->front() : n.t.unknownSize("k");
  return grouped(n, last - 1, groups);
}

// ---- formulas

// The rows of data with their ids. Rows with negative ids go to a group after the last one, which is dropped at the
// end.
struct Groups {
  Expr data, ids;
  Dim count;
  Dims row;
};

// Returns the number of groups, by the largest id.
std::optional<Dim> countFrom(NodeFormula& f, Expr ids) {
  Expr last = f.reduce("amax", f.concat({ids, f.full({1}, f.like(-1, ids))}, 0), {0});
  return f.found(last + 1.0, f.dim(NodeFormula::mostFound(1)));
}

// The number of groups is the third input, or follows from the ids.
std::optional<Groups> groupsOf(NodeFormula& f) {
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

// Returns the number of groups plus one, for the rows that are dropped.
StaticId countWithDropped(NodeFormula& f, const Groups& g) { return f.n.t.integer(f.plus(g.count, f.dim(1))); }

Expr withoutLast(NodeFormula& f, const Groups& g, Expr all) { return f.sliced(all, 0, f.dim(0), g.count); }

Expr grouped(NodeFormula& f, const Groups& g, std::string_view core) {
  return withoutLast(f, g, f.op(core, {g.data, g.ids}, {{"count", countWithDropped(f, g)}}));
}

// Returns the number of rows of each group, shaped to broadcast against the groups.
Expr sizesOf(NodeFormula& f, const Groups& g) {
  Expr counts = withoutLast(f, g, f.op("bincount", {g.ids}, {{"count", countWithDropped(f, g)}}));
  Dims shape(g.row.size() + 1, f.dim(1));
  shape[0] = g.count;
  return f.shaped(counts, shape);
}

FormulaResults segmentSumFormula(NodeFormula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  return {grouped(f, *g, "segment_sum")};
}

FormulaResults segmentMeanFormula(NodeFormula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  Expr counts = sizesOf(f, *g), total = grouped(f, *g, "segment_sum");
  return {quotientTowardsZero(total, f.cast(choose(counts == 0.0, 1, counts), f.elem(total)))};
}

FormulaResults segmentProductFormula(NodeFormula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  Dims shape{f.plus(g->count, f.dim(1))};
  shape.insert(shape.end(), g->row.begin(), g->row.end());
  Expr ones = f.filled(shape, f.like(1, g->data));
  return {withoutLast(f, *g, f.op("scatter_mul", {ones, f.expand(g->ids, -1), g->data}))};
}

double largestOf(Elem elem) {
  if (elem == Elem::f16) return 65504;
  if (elem == Elem::bf16) return 0x1.fep127;
  return elem == Elem::f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

// An empty group gives 0 if the ids are sorted; otherwise the lowest or the highest finite number.
FormulaResults segmentExtremeFormula(NodeFormula& f) {
  auto g = groupsOf(f);
  if (!g) return {};
  bool isMax = f.n.node.op.find("Max") != std::string::npos;
  Expr found = grouped(f, *g, isMax ? "segment_max" : "segment_min");
  Elem elem = f.elem(found);
  double none = 0;
  if (f.n.node.op.starts_with("Unsorted")) {
    if (!info(elem).isFloat) return {found};
    none = largestOf(elem);
    if (isMax) none = -none;
  }
  return {choose(sizesOf(f, *g) == 0.0, none, found)};
}

// Sums the rows of the first input that the indices select. The number of groups is the last input, if there is one.
FormulaResults sparseSegmentFormula(NodeFormula& f) {
  const bool isSum = f.n.node.op.find("Sum") != std::string::npos;
  auto made = f.count() > 3 ? f.sizesBy(0, 3) : f.outletDims(0);
  if (!made || made->empty()) return {};
  Expr ids = f.cast(f.in(2), Elem::i64), rows = f.gather(f.in(0), f.in(1), 0);
  if (f.isOpen(made->front())) {
    auto count = countFrom(f, ids);
    if (!count) return {};
    made->front() = *count;
  }
  StaticId count = f.n.t.integer(made->front());
  Expr total = f.op("segment_sum", {rows, ids}, {{"count", count}});
  if (isSum) return {total};
  Dims shape(made->size(), f.dim(1));
  shape[0] = made->front();
  Expr counts = f.shaped(f.op("bincount", {ids}, {{"count", count}}), shape);
  Expr divisor = f.cast(choose(counts == 0.0, 1, counts), f.elem(total));
  return {total / (f.n.node.op.find("Sqrt") != std::string::npos ? apply("sqrt", divisor) : divisor)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                type                 value  formula
    {"SegmentSum",                         segmentType,         {},    segmentSumFormula},
    {"SegmentMean",                        segmentType,         {},    segmentMeanFormula},
    {"SegmentProd",                        segmentType,         {},    segmentProductFormula},
    {"SegmentMax",                         segmentType,         {},    segmentExtremeFormula},
    {"SegmentMin",                         segmentType,         {},    segmentExtremeFormula},
    {"SegmentSumV2",                       countedSegmentType},
    {"SegmentProdV2",                      countedSegmentType},
    {"SegmentMaxV2",                       countedSegmentType},
    {"SegmentMinV2",                       countedSegmentType},
    {"SparseSegmentSum",                   segmentType,         {},    sparseSegmentFormula},
    {"SparseSegmentMean",                  segmentType,         {},    sparseSegmentFormula},
    {"SparseSegmentSqrtN",                 segmentType,         {},    sparseSegmentFormula},
    {"SparseSegmentSumWithNumSegments",    countedSegmentType,  {},    sparseSegmentFormula},
    {"SparseSegmentMeanWithNumSegments",   countedSegmentType,  {},    sparseSegmentFormula},
    {"SparseSegmentSqrtNWithNumSegments",  countedSegmentType,  {},    sparseSegmentFormula},
    {"UnsortedSegmentSum",                 countedSegmentType,  {},    segmentSumFormula},
    {"UnsortedSegmentMax",                 countedSegmentType,  {},    segmentExtremeFormula},
    {"UnsortedSegmentMin",                 countedSegmentType,  {},    segmentExtremeFormula},
    {"UnsortedSegmentProd",                countedSegmentType,  {},    segmentProductFormula},
    {"UnsortedSegmentJoin",                countedSegmentType},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::segments
