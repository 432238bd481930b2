// Formulas of decompositions of matrices, in double precision: by Householder's reflections and Jacobi's rotations.
#include <algorithm>
#include <limits>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

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

std::optional<Matrix> matrixOf(Formula& f, std::size_t input) {
  auto sizes = f.sizes(input);
  if (!sizes || sizes->size() < 2 || isComplex(f.n.fact(input).type)) return std::nullopt;
  if (!info(f.elem(f.in(input))).isFloat) return std::nullopt;
  return Matrix{(*sizes)[sizes->size() - 2], sizes->back(), Sizes(sizes->begin(), sizes->end() - 2)};
}

Ex wide(Formula& f, Ex value) { return f.cast(value, Elem::f64); }
Ex product(Ex a, Ex b) { return a.formula->op("batch_matmul", {a, b}); }
Ex eye(Formula& f, const Matrix& m, std::int64_t size) {
  return f.stretch(f.identity(size, Elem::f64), m.with(size, size));
}

struct Triangular {
  Ex q, r;  // [..., m, m] and [..., m, n]
};

// A reflection for each column, which lies on what is left of it: the sign of the first element changes. A column that
// is 0 below its diagonal stays as it is.
Triangular reflected(Formula& f, const Matrix& m, Ex a) {
  if (m.rows == 0 || m.least() == 0) return {eye(f, m, m.rows), a};
  Ex row = f.expand(f.count(m.rows), 1);
  auto step = [&](Ex k, const Formula::States& now) -> Formula::States {
    Ex column = f.sliceAt(now[0], -1, k), first = f.sliceAt(column, -2, k);
    Ex tail = choose(row > k, column, 0), rest = f.reduce("sum", tail * tail, {-2}, true);
    Ex isDone = rest <= std::numeric_limits<double>::min();
    Ex length = apply("sqrt", first * first + rest), beta = choose(first >= 0.0, -length, length);
    Ex v = choose(row == k, 1, choose(isDone, 0, tail / choose(isDone, 1, first - beta)));
    Ex tau = choose(isDone, 0, (beta - first) / choose(isDone, 1, beta));
    Ex r = now[0] - tau * v * product(f.swapped(v), now[0]);
    return {r, now[1] - product(now[1], v) * (tau * f.swapped(v))};
  };
  Formula::States ends = f.steps(m.least(), {a, eye(f, m, m.rows)}, step);
  return {ends[1], f.op("triu", {ends[0]})};
}

