// Sparse tensors (indices [n, r], values [n], shape [r]) and sets.
#include <algorithm>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/operators/sparse.h"

namespace axle::tensorflow::sparse {

// Gives a sparse tensor at three outlets from `port` on.
Outcome giveSparse(RuleNode& n, Dim values, Dim rank, std::size_t port) {
  giveDims(n, {values, rank}, port);
  giveDims(n, {values}, port + 1);
  return giveDims(n, {rank}, port + 2);
}

namespace {

// Returns the numbers of values and of axes, by the indices at `input`.
std::optional<std::pair<Dim, Dim>> countsOf(RuleNode& n, std::size_t input) {
  Dim values = openSize(n), rank = n.t.unknownSize("r");
  if (!requireDims(n, input, {values, rank})) return std::nullopt;
  return std::pair(n.t.solution().resolve(values), n.t.solution().resolve(rank));
}

// The inputs are all the indices, then all values, then all shapes.
Outcome sparseConcatType(RuleNode& n, std::string_view) {
  auto count = static_cast<std::size_t>(n.integer("N"));
  Dim total = n.t.constant(0), rank = n.t.unknownSize("r");
  for (std::size_t i = 0; i < count; ++i) {
    auto counts = countsOf(n, i);
    if (!counts || !n.equate(rank, counts->second)) return Outcome::failed;
    total = n.t.solution().dims.add(total, counts->first);
  }
  return giveSparse(n, total, rank);
}

// Crosses features: each value has two indices.
Outcome sparseCrossType(RuleNode& n, std::string_view) { return giveSparse(n, openSize(n), n.t.constant(2)); }

// Gives all indices, then all values, then all shapes.
Outcome sparseSplitType(RuleNode& n, std::string_view) {
  auto counts = countsOf(n, 1);
  if (!counts) return Outcome::failed;
  std::size_t port = 0;
  std::int64_t parts = n.integer("num_split");
  std::vector<Dim> values;
  for (std::int64_t i = 0; i < parts; ++i) values.push_back(openSize(n));
  for (Dim d : values) giveDims(n, {d, counts->second}, port++);
  for (Dim d : values) giveDims(n, {d}, port++);
  for (std::size_t i = 0; i < values.size(); ++i) giveDims(n, {counts->second}, port++);
  return Outcome::done;
}

// Reduces the shape, which is the third input, by the axes of the fourth.
Outcome sparseReduceType(RuleNode& n, std::string_view) {
  auto sizes = n.sizes(2);
  auto axes = n.numbers(3);
  if (!sizes || !axes) {
    n.giveShape(n.t.unknownShape("s"));
    return Outcome::waits;
  }
  std::vector<bool> gone(sizes->size());
  for (std::int64_t axis : *axes) {
    auto at = axisWithin(n, axis, sizes->size());
    if (!at) return Outcome::failed;
    gone[*at] = true;
  }
  Dims kept;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (!gone[i])
      kept.push_back((*sizes)[i]);
    else if (n.flag("keep_dims"))
      kept.push_back(n.t.constant(1));
  }
  return giveDims(n, kept);
}

// The third result has an element for each row of the dense shape.
Outcome sparseFillEmptyRowsType(RuleNode& n, std::string_view) {
  auto counts = countsOf(n, 0);
  if (!counts) return Outcome::failed;
  auto sizes = n.sizes(2);
  Dim filled = openSize(n);
  giveDims(n, {filled, counts->second}, 0);
  giveDims(n, {filled}, 1);
  giveDims(n, {sizes && !sizes->empty() ? sizes->front() : openSize(n)}, 2);
  giveDims(n, {counts->first}, 3);
  return sizes ? Outcome::done : Outcome::waits;
}

Outcome sparseDenseMatMulType(RuleNode& n, std::string_view) {
  auto shape = n.sizes(2);
  Dim rows = n.t.unknownSize("m"), inner = n.t.unknownSize("k"), columns = n.t.unknownSize("n");
  if (shape && shape->size() == 2) {
    bool turned = n.flag("adjoint_a");
    rows = (*shape)[turned ? 1 : 0];
    inner = (*shape)[turned ? 0 : 1];
  }
  Dims wanted = n.flag("adjoint_b") ? Dims{columns, inner} : Dims{inner, columns};
  if (!requireDims(n, 3, wanted)) return Outcome::failed;
  giveDims(n, {rows, columns});
  return shape ? Outcome::done : Outcome::waits;
}

Outcome sparseToDenseType(RuleNode& n, std::string_view) { return giveSizesOf(n, 1); }

Outcome sparseBincountType(RuleNode& n, std::string_view) {
  auto count = n.sizes(3);
  auto shape = n.sizes(2);
  if (!shape) return Outcome::waits;
  Dims sizes{count && count->size() == 1 ? count->front() : openSize(n)};
  if (shape->size() == 2) sizes.insert(sizes.begin(), shape->front());
  return giveDims(n, sizes);
}

constexpr std::string_view withDense = "(i [n, r], t [n], j [r], t s) -> t [n]";
constexpr std::string_view twoSparse = "(i [n, r], t [n], j [r], i [m, r], t [m], j [r]) -> (i [k, r], t [k])";
constexpr std::string_view segmentGradient = "(t [n] @ s, i [l], j [l]; output_dim0 : int) -> t [output_dim0] @ s";
constexpr std::string_view segmentGradientV2 = "(t [n] @ s, i [l], j [l], d []) -> (t [k] @ s, i [k])";

// ---- formulas

// A scalar index or value stands for one element, a vector of indices for one axis.
FormulaResults sparseToDenseFormula(NodeFormula& f) {
  auto made = f.sizesBy(0, 1), indices = f.dims(std::size_t{0});
  if (!made || !indices) return {};
  const Dim count = indices->empty() ? f.dim(1) : indices->front();
  Expr places = f.shaped(f.in(0), {count, f.dim(std::ssize(*made))});
  return {f.op("scatter_update", {f.filled(*made, f.in(3)), places, f.stretched(f.in(2), {count})})};
}

// Takes, for each value, a scaled row of the dense matrix, and sums the rows for each row of the result.
FormulaResults sparseDenseMatMulFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 2 || isComplex(f.n.fact(1).type)) return {};
  const std::int64_t rows = f.n.flag("adjoint_a") ? 1 : 0;
  std::optional<Dim> count = made->front();
  if (f.isOpen(*count)) count = f.found(f.at(f.in(2), 0, rows), f.dim(NodeFormula::mostFound(1)));
  if (!count) return {};
  Expr other = f.n.flag("adjoint_b") ? f.swapped(f.in(3)) : f.in(3);
  Expr terms = f.expand(f.in(1), 1) * f.gather(other, f.at(f.in(0), 1, 1 - rows), 0);
  return {f.op("segment_sum", {terms, f.at(f.in(0), 1, rows)}, {{"count", f.n.t.integer(*count)}})};
}

