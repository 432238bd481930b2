// Decompositions of matrices in double precision, by Householder reflections and Jacobi rotations.
#include <algorithm>
#include <limits>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::decompositions {
namespace {

struct Matrices {
  Shape batch;
  Dim rows, columns;
};

std::optional<Matrices> matrices(RuleNode& n) {
  GraphTyper& t = n.t;
  Matrices m{t.unknownShape("s"), t.unknownSize("m"), t.unknownSize("n")};
  Shape shape = m.batch;
  for (Dim d : {m.rows, m.columns}) shape.push_back(ShapePart::of(d));
  if (!requireShape(n, 0, std::move(shape))) return std::nullopt;
  return m;
}

Shape stacked(const Shape& batch, std::initializer_list<Dim> dims) {
  Shape shape = batch;
  for (Dim d : dims) shape.push_back(ShapePart::of(d));
  return shape;
}

// Gives the min(m, n) singular values of [m, n], and the singular vectors for them or, with full_matrices, for all rows
// and columns.
Outcome svdType(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m) return Outcome::failed;
  DimStore& dims = n.t.solution().dims;
  bool full = n.flag("full_matrices");
  Dim rank = dims.min(n.t.solution().resolve(m->rows), n.t.solution().resolve(m->columns));
  n.giveShape(stacked(m->batch, {rank}));
  bool vectors = n.flag("compute_uv");
  Shape none = n.t.shape({n.t.constant(0)});
  n.giveShape(vectors ? stacked(m->batch, {m->rows, full ? m->rows : rank}) : none, 1);
  return n.giveShape(vectors ? stacked(m->batch, {m->columns, full ? m->columns : rank}) : none, 2);
}

Outcome qrType(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m) return Outcome::failed;
  Dim rank = n.t.solution().dims.min(n.t.solution().resolve(m->rows), n.t.solution().resolve(m->columns));
  if (n.flag("full_matrices")) rank = m->rows;
  n.giveShape(stacked(m->batch, {m->rows, rank}));
  return n.giveShape(stacked(m->batch, {rank, m->columns}), 1);
}

Outcome eigenType(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m || !n.equate(m->rows, m->columns)) return Outcome::failed;
  n.giveShape(stacked(m->batch, {m->rows}));
  bool vectors = n.flag("compute_v");
  return n.giveShape(vectors ? stacked(m->batch, {m->rows, m->rows}) : n.t.shape({n.t.constant(0)}), 1);
}

// ---- reflections

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  Sizes batch;
  Sizes with(std::int64_t first, std::int64_t second) const {
    Sizes sizes = batch;
    sizes.insert(sizes.end(), {first, second});
    return sizes;
  }
  std::int64_t least() const { return std::min(rows, columns); }
};

std::optional<Matrix> matrixOf(NodeFormula& f, std::size_t input) {
  auto sizes = f.sizes(input);
  if (!sizes || sizes->size() < 2 || isComplex(f.n.fact(input).type)) return std::nullopt;
  if (!info(f.elem(f.in(input))).isFloat) return std::nullopt;
  return Matrix{(*sizes)[sizes->size() - 2], sizes->back(), Sizes(sizes->begin(), sizes->end() - 2)};
}

Expr wide(NodeFormula& f, Expr value) { return f.cast(value, Elem::f64); }
Expr product(Expr a, Expr b) { return a.formula->op("batch_matmul", {a, b}); }

Expr eye(NodeFormula& f, const Matrix& m, std::int64_t size) {
  return f.stretch(f.identity(size, Elem::f64), m.with(size, size));
}

struct Triangular {
  Expr q, r;  // [..., m, m] and [..., m, n]
};

// Applies a Householder reflection for each column to the remaining matrix; the first element changes its sign. A
// column that is 0 below its diagonal stays unchanged.
Triangular reflected(NodeFormula& f, const Matrix& m, Expr a) {
  if (m.rows == 0 || m.least() == 0) return {eye(f, m, m.rows), a};
  Expr row = f.expand(f.count(m.rows), 1);
  auto step = [&](Expr k, const States& now) -> States {
    Expr column = f.sliceAt(now[0], -1, k), first = f.sliceAt(column, -2, k);
    Expr tail = choose(row > k, column, 0), rest = f.reduce("sum", tail * tail, {-2}, true);
    Expr isDone = rest <= std::numeric_limits<double>::min();
    Expr length = apply("sqrt", first * first + rest), beta = choose(first >= 0.0, -length, length);
    Expr v = choose(row == k, 1, choose(isDone, 0, tail / choose(isDone, 1, first - beta)));
    Expr tau = choose(isDone, 0, (beta - first) / choose(isDone, 1, beta));
    Expr r = now[0] - tau * v * product(f.swapped(v), now[0]);
    return {r, now[1] - product(now[1], v) * (tau * f.swapped(v))};
  };
  States ends = f.steps(m.least(), {a, eye(f, m, m.rows)}, step);
  return {ends[1], f.op("triu", {ends[0]})};
}

