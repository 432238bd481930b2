// Operators on diagonals and bands of matrices.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::diagonals {
namespace {

// The diagonals from `low` to `high` (0 is the main one), and the end at which shorter ones are padded.
struct Diagonals {
  std::int64_t low = 0, high = 0;
  bool lowLeft = true, highLeft = true;
};

std::optional<Diagonals> diagonalsOf(const RuleNode& n, std::size_t input) {
  Diagonals d;
  if (n.count() > input) {
    auto k = n.numbers(input);
    if (!k || k->empty()) return std::nullopt;
    d.low = k->front();
    d.high = k->back();
  }
  std::string align = n.text("align");
  if (n.node.op.ends_with("V3") && align.empty()) align = "RIGHT_LEFT";
  d.highLeft = !align.starts_with("RIGHT");
  d.lowLeft = !align.ends_with("RIGHT");
  return d;
}

// ---- types

Outcome diagType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  Dims twice = *dims;
  twice.insert(twice.end(), dims->begin(), dims->end());
  return giveDims(n, twice);
}

constexpr Message<arg::Number> oddRank{codes::nodeMisfit, "`DiagPart` needs an even rank, but its tensor has rank {}",
                                       "here"};

Outcome diagPartType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  std::size_t half = dims->size() / 2;
  if (dims->size() != 2 * half || half == 0) return n.fail(oddRank, arg::Number{dims->size()});
  for (std::size_t i = 0; i < half; ++i)
    if (!n.equate((*dims)[i], (*dims)[half + i])) return Outcome::failed;
  dims->resize(half);
  return giveDims(n, *dims);
}

constexpr Message<arg::Name, arg::Number> noDiagonals{codes::nodeMisfit,
                                                      "{} needs diagonals, but its tensor has rank {}", "here"};

Outcome matrixDiagType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto k = diagonalsOf(n, 1);
  if (!dims || !k) return Outcome::waits;
  if (dims->size() < (k->low == k->high ? 1U : 2U)) return n.fail(noDiagonals, n.opName(), arg::Number{dims->size()});
  Dim length = dims->back();
  dims->resize(dims->size() - (k->low == k->high ? 1 : 2));
  // The matrix has at least as many rows and columns as the diagonals need; it is square if neither number is given.
  DimStore& store = n.t.solution().dims;
  Dim rows = store.add(length, n.t.constant(std::max<std::int64_t>(-k->high, 0)));
  Dim columns = store.add(length, n.t.constant(std::max<std::int64_t>(k->low, 0)));
  auto given = [&](std::size_t input) -> std::optional<Dim> {
    if (n.count() <= input) return n.t.constant(-1);
    auto value = n.known(input);
    return value && value->count() == 1 ? std::optional(value->elements[0]) : std::nullopt;
  };
  auto r = given(2), c = given(3);
  bool square = r && c && store.asConstant(*r) == -1 && store.asConstant(*c) == -1;
  if (square) rows = columns = larger(n, rows, columns);
  auto chosen = [&](std::optional<Dim> value, Dim least) {
    if (!value || (!isSize(n, *value))) return n.t.unknownSize("d");
    return store.asConstant(*value) == -1 ? least : *value;
  };
  dims->push_back(chosen(r, rows));
  dims->push_back(chosen(c, columns));
  return giveDims(n, *dims);
}

constexpr Message<arg::Name, arg::Number> noMatrices{codes::nodeMisfit, "{} needs matrices, but its tensor has rank {}",
                                                     "here"};

Outcome matrixDiagPartType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto k = diagonalsOf(n, 1);
  if (!dims || !k) return Outcome::waits;
  if (dims->size() < 2) return n.fail(noMatrices, n.opName(), arg::Number{dims->size()});
  DimStore& store = n.t.solution().dims;
  Dim columns = dims->back(), rows = (*dims)[dims->size() - 2];
  dims->resize(dims->size() - 2);
  if (k->low != k->high) dims->push_back(n.t.constant(k->high - k->low + 1));
  dims->push_back(smaller(n, store.add(rows, n.t.constant(std::min<std::int64_t>(k->high, 0))),
                          store.sub(columns, n.t.constant(std::max<std::int64_t>(k->low, 0)))));
  return giveDims(n, *dims);
}

// ---- formulas

