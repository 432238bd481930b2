// Sparse tensors (indices [n, r], values [n], shape [r]), ragged ones (splits of rows, values), sets: types, and values
// in formulas_ragged.
#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

Dim open(RuleNode& n) { return n.t.unknownSize("k"); }

// Whether the value of -1 or more is known, it is a size of its own.
Dim orOpen(RuleNode& n, std::optional<Dim> size) { return size && isSize(n, *size) ? *size : open(n); }

void append(Dims& to, const Dims& from, std::size_t first) {
  for (std::size_t i = first; i < from.size(); ++i) to.push_back(from[i]);
}

// ---- sparse

// A sparse tensor of so many values and axes, from the outlet `port` on.
Outcome giveSparse(RuleNode& n, Dim values, Dim rank, std::size_t port = 0) {
  giveDims(n, {values, rank}, port);
  giveDims(n, {values}, port + 1);
  return giveDims(n, {rank}, port + 2);
}

// Its indices stand at `input`: the number of values, and of axes.
std::optional<std::pair<Dim, Dim>> countsOf(RuleNode& n, std::size_t input) {
  Dim values = open(n), rank = n.t.unknownSize("r");
  TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({values, rank}), n.places.op);
  if (!n.t.unify(wanted, n.t.typeOf(n.in(input)), n.places.op, "`" + n.node.op + "`")) return std::nullopt;
  return std::pair(n.t.solution().resolve(values), n.t.solution().resolve(rank));
}

// All indices, all values, all shapes.
Outcome sparseConcat(RuleNode& n, std::string_view) {
  auto count = static_cast<std::size_t>(n.integer("N"));
  Dim total = n.t.constant(0), rank = n.t.unknownSize("r");
  for (std::size_t i = 0; i < count; ++i) {
    auto counts = countsOf(n, i);
    if (!counts || !equate(n, rank, counts->second)) return Outcome::failed;
    total = n.t.solution().dims.add(total, counts->first);
  }
  return giveSparse(n, total, rank);
}

// Of pairs or more of features: two indices for each value.
Outcome crossed(RuleNode& n, std::string_view) { return giveSparse(n, open(n), n.t.constant(2)); }

// All indices come first, then all values, then all shapes.
Outcome sparseSplit(RuleNode& n, std::string_view) {
  auto counts = countsOf(n, 1);
  if (!counts) return Outcome::failed;
  std::size_t port = 0;
  std::int64_t parts = n.integer("num_split");
  std::vector<Dim> values;
  for (std::int64_t i = 0; i < parts; ++i) values.push_back(open(n));
  for (Dim d : values) giveDims(n, {d, counts->second}, port++);
  for (Dim d : values) giveDims(n, {d}, port++);
  for (std::size_t i = 0; i < values.size(); ++i) giveDims(n, {counts->second}, port++);
  return Outcome::done;
}

