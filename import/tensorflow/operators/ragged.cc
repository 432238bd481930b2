// Ragged tensors as in TensorFlow: values, and the start and end of each row in them.
#include <algorithm>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/operators/sparse.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::ragged {
namespace {

// Returns `size` if it is a size; if it is a number that may be -1, an open size.
Dim sizeOrOpen(RuleNode& n, std::optional<Dim> size) { return size && isSize(n, *size) ? *size : openSize(n); }

// Returns the length of row splits: the number of rows plus one.
Dim splits(RuleNode& n, Dim rows) { return n.t.solution().dims.add(rows, n.t.constant(1)); }

constexpr Message<arg::Number> noVectorOfRanges{
    codes::nodeMisfit, "`RaggedRange` takes vectors and single numbers, but is given a tensor of rank {}", "here"};

// Starts, limits and steps are each a vector, or one number for all rows.
Outcome raggedRangeType(RuleNode& n, std::string_view) {
  Dim rows = n.t.constant(1);
  bool open = false, vector = false;
  for (std::size_t i = 0; i < 3; ++i) {
    auto dims = n.dims(i);
    open |= !dims;
    if (!dims || dims->empty()) continue;
    if (dims->size() > 1) return n.fail(noVectorOfRanges, arg::Number{dims->size()});
    if (vector && !n.equate(rows, dims->front())) return Outcome::failed;
    rows = dims->front();
    vector = true;
  }
  giveDims(n, {open && !vector ? n.t.unknownSize("k") : splits(n, rows)}, 0);
  giveDims(n, {n.t.unknownSize("k")}, 1);
  return open ? Outcome::waits : Outcome::done;
}

// Gives the splits of all ragged axes, from the outermost, then the values.
Outcome raggedGatherType(RuleNode& n, std::string_view) {
  auto depth = static_cast<std::size_t>(n.integer("OUTPUT_RAGGED_RANK"));
  auto values = n.dims(n.count() - 2), indices = n.dims(n.count() - 1);
  if (!values || values->empty() || !indices) return Outcome::waits;
  for (std::size_t i = 0; i < depth; ++i)
    giveDims(n, {i == 0 && !indices->empty() ? splits(n, indices->front()) : openSize(n)}, i);
  Dims sizes{openSize(n)};
  appendFrom(sizes, *values, 1);
  return giveDims(n, sizes, depth);
}

// Returns the number of ragged axes.
std::size_t raggedRank(const RuleNode& n) {
  const Value* types = n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  if (!items || items->empty()) return 0;
  const auto* first = std::get_if<std::string>(&items->front());
  return items->size() - (first && *first == "FIRST_DIM_SIZE" ? 1 : 0);
}

// Returns the number of rows, by the first partition.
Dim raggedRows(RuleNode& n) {
  constexpr std::size_t first = 3;
  const Value* types = n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  const auto* kind = items && !items->empty() ? std::get_if<std::string>(&items->front()) : nullptr;
  auto dims = n.dims(first);
  if (kind && *kind == "ROW_SPLITS" && dims && dims->size() == 1)
    return n.t.solution().dims.sub(dims->front(), n.t.constant(1));
  auto size = kind && *kind == "FIRST_DIM_SIZE" ? n.sizes(first) : std::nullopt;
  return size && size->size() == 1 ? size->front() : openSize(n);
}

constexpr Message<arg::Number, arg::Number> shapeOfOtherRank{
    codes::nodeMisfit, "`RaggedTensorToTensor` makes a tensor of rank {}, but its shape has {} sizes", "here"};

// Makes all rows as long as the longest one or, if the shape is not -1, as long as the shape says.
Outcome raggedToTensorType(RuleNode& n, std::string_view) {
  std::size_t rank = raggedRank(n);
  auto shape = n.known(0);
  auto values = n.dims(1);
  Dims sizes;
  if (shape && shape->shape.size() == 1) {
    for (Dim d : shape->elements)
      sizes.push_back(n.t.solution().dims.asConstant(d) == -1 ? openSize(n) : sizeOrOpen(n, d));
    if (!sizes.empty() && n.t.solution().dims.asConstant(shape->elements[0]) == -1) sizes[0] = raggedRows(n);
  } else if (auto given = n.dims(0); given && given->size() == 1 && n.sizes(0)) {
    sizes = *n.sizes(0);
  } else if (values) {
    sizes.push_back(raggedRows(n));
    while (sizes.size() < rank + values->size()) sizes.push_back(openSize(n));
  } else {
    return Outcome::waits;
  }
  if (!values) {
    giveDims(n, sizes);
    return Outcome::waits;
  }
  if (sizes.size() != rank + values->size())
    return n.fail(shapeOfOtherRank, arg::Number{rank + values->size()}, arg::Number{sizes.size()});
  // All axes of the values except the first are regular.
  bool isGiven = shape && shape->shape.size() == 1;
  for (std::size_t i = 1; i < values->size(); ++i)
    if (!isGiven || n.t.solution().dims.asConstant(shape->elements[rank + i]) == -1) sizes[rank + i] = (*values)[i];
  return giveDims(n, sizes);
}

Outcome raggedToSparseType(RuleNode& n, std::string_view) {
  auto values = n.rank(n.count() - 1);
  if (!values) return Outcome::waits;
  std::int64_t rank = n.integer("RAGGED_RANK") + static_cast<std::int64_t>(*values);
  return sparse::giveSparse(n, openSize(n), n.t.constant(rank));
}

Outcome raggedCrossType(RuleNode& n, std::string_view) {
  giveDims(n, {openSize(n)}, 0);
  return giveDims(n, {openSize(n)}, 1);
}

// The lengths of the splits and the shape of the values are unknown.
Outcome raggedFromVariantType(RuleNode& n, std::string_view) {
  auto depth = static_cast<std::size_t>(std::max<std::int64_t>(n.integer("output_ragged_rank"), 0));
  for (std::size_t i = 0; i < depth; ++i) giveDims(n, {openSize(n)}, i);
  return n.giveShape(n.t.unknownShape("s"), depth);
}

// ---- formulas

// Row splits [rows + 1], i64.
struct Rows {
  Expr splits;
  Dim count;
};

Expr beginOf(NodeFormula& f, const Rows& rows) { return f.sliced(rows.splits, 0, f.dim(0), rows.count); }

Expr lengthOf(NodeFormula& f, const Rows& rows) {
  return f.sliced(rows.splits, 0, f.dim(1), f.plus(rows.count, f.dim(1))) - beginOf(f, rows);
}

Rows rowsOfLengths(NodeFormula& f, Expr lengths, Dim count) {
  Expr ends = f.op("cumsum", {lengths}, {{"axis", f.n.t.integer(0)}});
  return {f.concat({f.full({1}, f.number(0, Elem::i64)), ends}, 0), count};
}

// For each value: its row, and its position in that row.
struct Places {
  Expr row, offset;
};

std::optional<Places> placesOf(NodeFormula& f, const Rows& rows) {
  Expr total = f.reduce("amax", rows.splits, {0});
  Expr all = f.op("arange_to", {total}, {{"most", f.n.t.integer(NodeFormula::mostFound(1))}});
  if (!all) return std::nullopt;
  Expr row = f.op("searchsorted", {rows.splits, all}, {{"right", f.n.t.boolean(true)}}) - 1.0;
  return Places{row, all - f.gather(rows.splits, row, 0)};
}

// Starts, limits and steps are each a vector, or one number for all rows.
FormulaResults raggedRangeFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 1) return {};
  Dim count = f.plus(made->front(), f.dim(-1));
  std::vector<Expr> given;
  for (std::size_t i = 0; i < 3; ++i) given.push_back(f.stretched(f.in(i), {count}));
  Expr way = given[1] - given[0], steps;
  if (info(f.elem(way)).isFloat)
    steps = f.cast(apply("ceil", way / given[2]), Elem::i64);
  else
    steps = -apply("floor_div", -f.cast(way, Elem::i64), f.cast(given[2], Elem::i64));
  Rows rows = rowsOfLengths(f, apply("maximum", steps, f.number(0, Elem::i64)), count);
  auto at = placesOf(f, rows);
  if (!at) return {};
  Expr values = f.gather(given[0], at->row, 0) + f.cast(at->offset, f.elem(way)) * f.gather(given[2], at->row, 0);
  return {f.cast(rows.splits, f.elemOf(f.n.type("Tsplits").value_or(Type::i64))), values};
}

