// Formulas of linear algebra: elimination, step by step.
#include <algorithm>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

struct Matrix {
  std::int64_t n = 0;
  Dims batch;
  Dims with(Formula& f, std::initializer_list<std::int64_t> more) const {
    Dims dims = batch;
    for (std::int64_t size : more) dims.push_back(f.dim(size));
    return dims;
  }
};

// The last two sizes are numbers.
struct Matrices {
  std::int64_t rows = 0, columns = 0;
  Dims batch;
};

std::optional<Matrices> matricesOf(Formula& f, std::size_t input) {
  auto dims = f.dims(input);
  if (!dims || dims->size() < 2 || isComplex(f.n.fact(input).type)) return std::nullopt;
  auto rows = f.number((*dims)[dims->size() - 2]), columns = f.number(dims->back());
  if (!rows || !columns) return std::nullopt;
  return Matrices{*rows, *columns, Dims(dims->begin(), dims->end() - 2)};
}

std::optional<Matrix> matrixOf(Formula& f, std::size_t input) {
  auto its = matricesOf(f, input);
  if (!its || !info(f.elem(f.in(input))).isFloat) return std::nullopt;
  return Matrix{its->columns, std::move(its->batch)};
}

Ex row(Formula& f, const Matrix& m) { return f.expand(f.count(m.n), 1); }

// Where each row comes from when the one whose element in column k is largest, of those from k on, comes to place k.
struct Pivot {
  Ex from;  // [..., n]
  Ex isSwap;
};

Pivot pivotOf(Formula& f, const Matrix& m, Ex a, Ex k) {
  Ex row = f.count(m.n);
  Ex sizes = choose(row < k, -1, apply("abs", f.squeeze(f.sliceAt(a, -1, k), -1)));
  Ex best = f.op("argmax", {sizes});  // [...]
  Ex place = f.expand(best, -1);
  return {choose(row == k, place, choose(row == place, k, f.stretched(row, m.with(f, {m.n})))), best != k};
}

Ex rowsFrom(Formula& f, const Matrix& m, Ex a, Ex from, std::int64_t columns) {
  return f.takeAlong(a, f.stretched(f.expand(from, -1), m.with(f, {m.n, columns})), -2);
}

// Gauss and Jordan: [a | b] to [1 | x].
Ex solved(Formula& f, const Matrix& m, Ex a, Ex b, std::int64_t columns) {
  auto step = [&](Ex k, const Formula::States& now) -> Formula::States {
    Ex all = rowsFrom(f, m, now[0], pivotOf(f, m, now[0], k).from, m.n + columns);
    Ex line = f.sliceAt(all, -2, k);
    Ex scaled = line / f.sliceAt(line, -1, k);
    return {choose(row(f, m) == k, scaled, all - f.sliceAt(all, -1, k) * scaled)};
  };
  return f.slice(f.steps(m.n, {f.concat({a, b}, -1)}, step)[0], -1, m.n, m.n + columns);
}

Ex adjoint(Formula& f, Ex matrices) { return f.n.flag("adjoint") ? f.swapped(matrices) : matrices; }

FormulaResults solve(Formula& f) {
  auto m = matrixOf(f, 0);
  auto right = matricesOf(f, 1);
  if (!m || !right) return {};
  return {solved(f, *m, adjoint(f, f.in(0)), f.in(1), right->columns)};
}

FormulaResults inverse(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Ex a = adjoint(f, f.in(0));
  return {solved(f, *m, a, f.stretched(f.identity(m->n, f.elem(a)), m->with(f, {m->n, m->n})), m->n)};
}

struct Elimination {
  Ex a;      // an upper triangle; below it by how much of the pivot's row each row was reduced
  Ex order;  // [..., n]: which row of the matrix stands where
  Ex sign;   // [...]: of that order
};

Elimination triangle(Formula& f, const Matrix& m) {
  auto step = [&](Ex k, const Formula::States& now) -> Formula::States {
    Pivot pivot = pivotOf(f, m, now[0], k);
    Ex a = rowsFrom(f, m, now[0], pivot.from, m.n), line = f.sliceAt(a, -2, k), corner = f.sliceAt(line, -1, k);
    Ex below = row(f, m) > k, column = f.count(m.n);
    Ex factor = choose(corner == 0.0, 0, f.sliceAt(a, -1, k) / corner);
    Ex next = choose(below && column > k, a - factor * line, a);
    return {choose(below && column == k, factor, next), f.takeAlong(now[1], pivot.from, -1),
            choose(pivot.isSwap, -now[2], now[2])};
  };
  Ex a = f.in(0), order = f.stretched(f.count(m.n), m.with(f, {m.n})), sign = f.filled(m.batch, f.like(1, a));
  Formula::States ends = f.steps(m.n, {a, order, sign}, step);
  return {ends[0], ends[1], ends[2]};
}

FormulaResults determinant(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  return {e.sign * f.reduce("prod", f.op("diagonal", {e.a}), {-1})};
}

// By the logarithms of the diagonal, whose sum stays finite.
FormulaResults logDeterminant(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  Ex diagonal = f.op("diagonal", {e.a});
  return {e.sign * f.reduce("prod", apply("sign", diagonal), {-1}),
          f.reduce("sum", apply("log", apply("abs", diagonal)), {-1})};
}