FormulaResults qrFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Triangular made = reflected(f, *m, wide(f, f.in(0)));
  Elem elem = f.elem(f.in(0));
  if (!f.n.flag("full_matrices")) {
    made.q = f.slice(made.q, -1, 0, m->least());
    made.r = f.slice(made.r, -2, 0, m->least());
  }
  return {f.cast(made.q, elem), f.cast(made.r, elem)};
}

// ---- rotations
//
// The columns form two halves. A round rotates all pairs of opposite columns at once, then permutes the columns as in a
// round-robin tournament: the first one stays, the others move on by one place.

Sizes seats(std::int64_t size) {
  const std::int64_t half = size / 2;
  Sizes from{0};
  if (half > 1) from.push_back(half);
  for (std::int64_t i = 1; i + 1 < half; ++i) from.push_back(i);
  for (std::int64_t i = half + 1; i < size; ++i) from.push_back(i);
  if (half > 1) from.push_back(half - 1);
  if (half == 1) from.push_back(1);
  return from;
}

// The rotation that makes the product of two columns, or an off-diagonal element, 0.
struct Turn {
  Expr cosine, sine;
  Expr isNeeded;  // by any of the matrices
};

Turn turnOf(NodeFormula& f, Expr first, Expr second, Expr between, Expr least) {
  Expr needed = apply("abs", between) > least;
  Expr zeta = (second - first) / choose(needed, 2.0 * between, 1);
  Expr tangent = choose(zeta < 0.0, -1, zeta * 0.0 + 1.0) / (apply("abs", zeta) + apply("sqrt", zeta * zeta + 1.0));
  tangent = choose(needed, tangent, 0);
  Expr cosine = apply("rsqrt", tangent * tangent + 1.0);
  return {cosine, cosine * tangent, f.op("any", {needed})};
}

// Rotates the two halves along an axis against each other, and moves the columns to their new places.
Expr turned(NodeFormula& f, Expr value, Expr cosine, Expr sine, std::int64_t axis, std::int64_t size) {
  Expr first = f.slice(value, axis, 0, size / 2), second = f.slice(value, axis, size / 2, size);
  Expr both = f.concat({cosine * first - sine * second, sine * first + cosine * second}, axis);
  return f.gather(both, f.integers(Elem::i64, {size}, seats(size)), axis);
}

constexpr double precision = 1e-15;

// Repeats rounds of rotations until every pair was visited once without a needed rotation. The first state counts the
// rounds, the second the rounds since the last rotation.
States rotate(NodeFormula& f, std::int64_t size, States starts,
              const std::function<std::pair<States, Expr>(const States&)>& round) {
  constexpr std::int64_t mostSweeps = 40;
  starts.insert(starts.begin(), {f.number(0, Elem::i64), f.number(0, Elem::i64)});
  auto condition = [&](const States& all) {
    return all[0] < static_cast<double>(mostSweeps * (size - 1)) && all[1] < static_cast<double>(size - 1);
  };
  auto next = [&](const States& all) {
    auto [made, moved] = round(States(all.begin() + 2, all.end()));
    made.insert(made.begin(), {all[0] + 1.0, choose(moved, 0, all[1] + 1.0)});
    return made;
  };
  States ends = f.loop(starts, condition, next);
  ends.erase(ends.begin(), ends.begin() + 2);
  return ends;
}

std::int64_t evenly(std::int64_t size) { return size + size % 2; }

// Pads a matrix with zeros after its rows and columns.
Expr padded(NodeFormula& f, Expr value, const Matrix& m, std::int64_t rows, std::int64_t columns) {
  Sizes pairs(2 * m.batch.size(), 0);
  pairs.insert(pairs.end(), {0, rows - m.rows, 0, columns - m.columns});
  return f.pad(value, pairs);
}

Expr columnsAt(NodeFormula& f, Expr value, Expr places, const Sizes& shape) {
  return f.takeAlong(value, f.stretch(f.expand(places, -2), shape), -1);
}

struct Singular {
  Expr values, u, v;
};

// One-sided Jacobi for matrices with at least as many rows as columns: rotates the columns until they are orthogonal,
// together with the columns of the identity. Then sorts the columns by length, and makes them orthonormal by
// reflections.
Singular orthogonal(NodeFormula& f, const Matrix& m, Expr a) {
  const std::int64_t size = evenly(m.columns), all = m.rows + size;
  Expr start = f.concat({padded(f, a, m, m.rows, size), eye(f, m, size)}, -2);
  auto round = [&](const States& now) {
    Expr upper = f.slice(now[0], -2, 0, m.rows);
    Expr first = f.slice(upper, -1, 0, size / 2), second = f.slice(upper, -1, size / 2, size);
    auto dot = [&](Expr x, Expr y) { return f.reduce("sum", x * y, {-2}, true); };
    Expr p = dot(first, first), q = dot(second, second);
    Turn turn = turnOf(f, p, q, dot(first, second), precision * apply("sqrt", p) * apply("sqrt", q));
    return std::pair(States{turned(f, now[0], turn.cosine, turn.sine, -1, size)}, turn.isNeeded);
  };
  Expr ends = rotate(f, size, {start}, round)[0];
  Expr lengths = apply("sqrt", f.reduce("sum", apply("square", f.slice(ends, -2, 0, m.rows)), {-2}));
  if (size > m.columns) lengths = choose(f.at(ends, -2, all - 1) != 0.0, -1, lengths);  // the padding comes last
  Expr order = f.op("argsort", {lengths}, {{"descending", f.n.t.boolean(true)}});
  order = f.slice(order, -1, 0, m.columns);
  Expr sorted = columnsAt(f, ends, order, m.with(all, m.columns));
  Triangular made = reflected(f, m, f.slice(sorted, -2, 0, m.rows));
  Expr signs = choose(f.op("diagonal", {f.slice(made.r, -2, 0, m.columns)}) < 0.0, -1, f.number(1, Elem::f64));
  Expr u = f.slice(made.q, -1, 0, m.columns) * f.expand(signs, -2);
  if (m.rows > m.columns) u = f.concat({u, f.slice(made.q, -1, m.columns, m.rows)}, -1);
  return {f.takeAlong(lengths, order, -1), u, f.slice(sorted, -2, m.rows, m.rows + m.columns)};
}