// Gathers whole rows of a tensor with one ragged axis.
FormulaResults raggedGatherFormula(NodeFormula& f) {
  auto splits = f.dims(std::size_t{0}), indices = f.dims(2);
  if (f.count() != 3 || !splits || splits->size() != 1 || !indices || indices->size() != 1) return {};
  Rows from{f.cast(f.in(0), Elem::i64), f.plus(splits->front(), f.dim(-1))};
  Expr wanted = f.cast(f.in(2), Elem::i64);
  Rows rows = rowsOfLengths(f, f.gather(lengthOf(f, from), wanted, 0), indices->front());
  auto at = placesOf(f, rows);
  if (!at) return {};
  Expr place = f.gather(beginOf(f, from), f.gather(wanted, at->row, 0), 0) + at->offset;
  return {f.cast(rows.splits, f.elem(f.in(0))), f.gather(f.in(1), place, 0)};
}

// Returns the ragged axes, from the outermost. An input gives an axis as row splits, or as the row of each value.
std::optional<std::vector<Rows>> partitions(NodeFormula& f) {
  constexpr std::size_t first = 3;
  const Value* types = f.n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  if (!items || items->empty() || f.count() != first + items->size()) return std::nullopt;
  auto made = f.outletDims(0);
  std::vector<Rows> all;
  std::optional<Dim> count;  // of the next axis's rows
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto* kind = std::get_if<std::string>(&(*items)[i]);
    auto dims = f.dims(first + i);
    Expr given = f.cast(f.in(first + i), Elem::i64);
    if (!kind || !dims || !made || made->empty()) return std::nullopt;
    if (*kind == "FIRST_DIM_SIZE") {
      count = f.isOpen(made->front()) ? f.found(given, f.dim(NodeFormula::mostFound(1))) : made->front();
    } else if (*kind == "ROW_SPLITS" && dims->size() == 1) {
      all.push_back({given, f.plus(dims->front(), f.dim(-1))});
    } else if (*kind == "VALUE_ROWIDS" && count && dims->size() == 1) {
      all.push_back(rowsOfLengths(f, f.op("bincount", {given}, {{"count", f.n.t.integer(*count)}}), *count));
      count = dims->front();
    } else {
      return std::nullopt;
    }
  }
  return all;
}