FormulaResults lu(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  return {e.a, f.cast(e.order, f.elemOf(f.n.type("output_idx_type").value_or(Type::i32)))};
}

// From the first row down, or from the last one up.
FormulaResults triangularSolve(Formula& f) {
  auto m = matrixOf(f, 0);
  auto made = f.outletDims(0);
  if (!m || !made) return {};
  const bool lower = f.n.flag("lower") != f.n.flag("adjoint");
  Ex a = adjoint(f, f.in(0));
  auto step = [&](Ex i, const Formula::States& now) -> Formula::States {
    Ex k = lower ? i : static_cast<double>(m->n - 1) - i, column = f.sliceAt(a, -1, k), place = row(f, *m);
    Ex line = f.sliceAt(now[0], -2, k) / f.sliceAt(column, -2, k);
    Ex later = lower ? place > k : place < k;
    return {choose(place == k, line, choose(later, now[0] - column * line, now[0]))};
  };
  return {f.steps(m->n, {f.stretched(f.in(1), *made)}, step)[0]};
}

FormulaResults cholesky(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  auto step = [&](Ex k, const Formula::States& now) -> Formula::States {
    Ex column = f.sliceAt(now[0], -1, k);
    Ex scaled = choose(row(f, *m) < k, 0, column / apply("sqrt", f.sliceAt(column, -2, k)));
    Ex rest = now[0] - f.op("batch_matmul", {scaled, f.swapped(scaled)});
    return {rest, choose(f.count(m->n) == k, scaled, now[1])};
  };
  Ex a = f.in(0);
  return {f.steps(m->n, {a, f.filled(m->with(f, {m->n, m->n}), f.like(0, a))}, step)[1]};
}

// The least squares, of the shortest solution where there are several: by the product of the matrix with its transpose,
// in double precision.
FormulaResults leastSquares(Formula& f) {
  auto left = matricesOf(f, 0), right = matricesOf(f, 1);
  if (!left || !right) return {};
  Ex a = f.cast(f.in(0), Elem::f64), b = f.cast(f.in(1), Elem::f64), across = f.swapped(a);
  auto product = [&](Ex x, Ex y) { return f.op("batch_matmul", {x, y}); };
  Matrix m{std::min(left->rows, left->columns), left->batch};
  Ex ridge = f.identity(m.n, Elem::f64) * f.cast(f.in(2), Elem::f64);
  Ex made = left->rows >= left->columns ? solved(f, m, product(across, a) + ridge, product(across, b), right->columns)
                                        : product(across, solved(f, m, product(a, across) + ridge, b, right->columns));
  return {f.cast(made, f.elem(f.in(0)))};
}

// Of the diagonals above, on and below the main one.
Ex tridiagonal(Formula& f, const Matrix& m, Ex above, Ex main, Ex below) {
  Ex place = row(f, m), column = f.count(m.n);
  Ex made = choose(column == place, main, main * 0.0);
  made = choose(column == place + 1.0, above, made);
  return choose(place == column + 1.0, below, made);
}

FormulaResults tridiagonalSolve(Formula& f) {
  auto diagonals = matricesOf(f, 0), right = matricesOf(f, 1);
  if (!diagonals || !right) return {};
  Matrix m{diagonals->columns, diagonals->batch};
  auto line = [&](std::int64_t i) { return f.slice(f.in(0), -2, i, i + 1); };
  auto columns = [&](std::int64_t i) { return f.swapped(line(i)); };
  return {solved(f, m, tridiagonal(f, m, columns(0), columns(1), columns(2)), f.in(1), right->columns)};
}

FormulaResults tridiagonalProduct(Formula& f) {
  auto right = matricesOf(f, 3);
  if (!right) return {};
  Matrix m{right->rows, right->batch};
  auto column = [&](std::size_t i) { return f.swapped(f.in(i)); };
  return {f.op("batch_matmul", {tridiagonal(f, m, column(0), column(1), column(2)), f.in(3)})};
}

FormulaResults cross(Formula& f) {
  auto next = [&](Ex v) { return f.op("roll", {v}, {{"axis", f.n.t.integer(-1)}, {"shift", f.n.t.integer(-1)}}); };
  Ex a = f.in(0), b = f.in(1);
  return {next(a * next(b) - next(a) * b)};
}

constexpr FormulaRow rows[] = {
    {"MatrixSolve", solve},
    {"MatrixSolveLs", leastSquares},
    {"BatchMatrixSolve", solve},
    {"BatchMatrixInverse", inverse},
    {"BatchMatrixDeterminant", determinant},
    {"BatchMatrixTriangularSolve", triangularSolve},
    {"BatchCholesky", cholesky},
    {"BatchMatrixSolveLs", leastSquares},
    {"TridiagonalSolve", tridiagonalSolve},
    {"TridiagonalMatMul", tridiagonalProduct},
    {"MatrixInverse", inverse},
    {"MatrixDeterminant", determinant},
    {"LogMatrixDeterminant", logDeterminant},
    {"Lu", lu},
    {"MatrixTriangularSolve", triangularSolve},
    {"Cholesky", cholesky},
    {"Cross", cross},
};

}  // namespace

std::span<const FormulaRow> matrixFormulas() { return rows; }

}  // namespace axle::tensorflow