Singular none(NodeFormula& f, const Matrix& m) {
  auto zeros = [&](const Sizes& sizes) { return f.full(sizes, f.number(0, Elem::f64)); };
  Sizes sizes = m.batch;
  sizes.push_back(0);
  return {zeros(sizes), eye(f, m, m.rows), zeros(m.with(0, 0))};
}

FormulaResults svdFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Expr a = wide(f, f.in(0));
  const bool isWide = m->rows < m->columns;
  Matrix tall{std::max(m->rows, m->columns), m->least(), m->batch};
  Singular s = tall.columns ? orthogonal(f, tall, isWide ? f.swapped(a) : a) : none(f, tall);
  Elem elem = f.elem(f.in(0));
  Expr values = f.cast(s.values, elem);
  if (!f.n.flag("compute_uv")) {
    Expr none = f.full({0}, f.number(0, elem));
    return {values, none, none};
  }
  if (!f.n.flag("full_matrices")) s.u = f.slice(s.u, -1, 0, tall.columns);
  Expr u = f.cast(s.u, elem), v = f.cast(s.v, elem);
  return {values, isWide ? v : u, isWide ? u : v};
}

// Computes the eigenvalues and eigenvectors of the symmetric matrix with the given lower triangle.
FormulaResults selfAdjointEigenFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m || m->rows == 0) return {};
  Expr lower = f.op("tril", {wide(f, f.in(0))});
  Expr a = lower + f.swapped(f.op("tril", {lower}, {{"k", f.n.t.integer(-1)}}));
  const std::int64_t size = evenly(m->rows), half = size / 2;
  a = padded(f, a, *m, size, size);
  Expr scale = f.reduce("amax", apply("abs", a), {-2, -1}, true) * precision;
  auto round = [&](const States& now) {
    auto block = [&](std::int64_t row, std::int64_t column) {
      Expr rows = f.slice(now[0], -2, row, row + half);
      return f.op("diagonal", {f.slice(rows, -1, column, column + half)});
    };
    Turn turn = turnOf(f, block(0, 0), block(half, half), block(0, half), f.squeeze(scale, -1));
    Expr across = f.expand(turn.cosine, -2), down = f.expand(turn.cosine, -1);
    Expr sineAcross = f.expand(turn.sine, -2), sineDown = f.expand(turn.sine, -1);
    Expr columns = turned(f, now[0], across, sineAcross, -1, size);
    return std::pair(
        States{turned(f, columns, down, sineDown, -2, size), turned(f, now[1], across, sineAcross, -1, size)},
        turn.isNeeded);
  };
  States ends = rotate(f, size, {a, eye(f, *m, size)}, round);
  Expr values = f.op("diagonal", {ends[0]}), vectors = ends[1];
  if (size > m->rows)
    values = choose(f.at(vectors, -2, size - 1) != 0.0, std::numeric_limits<double>::infinity(), values);
  Expr order = f.slice(f.op("argsort", {values}), -1, 0, m->rows);
  Elem elem = f.elem(f.in(0));
  Expr sorted = f.cast(f.takeAlong(values, order, -1), elem);
  if (!f.n.flag("compute_v")) return {sorted, f.full({0}, f.number(0, elem))};
  vectors = columnsAt(f, f.slice(vectors, -2, 0, m->rows), order, m->with(m->rows, m->rows));
  return {sorted, f.cast(vectors, elem)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                    type        value  formula
    {"Qr",                     qrType,     {},    qrFormula},
    {"Svd",                    svdType,    {},    svdFormula},
    {"BatchSvd",               svdType,    {},    svdFormula},
    {"SelfAdjointEigV2",       eigenType,  {},    selfAdjointEigenFormula},
    {"BatchSelfAdjointEigV2",  eigenType,  {},    selfAdjointEigenFormula},
    {"Eig",                    eigenType},
    {"BatchSelfAdjointEig",    "(t s @ [m, m]) -> t s @ [m + 1, m]"},
    {"SelfAdjointEig",         "(t s @ [m, m]) -> t s @ [m + 1, m]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::decompositions