FormulaResults qr(Formula& f) {
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
// Columns stand in two halves, and each pair of opposite ones is turned at once; then they change seats as in a
// tournament of all against all: the first one stays, the others go round.

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

// The turn that makes the element between two columns, or places on the diagonal, 0.
struct Turn {
  Ex cosine, sine;
  Ex isNeeded;  // any of them
};

Turn turnOf(Formula& f, Ex first, Ex second, Ex between, Ex least) {
  Ex needed = apply("abs", between) > least;
  Ex zeta = (second - first) / choose(needed, 2.0 * between, 1);
  Ex tangent = choose(zeta < 0.0, -1, zeta * 0.0 + 1.0) / (apply("abs", zeta) + apply("sqrt", zeta * zeta + 1.0));
  tangent = choose(needed, tangent, 0);
  Ex cosine = apply("rsqrt", tangent * tangent + 1.0);
  return {cosine, cosine * tangent, f.op("any", {needed})};
}

// The halves along an axis, turned, in their new seats.
Ex turned(Formula& f, Ex value, Ex cosine, Ex sine, std::int64_t axis, std::int64_t size) {
  Ex first = f.slice(value, axis, 0, size / 2), second = f.slice(value, axis, size / 2, size);
  Ex both = f.concat({cosine * first - sine * second, sine * first + cosine * second}, axis);
  return f.gather(both, f.integers(Type::i64, {size}, seats(size)), axis);
}

constexpr double precision = 1e-15;

// As long as one of all pairs of the last round was turned. The first state counts the rounds, the second those since.
Formula::States rotate(Formula& f, std::int64_t size, Formula::States starts,
                       const std::function<std::pair<Formula::States, Ex>(const Formula::States&)>& round) {
  constexpr std::int64_t mostSweeps = 40;
  starts.insert(starts.begin(), {f.number(0, Elem::i64), f.number(0, Elem::i64)});
  auto condition = [&](const Formula::States& all) {
    return all[0] < static_cast<double>(mostSweeps * (size - 1)) && all[1] < static_cast<double>(size - 1);
  };
  auto next = [&](const Formula::States& all) {
    auto [made, moved] = round(Formula::States(all.begin() + 2, all.end()));
    made.insert(made.begin(), {all[0] + 1.0, choose(moved, 0, all[1] + 1.0)});
    return made;
  };
  Formula::States ends = f.loop(starts, condition, next);
  ends.erase(ends.begin(), ends.begin() + 2);
  return ends;
}

std::int64_t evenly(std::int64_t size) { return size + size % 2; }

// With zeros behind it.
Ex padded(Formula& f, Ex value, const Matrix& m, std::int64_t rows, std::int64_t columns) {
  Sizes pairs(2 * m.batch.size(), 0);
  pairs.insert(pairs.end(), {0, rows - m.rows, 0, columns - m.columns});
  return f.pad(value, pairs);
}

Ex columnsAt(Formula& f, Ex value, Ex places, Sizes shape) {
  return f.takeAlong(value, f.stretch(f.expand(places, -2), shape), -1);
}

struct Singular {
  Ex values, u, v;
};

// Of no fewer rows than columns: the columns turned until they are orthogonal, together with those of the identity.
// What orders them by length is made a product with an orthogonal matrix.
Singular orthogonal(Formula& f, const Matrix& m, Ex a) {
  const std::int64_t size = evenly(m.columns), all = m.rows + size;
  Ex start = f.concat({padded(f, a, m, m.rows, size), eye(f, m, size)}, -2);
  auto round = [&](const Formula::States& now) {
    Ex upper = f.slice(now[0], -2, 0, m.rows);
    Ex first = f.slice(upper, -1, 0, size / 2), second = f.slice(upper, -1, size / 2, size);
    auto dot = [&](Ex x, Ex y) { return f.reduce("sum", x * y, {-2}, true); };
    Ex p = dot(first, first), q = dot(second, second);
    Turn turn = turnOf(f, p, q, dot(first, second), precision * apply("sqrt", p) * apply("sqrt", q));
    return std::pair(Formula::States{turned(f, now[0], turn.cosine, turn.sine, -1, size)}, turn.isNeeded);
  };
  Ex ends = rotate(f, size, {start}, round)[0];
  Ex lengths = apply("sqrt", f.reduce("sum", apply("square", f.slice(ends, -2, 0, m.rows)), {-2}));
  if (size > m.columns) lengths = choose(f.at(ends, -2, all - 1) != 0.0, -1, lengths);  // the padding comes last
  Ex order = f.op("argsort", {lengths}, {{"descending", f.n.t.boolean(true)}});
  order = f.slice(order, -1, 0, m.columns);
  Ex sorted = columnsAt(f, ends, order, m.with(all, m.columns));
  Triangular made = reflected(f, m, f.slice(sorted, -2, 0, m.rows));
  Ex signs = choose(f.op("diagonal", {f.slice(made.r, -2, 0, m.columns)}) < 0.0, -1, f.number(1, Elem::f64));
  Ex u = f.slice(made.q, -1, 0, m.columns) * f.expand(signs, -2);
  if (m.rows > m.columns) u = f.concat({u, f.slice(made.q, -1, m.columns, m.rows)}, -1);
  return {f.takeAlong(lengths, order, -1), u, f.slice(sorted, -2, m.rows, m.rows + m.columns)};
}

Singular none(Formula& f, const Matrix& m) {
  auto zeros = [&](Sizes sizes) { return f.full(sizes, f.number(0, Elem::f64)); };
  Sizes sizes = m.batch;
  sizes.push_back(0);
  return {zeros(sizes), eye(f, m, m.rows), zeros(m.with(0, 0))};
}

FormulaResults svd(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Ex a = wide(f, f.in(0));
  const bool isWide = m->rows < m->columns;
  Matrix tall{std::max(m->rows, m->columns), m->least(), m->batch};
  Singular s = tall.columns ? orthogonal(f, tall, isWide ? f.swapped(a) : a) : none(f, tall);
  Elem elem = f.elem(f.in(0));
  Ex values = f.cast(s.values, elem);
  if (!f.n.flag("compute_uv")) {
    Ex none = f.full({0}, f.number(0, elem));
    return {values, none, none};
  }
  if (!f.n.flag("full_matrices")) s.u = f.slice(s.u, -1, 0, tall.columns);
  Ex u = f.cast(s.u, elem), v = f.cast(s.v, elem);
  return {values, isWide ? v : u, isWide ? u : v};
}

// Of the lower triangle and its mirror image.
FormulaResults selfAdjointEigen(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m || m->rows == 0) return {};
  Ex lower = f.op("tril", {wide(f, f.in(0))});
  Ex a = lower + f.swapped(f.op("tril", {lower}, {{"k", f.n.t.integer(-1)}}));
  const std::int64_t size = evenly(m->rows), half = size / 2;
  a = padded(f, a, *m, size, size);
  Ex scale = f.reduce("amax", apply("abs", a), {-2, -1}, true) * precision;
  auto round = [&](const Formula::States& now) {
    auto block = [&](std::int64_t row, std::int64_t column) {
      Ex rows = f.slice(now[0], -2, row, row + half);
      return f.op("diagonal", {f.slice(rows, -1, column, column + half)});
    };
    Turn turn = turnOf(f, block(0, 0), block(half, half), block(0, half), f.squeeze(scale, -1));
    Ex across = f.expand(turn.cosine, -2), down = f.expand(turn.cosine, -1);
    Ex sineAcross = f.expand(turn.sine, -2), sineDown = f.expand(turn.sine, -1);
    Ex columns = turned(f, now[0], across, sineAcross, -1, size);
    return std::pair(
        Formula::States{turned(f, columns, down, sineDown, -2, size), turned(f, now[1], across, sineAcross, -1, size)},
        turn.isNeeded);
  };
  Formula::States ends = rotate(f, size, {a, eye(f, *m, size)}, round);
  Ex values = f.op("diagonal", {ends[0]}), vectors = ends[1];
  if (size > m->rows)
    values = choose(f.at(vectors, -2, size - 1) != 0.0, std::numeric_limits<double>::infinity(), values);
  Ex order = f.slice(f.op("argsort", {values}), -1, 0, m->rows);
  Elem elem = f.elem(f.in(0));
  Ex sorted = f.cast(f.takeAlong(values, order, -1), elem);
  if (!f.n.flag("compute_v")) return {sorted, f.full({0}, f.number(0, elem))};
  vectors = columnsAt(f, f.slice(vectors, -2, 0, m->rows), order, m->with(m->rows, m->rows));
  return {sorted, f.cast(vectors, elem)};
}

constexpr FormulaRow rows[] = {
    {"Qr", qr},
    {"Svd", svd},
    {"BatchSvd", svd},
    {"SelfAdjointEigV2", selfAdjointEigen},
    {"BatchSelfAdjointEigV2", selfAdjointEigen},
};

}  // namespace

std::span<const FormulaRow> decompositionFormulas() { return rows; }

}  // namespace axle::tensorflow