// Of the shape, which is the third input, the axes that the fourth does not list.
Outcome sparseReduce(RuleNode& n, std::string_view) {
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

// A row of the dense shape, which is the input after the values, for each row that is filled.
Outcome fillEmptyRows(RuleNode& n, std::string_view) {
  auto counts = countsOf(n, 0);
  if (!counts) return Outcome::failed;
  auto sizes = n.sizes(2);
  Dim filled = open(n);
  giveDims(n, {filled, counts->second}, 0);
  giveDims(n, {filled}, 1);
  giveDims(n, {sizes && !sizes->empty() ? sizes->front() : open(n)}, 2);
  giveDims(n, {counts->first}, 3);
  return sizes ? Outcome::done : Outcome::waits;
}

Outcome sparseProduct(RuleNode& n, std::string_view) {
  auto shape = n.sizes(2);
  Dim rows = n.t.unknownSize("m"), inner = n.t.unknownSize("k"), columns = n.t.unknownSize("n");
  if (shape && shape->size() == 2) {
    bool turned = n.flag("adjoint_a");
    rows = (*shape)[turned ? 1 : 0];
    inner = (*shape)[turned ? 0 : 1];
  }
  Dims wanted = n.flag("adjoint_b") ? Dims{columns, inner} : Dims{inner, columns};
  TypeId matrix = n.t.tensor(n.t.unknownElem(), n.t.shape(wanted), n.places.op);
  if (!n.t.unify(matrix, n.t.typeOf(n.in(3)), n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  giveDims(n, {rows, columns});
  return shape ? Outcome::done : Outcome::waits;
}

Outcome sparseBincount(RuleNode& n, std::string_view) {
  auto count = n.sizes(3);
  auto shape = n.sizes(2);
  if (!shape) return Outcome::waits;
  Dims sizes{count && count->size() == 1 ? count->front() : open(n)};
  if (shape->size() == 2) sizes.insert(sizes.begin(), shape->front());
  return giveDims(n, sizes);
}

// ---- ragged

// What splits of rows say: one more than there are rows.
Dim splits(RuleNode& n, Dim rows) { return n.t.solution().dims.add(rows, n.t.constant(1)); }

// Of starts, limits and steps each is a vector or stands for all rows.
Outcome raggedRange(RuleNode& n, std::string_view) {
  Dim rows = n.t.constant(1);
  bool open = false, vector = false;
  for (std::size_t i = 0; i < 3; ++i) {
    auto dims = n.dims(i);
    open |= !dims;
    if (!dims || dims->empty()) continue;
    if (dims->size() > 1)
      return n.fail("`RaggedRange` takes vectors and single numbers, but is given a tensor of rank " +
                        std::to_string(dims->size()),
                    "here");
    if (vector && !equate(n, rows, dims->front())) return Outcome::failed;
    rows = dims->front();
    vector = true;
  }
  giveDims(n, {open && !vector ? n.t.unknownSize("k") : splits(n, rows)}, 0);
  giveDims(n, {n.t.unknownSize("k")}, 1);
  return open ? Outcome::waits : Outcome::done;
}

// Splits, the outermost first, and values.
Outcome raggedGather(RuleNode& n, std::string_view) {
  auto depth = static_cast<std::size_t>(n.integer("OUTPUT_RAGGED_RANK"));
  auto values = n.dims(n.count() - 2), indices = n.dims(n.count() - 1);
  if (!values || values->empty() || !indices) return Outcome::waits;
  for (std::size_t i = 0; i < depth; ++i)
    giveDims(n, {i == 0 && !indices->empty() ? splits(n, indices->front()) : open(n)}, i);
  Dims sizes{open(n)};
  append(sizes, *values, 1);
  return giveDims(n, sizes, depth);
}

// How many axes a ragged tensor has before those of its values.
std::size_t raggedRank(const RuleNode& n) {
  const Value* types = n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  if (!items || items->empty()) return 0;
  const auto* first = std::get_if<std::string>(&items->front());
  return items->size() - (first && *first == "FIRST_DIM_SIZE" ? 1 : 0);
}

// How many rows a ragged tensor has, by the first of its partitions.
Dim raggedRows(RuleNode& n) {
  constexpr std::size_t first = 3;
  const Value* types = n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  const auto* kind = items && !items->empty() ? std::get_if<std::string>(&items->front()) : nullptr;
  auto dims = n.dims(first);
  if (kind && *kind == "ROW_SPLITS" && dims && dims->size() == 1)
    return n.t.solution().dims.sub(dims->front(), n.t.constant(1));
  auto size = kind && *kind == "FIRST_DIM_SIZE" ? n.sizes(first) : std::nullopt;
  return size && size->size() == 1 ? size->front() : open(n);
}

// Rows become as long as the longest one, or as the shape says where it is not -1.
Outcome raggedToTensor(RuleNode& n, std::string_view) {
  std::size_t rank = raggedRank(n);
  auto shape = n.known(0);
  auto values = n.dims(1);
  Dims sizes;
  if (shape && shape->shape.size() == 1) {
    for (Dim d : shape->elements) sizes.push_back(n.t.solution().dims.asConstant(d) == -1 ? open(n) : orOpen(n, d));
    if (!sizes.empty() && n.t.solution().dims.asConstant(shape->elements[0]) == -1) sizes[0] = raggedRows(n);
  } else if (auto given = n.dims(0); given && given->size() == 1 && n.sizes(0)) {
    sizes = *n.sizes(0);
  } else if (values) {
    sizes.push_back(raggedRows(n));
    while (sizes.size() < rank + values->size()) sizes.push_back(open(n));
  } else {
    return Outcome::waits;
  }
  if (!values) {
    giveDims(n, sizes);
    return Outcome::waits;
  }
  if (sizes.size() != rank + values->size())
    return n.fail("`RaggedTensorToTensor` makes a tensor of rank " + std::to_string(rank + values->size()) +
                      ", but its shape has " + std::to_string(sizes.size()) + " sizes",
                  "here");
  // What the values have beside their first axis is not ragged.
  bool isGiven = shape && shape->shape.size() == 1;
  for (std::size_t i = 1; i < values->size(); ++i)
    if (!isGiven || n.t.solution().dims.asConstant(shape->elements[rank + i]) == -1) sizes[rank + i] = (*values)[i];
  return giveDims(n, sizes);
}

Outcome raggedToSparse(RuleNode& n, std::string_view) {
  auto values = n.rank(n.count() - 1);
  if (!values) return Outcome::waits;
  std::int64_t rank = n.integer("RAGGED_RANK") + static_cast<std::int64_t>(*values);
  return giveSparse(n, open(n), n.t.constant(rank));
}

Outcome raggedCrossed(RuleNode& n, std::string_view) {
  giveDims(n, {open(n)}, 0);
  return giveDims(n, {open(n)}, 1);
}

// Each split has a length of its own, of the values nothing is known.
Outcome raggedFromVariant(RuleNode& n, std::string_view) {
  auto depth = static_cast<std::size_t>(std::max<std::int64_t>(n.integer("output_ragged_rank"), 0));
  for (std::size_t i = 0; i < depth; ++i) giveDims(n, {open(n)}, i);
  return n.giveShape(n.t.unknownShape("s"), depth);
}

constexpr std::string_view withDense = "(i [n, r], t [n], j [r], t s) -> t [n]";
constexpr std::string_view twoSparse = "(i [n, r], t [n], j [r], i [m, r], t [m], j [r]) -> (i [k, r], t [k])";
constexpr std::string_view segmentGradient = "(t [n] @ s, i [l], j [l]; output_dim0 : int) -> t [output_dim0] @ s";
constexpr std::string_view segmentGradientV2 = "(t [n] @ s, i [l], j [l], d []) -> (t [k] @ s, i [k])";

constexpr Rule rows[] = {
    // Sparse tensors.
    {"SparseReorder", bySignature, "(i [n, r], t [n], j [r]) -> (i [n, r], t [n])"},
    {"SparseReshape", bySignature, "(i [n, r], j [r], l [q]) -> (i [n, q], l [q])"},
    {"SparseFillEmptyRows", fillEmptyRows},
    {"SparseFillEmptyRowsGrad", bySignature, "(i [n], t [m]) -> (t [n], t [])"},
    {"SparseAdd", bySignature, "(i [n, r], t [n], j [r], i [m, r], t [m], j [r], u []) -> (i [k, r], t [k], j [r])"},
    {"SparseAddGrad", bySignature, "(t [k], i [n, r], i [m, r], i [k, r]) -> (t [n], t [m])"},
    {"SparseSlice", bySignature, "(i [n, r], t [n], j [r], b [r], e [r]) -> (i [k, r], t [k], e [r])"},
    {"SparseSliceGrad", bySignature, "(t [k], i [n, r], b [r], j [k, r]) -> t [n]"},
    {"SparseSplit", sparseSplit},
    {"SparseConcat", sparseConcat},
    {"SparseCross", crossed},
    {"SparseCrossV2", crossed},
    {"SparseCrossHashed", crossed},
    {"SparseSoftmax", bySignature, "(i [n, r], t [n], j [r]) -> t [n]"},
    {"SparseReduceMax", sparseReduce},
    {"SparseReduceSum", sparseReduce},
    {"SparseReduceMaxSparse", bySignature, "(i [n, r], t [n], j [r], a x) -> (i [k, q], t [k], j [q])"},
    {"SparseReduceSumSparse", bySignature, "(i [n, r], t [n], j [r], a x) -> (i [k, q], t [k], j [q])"},
    {"SparseDenseCwiseAdd", bySignature, withDense},
    {"SparseDenseCwiseMul", bySignature, withDense},
    {"SparseDenseCwiseDiv", bySignature, withDense},
    {"SparseSparseMaximum", bySignature, twoSparse},
    {"SparseSparseMinimum", bySignature, twoSparse},
    {"SparseTensorDenseMatMul", sparseProduct},
    {"SparseTensorDenseAdd", bySignature, "(i [n, r], t [n], i [r], t s) -> t s"},
    {"SparseBincount", sparseBincount},
    {"SparseCountSparseOutput", bySignature, "(i [n, r], t [n], j [r], u w) -> (i [k, r], u [k], j [r])"},
    {"DenseCountSparseOutput", bySignature, "(t s, u w) -> (i [k, rank(s)], u [k], i [rank(s)])"},
    {"RaggedCountSparseOutput", bySignature, "(i [m], t [n], u w) -> (i [k, 2], u [k], i [2])"},
    {"SparseSegmentSumGrad", bySignature, segmentGradient},
    {"SparseSegmentMeanGrad", bySignature, segmentGradient},
    {"SparseSegmentSqrtNGrad", bySignature, segmentGradient},
    {"SparseSegmentSumGradV2", bySignature, segmentGradientV2},
    {"SparseSegmentMeanGradV2", bySignature, segmentGradientV2},
    {"SparseSegmentSqrtNGradV2", bySignature, segmentGradientV2},
    {"SerializeSparse", bySignature, "(i [n, r], t [m], j [q]) -> v [3]"},
    {"SerializeManySparse", bySignature, "(i [n, r], t [n], j [r]) -> v [k, 3]"},
    {"DeserializeSparse", bySignature, "(v s @ [3]) -> (i [k, r], t [k], i [r])"},
    {"DeserializeManySparse", bySignature, "(v [n, 3]) -> (i [k, r], t [k], i [r])"},
    {"AddSparseToTensorsMap", bySignature, "(i [n, r], t [n], j [r]) -> i []"},
    {"AddManySparseToTensorsMap", bySignature, "(i [n, r], t [n], j [r]) -> i [k]"},
    {"TakeManySparseFromTensorsMap", bySignature, "(v [n]) -> (i [k, r], t [k], i [r])"},
    // Sets: the last axis.
    {"DenseToDenseSetOperation", bySignature, "(t s @ [a], t s @ [b]) -> (i [k, rank(s) + 1], t [k], i [rank(s) + 1])"},
    {"DenseToSparseSetOperation", bySignature,
     "(t s @ [a], i [m, rank(s) + 1], t [m], j [rank(s) + 1]) -> (i [k, rank(s) + 1], t [k], j [rank(s) + 1])"},
    {"SparseToSparseSetOperation", bySignature,
     "(i [n, r], t [n], j [r], i [m, r], t [m], j [r]) -> (i [k, r], t [k], j [r])"},
    {"SetSize", bySignature, "(i [n, r], t [n], j [r]) -> l s"},
    // Ragged tensors.
    {"RaggedRange", raggedRange},
    {"RaggedGather", raggedGather},
    {"RaggedTensorToTensor", raggedToTensor},
    {"RaggedTensorToSparse", raggedToSparse},
    {"RaggedCross", raggedCrossed},
    {"RaggedTensorFromVariant", raggedFromVariant, {}, true},
    {"RaggedBincount", bySignature, "(i [n], t [m], u w; size : int) -> u [n - 1, size]"},
    {"RaggedFillEmptyRows", bySignature, "(i [n], t [n], t []; nrows : int) -> (i [m], t [m], bool [nrows], i [n])"},
    {"RaggedFillEmptyRowsGrad", bySignature, "(i [n], t [m]) -> (t [n], t [])"},
};

}  // namespace

std::span<const Rule> sparseRules() { return rows; }

}  // namespace axle::tensorflow