// Reduces over the axes of the fourth input: combines values with the same index along the other axes.
FormulaResults sparseReduceFormula(NodeFormula& f) {
  auto sizes = f.n.sizes(2);
  auto axes = f.n.numbers(3);
  auto made = f.outletDims(0);
  if (!sizes || !axes || !made || sizes->empty() || isComplex(f.n.fact(1).type)) return {};
  const auto rank = std::ssize(*sizes);
  std::vector<bool> isGone(sizes->size());
  for (std::int64_t axis : *axes) {
    if (axis < -rank || axis >= rank) return {};
    isGone[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  Expr place = f.cast(f.at(f.in(0), 1, 0), Elem::i64) * 0.0;
  Dim count = f.dim(1);
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (isGone[i]) continue;
    if (f.isOpen((*sizes)[i])) return {};
    place = place * f.numberOf((*sizes)[i]) + f.cast(f.at(f.in(0), 1, static_cast<std::int64_t>(i)), Elem::i64);
    count = f.times(count, (*sizes)[i]);
  }
  const bool isMax = f.n.node.op == "SparseReduceMax";
  const StaticId groups = f.n.t.integer(count);
  Expr all = f.op(isMax ? "segment_max" : "segment_sum", {f.in(1), place}, {{"count", groups}});
  if (isMax) all = choose(f.op("bincount", {place}, {{"count", groups}}) == 0.0, 0, all);
  return {f.shaped(all, *made)};
}

// Adds the values at their indices to the dense tensor.
FormulaResults sparseDenseAddFormula(NodeFormula& f) { return {f.op("scatter_add", {f.in(3), f.in(0), f.in(1)})}; }

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                           type                                     value  formula
    // sparse tensors
    {"SparseReorder",                 "(i [n, r], t [n], j [r]) -> (i [n, r], t [n])"},
    {"SparseReshape",                 "(i [n, r], j [r], l [q]) -> (i [n, q], l [q])"},
    {"SparseFillEmptyRows",           sparseFillEmptyRowsType},
    {"SparseFillEmptyRowsGrad",       "(i [n], t [m]) -> (t [n], t [])"},
    {"SparseAdd",                     "(i [n, r], t [n], j [r], i [m, r], t [m], j [r], u []) -> (i [k, r], t [k], j "
                                      "[r])"},
    {"SparseAddGrad",                 "(t [k], i [n, r], i [m, r], i [k, r]) -> (t [n], t [m])"},
    {"SparseSlice",                   "(i [n, r], t [n], j [r], b [r], e [r]) -> (i [k, r], t [k], e [r])"},
    {"SparseSliceGrad",               "(t [k], i [n, r], b [r], j [k, r]) -> t [n]"},
    {"SparseSplit",                   sparseSplitType},
    {"SparseConcat",                  sparseConcatType},
    {"SparseCross",                   sparseCrossType},
    {"SparseCrossV2",                 sparseCrossType},
    {"SparseCrossHashed",             sparseCrossType},
    {"SparseSoftmax",                 "(i [n, r], t [n], j [r]) -> t [n]"},
    {"SparseReduceMax",               sparseReduceType,                        {},    sparseReduceFormula},
    {"SparseReduceSum",               sparseReduceType,                        {},    sparseReduceFormula},
    {"SparseReduceMaxSparse",         "(i [n, r], t [n], j [r], a x) -> (i [k, q], t [k], j [q])"},
    {"SparseReduceSumSparse",         "(i [n, r], t [n], j [r], a x) -> (i [k, q], t [k], j [q])"},
    {"SparseDenseCwiseAdd",           withDense},
    {"SparseDenseCwiseMul",           withDense},
    {"SparseDenseCwiseDiv",           withDense},
    {"SparseSparseMaximum",           twoSparse},
    {"SparseSparseMinimum",           twoSparse},
    {"SparseTensorDenseMatMul",       sparseDenseMatMulType,                   {},    sparseDenseMatMulFormula},
    {"SparseTensorDenseAdd",          "(i [n, r], t [n], i [r], t s) -> t s",  {},    sparseDenseAddFormula},
    {"SparseBincount",                sparseBincountType},
    {"SparseCountSparseOutput",       "(i [n, r], t [n], j [r], u w) -> (i [k, r], u [k], j [r])"},
    {"DenseCountSparseOutput",        "(t s, u w) -> (i [k, rank(s)], u [k], i [rank(s)])"},
    {"RaggedCountSparseOutput",       "(i [m], t [n], u w) -> (i [k, 2], u [k], i [2])"},
    {"SparseSegmentSumGrad",          segmentGradient},
    {"SparseSegmentMeanGrad",         segmentGradient},
    {"SparseSegmentSqrtNGrad",        segmentGradient},
    {"SparseSegmentSumGradV2",        segmentGradientV2},
    {"SparseSegmentMeanGradV2",       segmentGradientV2},
    {"SparseSegmentSqrtNGradV2",      segmentGradientV2},
    {"SerializeSparse",               "(i [n, r], t [m], j [q]) -> v [3]"},
    {"SerializeManySparse",           "(i [n, r], t [n], j [r]) -> v [k, 3]"},
    {"DeserializeSparse",             "(v s @ [3]) -> (i [k, r], t [k], i [r])"},
    {"DeserializeManySparse",         "(v [n, 3]) -> (i [k, r], t [k], i [r])"},
    {"AddSparseToTensorsMap",         "(i [n, r], t [n], j [r]) -> i []"},
    {"AddManySparseToTensorsMap",     "(i [n, r], t [n], j [r]) -> i [k]"},
    {"TakeManySparseFromTensorsMap",  "(v [n]) -> (i [k, r], t [k], i [r])"},
    {"SparseToDense",                 sparseToDenseType,                       {},    sparseToDenseFormula},
    // sets: the last axis
    {"DenseToDenseSetOperation",      "(t s @ [a], t s @ [b]) -> (i [k, rank(s) + 1], t [k], i [rank(s) + 1])"},
    {"DenseToSparseSetOperation",     "(t s @ [a], i [m, rank(s) + 1], t [m], j [rank(s) + 1]) -> (i [k, rank(s) + "
                                      "1], t [k], j [rank(s) + 1])"},
    {"SparseToSparseSetOperation",    "(i [n, r], t [n], j [r], i [m, r], t [m], j [r]) -> (i [k, r], t [k], j [r])"},
    {"SetSize",                       "(i [n, r], t [n], j [r]) -> l s"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::sparse