FormulaResults bandPartFormula(NodeFormula& f) {
  auto sizes = f.dims(0);
  if (!sizes || sizes->size() < 2) return {};
  Expr rows = f.expand(f.countTo((*sizes)[sizes->size() - 2]), 1), columns = f.expand(f.countTo(sizes->back()), 0);
  Expr low = f.cast(f.in(1), Elem::i64), high = f.cast(f.in(2), Elem::i64);
  Expr kept = (low < 0.0 || rows - columns <= low) && (high < 0.0 || columns - rows <= high);
  return {choose(kept, f.in(0), 0)};
}

// Returns, for each element of the diagonals, its index in a matrix of that size, row by row; -1 for padding.
std::vector<std::int64_t> placesOf(const Diagonals& d, std::int64_t rows, std::int64_t columns, std::int64_t length) {
  std::vector<std::int64_t> places;
  for (std::int64_t k = d.high; k >= d.low; --k) {
    std::int64_t row = std::max<std::int64_t>(-k, 0), column = std::max<std::int64_t>(k, 0);
    std::int64_t its = std::max<std::int64_t>(std::min(rows - row, columns - column), 0);
    bool left = (k >= 0 && d.highLeft) || (k <= 0 && d.lowLeft);
    std::int64_t shift = left ? 0 : length - its;
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t at = i - shift;
      places.push_back(at >= 0 && at < its ? (row + at) * columns + column + at : -1);
    }
  }
  return places;
}

// Returns `dims` with `tail` instead of the last two sizes.
Dims withTail(NodeFormula& f, const Dims& dims, std::int64_t tail) {
  Dims out(dims.begin(), dims.end() - 2);
  out.push_back(f.dim(tail));
  return out;
}

// Returns the last `count` sizes, if they are numbers.
std::optional<Sizes> tailOf(NodeFormula& f, const std::optional<Dims>& dims, std::size_t count) {
  if (!dims || dims->size() < count) return std::nullopt;
  Sizes tail;
  for (std::size_t i = dims->size() - count; i < dims->size(); ++i) {
    auto size = f.number((*dims)[i]);
    if (!size) return std::nullopt;
    tail.push_back(*size);
  }
  return tail;
}

// The padding is appended as the last element, and indices of padded elements point to it.
FormulaResults matrixDiagPartFormula(NodeFormula& f) {
  auto dims = f.dims(0), made = f.outletDims(0);
  bool any = f.count() > 2;
  auto d = diagonalsOf(f.n, any ? 1 : 9);
  auto matrix = tailOf(f, dims, 2), length = tailOf(f, made, 1);
  if (!matrix || !length || !d) return {};
  std::int64_t columns = matrix->back(), rows = matrix->front();
  auto places = placesOf(*d, rows, columns, length->front());
  for (std::int64_t& place : places)
    if (place < 0) place = rows * columns;
  Expr flat = f.shaped(f.in(0), withTail(f, *dims, rows * columns));
  Expr padding = any ? f.in(2) : f.like(0, flat);
  Sizes pads(2 * (dims->size() - 1));
  pads.back() = 1;
  flat = f.padWith(flat, f.cast(padding, f.elem(flat)), pads);
  Expr found = f.gather(flat, f.integers(Elem::i64, {static_cast<std::int64_t>(places.size())}, places), -1);
  return {f.shaped(found, *made)};
}

// Writes one diagonal into matrices `base` of any sizes. Column c of row r is on diagonal c - r, whose elements are
// numbered by rows above the main diagonal and by columns below it. Appends a zero for the rows or columns beyond its
// end.
Expr placedOne(NodeFormula& f, Expr diagonal, const Dims& matrices, std::int64_t k, Dim length, Expr base) {
  const Dim rows = matrices[matrices.size() - 2], columns = matrices.back();
  Expr places = apply("minimum", f.countTo(k >= 0 ? rows : columns), f.numberOf(length));
  Expr spread = f.expand(f.gather(f.padEnd(diagonal, -1, f.dim(1)), places, -1), k >= 0 ? -1 : -2);
  Expr isOn = f.expand(f.countTo(columns), 0) - f.expand(f.countTo(rows), 1) == static_cast<double>(k);
  return choose(isOn, spread, base);
}