// Pads from the innermost axis outwards: rows become as long as the longest one, or as the shape says.
FormulaResults raggedToTensorFormula(NodeFormula& f) {
  auto made = f.outletDims(0), values = f.dims(1);
  auto rows = partitions(f);
  if (!made || !values || values->empty() || !rows || made->size() != rows->size() + values->size()) return {};
  if (rows->empty() || (!f.isOpen(made->front()) && made->front() != rows->front().count)) return {};
  Expr dense = f.in(1), fill = f.in(2);
  Dim count = values->front();
  Dims tail(values->begin() + 1, values->end());
  for (std::size_t axis = rows->size(); axis-- > 0;) {
    const Rows& its = (*rows)[axis];
    Expr length = lengthOf(f, its);
    Dim size = (*made)[axis + 1];
    if (f.isOpen(size)) {
      Expr none = f.full({1}, f.number(0, Elem::i64));
      auto found = f.found(f.reduce("amax", f.concat({length, none}, 0), {0}), count);
      if (!found) return {};
      size = *found;
    }
    Dims one = tail;
    one.insert(one.begin(), f.dim(1));
    Expr all = f.concat({dense, f.stretched(fill, one)}, 0), step = f.expand(f.countTo(size), 0);
    Expr place = f.expand(beginOf(f, its), 1) + step;
    dense = f.gather(all, choose(step < f.expand(length, 1), place, f.numberOf(count)), 0);
    tail.insert(tail.begin(), size);
    count = its.count;
  }
  return {dense};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                      type                    value  formula
    {"RaggedRange",              raggedRangeType,        {},    raggedRangeFormula},
    {"RaggedGather",             raggedGatherType,       {},    raggedGatherFormula},
    {"RaggedTensorToTensor",     raggedToTensorType,     {},    raggedToTensorFormula},
    {"RaggedTensorToSparse",     raggedToSparseType},
    {"RaggedCross",              raggedCrossType},
    {"RaggedTensorFromVariant",  raggedFromVariantType,  {},    {}, true},
    {"RaggedBincount",           "(i [n], t [m], u w; size : int) -> u [n - 1, size]"},
    {"RaggedFillEmptyRows",      "(i [n], t [n], t []; nrows : int) -> (i [m], t [m], bool [nrows], i [n])"},
    {"RaggedFillEmptyRowsGrad",  "(i [n], t [m]) -> (t [n], t [])"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::ragged