// Writes the diagonals, of `size` elements each, into matrices `base`: each position on a diagonal takes the element of
// that diagonal. Several diagonals require that the sizes are numbers.
Expr placed(NodeFormula& f, Expr diagonals, const Dims& matrices, const Diagonals& d, Dim size, Expr base) {
  const auto known = tailOf(f, matrices, 2);
  const auto fixed = f.number(size);
  if (!known || !fixed) return d.low == d.high ? placedOne(f, diagonals, matrices, d.low, size, base) : Expr();
  const std::int64_t length = *fixed;
  const std::int64_t rows = known->front(), columns = known->back();
  auto places = placesOf(d, rows, columns, length);
  std::vector<std::int64_t> from(static_cast<std::size_t>(rows * columns), 0), covered(from.size(), 0);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= 0) {
      from[static_cast<std::size_t>(places[i])] = static_cast<std::int64_t>(i);
      covered[static_cast<std::size_t>(places[i])] = 1;
    }
  Dims flat = withTail(f, matrices, static_cast<std::int64_t>(places.size()));
  Expr spread = f.gather(f.shaped(diagonals, flat), f.integers(Elem::i64, {rows, columns}, from), -1);
  return choose(f.integers(Elem::boolean, {rows, columns}, covered), spread, base);
}

FormulaResults matrixSetDiagFormula(NodeFormula& f) {
  auto dims = f.dims(0);
  auto its = f.dims(1);
  auto d = diagonalsOf(f.n, 2);
  if (!dims || dims->size() < 2 || !its || its->empty() || !d) return {};
  return {placed(f, f.in(1), *dims, *d, its->back(), f.in(0))};
}

FormulaResults matrixDiagFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  auto its = f.dims(0);
  auto d = diagonalsOf(f.n, 1);
  if (!its || its->empty() || !made || made->size() < 2 || !d) return {};
  Expr padding = f.count() > 4 ? f.in(4) : f.like(0, f.in(0));
  return {placed(f, f.in(0), *made, *d, its->back(), f.cast(padding, f.elem(f.in(0))))};
}

// Flattens a tensor of any rank to one axis.
FormulaResults diagFormula(NodeFormula& f) {
  auto sizes = f.sizes(0), made = f.outletSizes(0);
  if (!sizes || !made) return {};
  std::int64_t count = std::accumulate(sizes->begin(), sizes->end(), std::int64_t{1}, std::multiplies<>());
  Expr flat = f.reshape(f.in(0), {count});
  return {f.reshape(placed(f, flat, {f.dim(count), f.dim(count)}, {}, f.dim(count), f.like(0, flat)), *made)};
}

FormulaResults diagPartFormula(NodeFormula& f) {
  auto made = f.outletSizes(0);
  if (!made) return {};
  std::int64_t count = std::accumulate(made->begin(), made->end(), std::int64_t{1}, std::multiplies<>());
  Sizes places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(i * (count + 1));
  Expr flat = f.reshape(f.in(0), {count * count});
  return {f.reshape(f.gather(flat, f.integers(Elem::i64, {count}, places), 0), *made)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                  type                 value  formula
    {"Diag",                 diagType,            {},    diagFormula},
    {"DiagPart",             diagPartType,        {},    diagPartFormula},
    {"MatrixDiag",           matrixDiagType,      {},    matrixDiagFormula},
    {"MatrixDiagV2",         matrixDiagType,      {},    matrixDiagFormula},
    {"MatrixDiagV3",         matrixDiagType,      {},    matrixDiagFormula},
    {"BatchMatrixDiag",      matrixDiagType,      {},    matrixDiagFormula},
    {"MatrixDiagPart",       matrixDiagPartType,  {},    matrixDiagPartFormula},
    {"MatrixDiagPartV2",     matrixDiagPartType,  {},    matrixDiagPartFormula},
    {"MatrixDiagPartV3",     matrixDiagPartType,  {},    matrixDiagPartFormula},
    {"BatchMatrixDiagPart",  matrixDiagPartType,  {},    matrixDiagPartFormula},
    {"MatrixSetDiag",        likeFirstInput,      {},    matrixSetDiagFormula},
    {"MatrixSetDiagV2",      likeFirstInput,      {},    matrixSetDiagFormula},
    {"MatrixSetDiagV3",      likeFirstInput,      {},    matrixSetDiagFormula},
    {"BatchMatrixSetDiag",   likeFirstInput,      {},    matrixSetDiagFormula},
    {"MatrixBandPart",       likeFirstInput,      {},    bandPartFormula},
    {"BatchMatrixBandPart",  likeFirstInput,      {},    bandPartFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::diagonals
