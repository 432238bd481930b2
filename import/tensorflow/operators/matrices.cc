// Linear algebra by elimination, step by step: solutions, inverses, determinants, triangular factors.
#include <algorithm>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::matrices {
namespace {

constexpr std::string_view square = "(t s @ [m, m]) -> t s @ [m, m]";

struct Matrix {
  std::int64_t n = 0;
  Dims batch;
  Dims with(NodeFormula& f, std::initializer_list<std::int64_t> more) const {
    Dims dims = batch;
    for (std::int64_t size : more) dims.push_back(f.dim(size));
    return dims;
  }
};

// Stacks of matrices whose rows and columns are known numbers.
struct Matrices {
  std::int64_t rows = 0, columns = 0;
  Dims batch;
};

std::optional<Matrices> matricesOf(NodeFormula& f, std::size_t input) {
  auto dims = f.dims(input);
  if (!dims || dims->size() < 2 || isComplex(f.n.fact(input).type)) return std::nullopt;
  auto rows = f.number((*dims)[dims->size() - 2]), columns = f.number(dims->back());
  if (!rows || !columns) return std::nullopt;
  return Matrices{*rows, *columns, Dims(dims->begin(), dims->end() - 2)};
}

std::optional<Matrix> matrixOf(NodeFormula& f, std::size_t input) {
  auto its = matricesOf(f, input);
  if (!its || !info(f.elem(f.in(input))).isFloat) return std::nullopt;
  return Matrix{its->columns, std::move(its->batch)};
}

Expr row(NodeFormula& f, const Matrix& m) { return f.expand(f.count(m.n), 1); }

// The exchange of rows that brings the row with the largest element of column k, from row k on, to position k.
struct Pivot {
  Expr from;  // [..., n]: for each row, its index before
  Expr isSwap;
};

Pivot pivotOf(NodeFormula& f, const Matrix& m, Expr a, Expr k) {
  Expr row = f.count(m.n);
  Expr sizes = choose(row < k, -1, apply("abs", f.squeeze(f.sliceAt(a, -1, k), -1)));
  Expr best = f.op("argmax", {sizes});  // [...]
  Expr place = f.expand(best, -1);
  return {choose(row == k, place, choose(row == place, k, f.stretched(row, m.with(f, {m.n})))), best != k};
}

Expr rowsFrom(NodeFormula& f, const Matrix& m, Expr a, Expr from, std::int64_t columns) {
  return f.takeAlong(a, f.stretched(f.expand(from, -1), m.with(f, {m.n, columns})), -2);
}

// Gauss-Jordan elimination: turns [a | b] into [1 | x].
Expr solved(NodeFormula& f, const Matrix& m, Expr a, Expr b, std::int64_t columns) {
  auto step = [&](Expr k, const States& now) -> States {
    Expr all = rowsFrom(f, m, now[0], pivotOf(f, m, now[0], k).from, m.n + columns);
    Expr line = f.sliceAt(all, -2, k);
    Expr scaled = line / f.sliceAt(line, -1, k);
    return {choose(row(f, m) == k, scaled, all - f.sliceAt(all, -1, k) * scaled)};
  };
  return f.slice(f.steps(m.n, {f.concat({a, b}, -1)}, step)[0], -1, m.n, m.n + columns);
}

Expr adjoint(NodeFormula& f, Expr matrices) { return f.n.flag("adjoint") ? f.swapped(matrices) : matrices; }

FormulaResults solveFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  auto right = matricesOf(f, 1);
  if (!m || !right) return {};
  return {solved(f, *m, adjoint(f, f.in(0)), f.in(1), right->columns)};
}

FormulaResults matrixInverseFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Expr a = adjoint(f, f.in(0));
  return {solved(f, *m, a, f.stretched(f.identity(m->n, f.elem(a)), m->with(f, {m->n, m->n})), m->n)};
}

struct Elimination {
  Expr a;      // an upper triangle; below it the factors that eliminated the elements there
  Expr order;  // [..., n]: by position, the row of the matrix
  Expr sign;   // [...]: the sign of that permutation
};

Elimination triangle(NodeFormula& f, const Matrix& m) {
  auto step = [&](Expr k, const States& now) -> States {
    Pivot pivot = pivotOf(f, m, now[0], k);
    Expr a = rowsFrom(f, m, now[0], pivot.from, m.n), line = f.sliceAt(a, -2, k), corner = f.sliceAt(line, -1, k);
    Expr below = row(f, m) > k, column = f.count(m.n);
    Expr factor = choose(corner == 0.0, 0, f.sliceAt(a, -1, k) / corner);
    Expr next = choose(below && column > k, a - factor * line, a);
    return {choose(below && column == k, factor, next), f.takeAlong(now[1], pivot.from, -1),
            choose(pivot.isSwap, -now[2], now[2])};
  };
  Expr a = f.in(0), order = f.stretched(f.count(m.n), m.with(f, {m.n})), sign = f.filled(m.batch, f.like(1, a));
  States ends = f.steps(m.n, {a, order, sign}, step);
  return {ends[0], ends[1], ends[2]};
}

FormulaResults determinantFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  return {e.sign * f.reduce("prod", f.op("diagonal", {e.a}), {-1})};
}

// Sums the logarithms of the diagonal, because their sum stays finite where the product would not.
FormulaResults logDeterminantFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  Expr diagonal = f.op("diagonal", {e.a});
  return {e.sign * f.reduce("prod", apply("sign", diagonal), {-1}),
          f.reduce("sum", apply("log", apply("abs", diagonal)), {-1})};
}

FormulaResults luFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m);
  return {e.a, f.cast(e.order, f.elemOf(f.n.type("output_idx_type").value_or(Type::i32)))};
}

// Substitutes from the first row down, or from the last one up.
FormulaResults triangularSolveFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  auto made = f.outletDims(0);
  if (!m || !made) return {};
  const bool lower = f.n.flag("lower") != f.n.flag("adjoint");
  Expr a = adjoint(f, f.in(0));
  auto step = [&](Expr i, const States& now) -> States {
    Expr k = lower ? i : static_cast<double>(m->n - 1) - i, column = f.sliceAt(a, -1, k), place = row(f, *m);
    Expr line = f.sliceAt(now[0], -2, k) / f.sliceAt(column, -2, k);
    Expr later = lower ? place > k : place < k;
    return {choose(place == k, line, choose(later, now[0] - column * line, now[0]))};
  };
  return {f.steps(m->n, {f.stretched(f.in(1), *made)}, step)[0]};
}

FormulaResults choleskyFormula(NodeFormula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  auto step = [&](Expr k, const States& now) -> States {
    Expr column = f.sliceAt(now[0], -1, k);
    Expr scaled = choose(row(f, *m) < k, 0, column / apply("sqrt", f.sliceAt(column, -2, k)));
    Expr rest = now[0] - f.op("batch_matmul", {scaled, f.swapped(scaled)});
    return {rest, choose(f.count(m->n) == k, scaled, now[1])};
  };
  Expr a = f.in(0);
  return {f.steps(m->n, {a, f.filled(m->with(f, {m->n, m->n}), f.like(0, a))}, step)[1]};
}

// Least squares by the normal equations, in double precision; the shortest solution if there are several.
FormulaResults leastSquaresFormula(NodeFormula& f) {
  auto left = matricesOf(f, 0), right = matricesOf(f, 1);
  if (!left || !right) return {};
  Expr a = f.cast(f.in(0), Elem::f64), b = f.cast(f.in(1), Elem::f64), across = f.swapped(a);
  auto product = [&](Expr x, Expr y) { return f.op("batch_matmul", {x, y}); };
  Matrix m{std::min(left->rows, left->columns), left->batch};
  Expr ridge = f.identity(m.n, Elem::f64) * f.cast(f.in(2), Elem::f64);
  Expr made = left->rows >= left->columns
                  ? solved(f, m, product(across, a) + ridge, product(across, b), right->columns)
                  : product(across, solved(f, m, product(a, across) + ridge, b, right->columns));
  return {f.cast(made, f.elem(f.in(0)))};
}

// The matrix with the given diagonals above, on and below the main one.
Expr tridiagonal(NodeFormula& f, const Matrix& m, Expr above, Expr main, Expr below) {
  Expr place = row(f, m), column = f.count(m.n);
  Expr made = choose(column == place, main, main * 0.0);
  made = choose(column == place + 1.0, above, made);
  return choose(place == column + 1.0, below, made);
}

FormulaResults tridiagonalSolveFormula(NodeFormula& f) {
  auto diagonals = matricesOf(f, 0), right = matricesOf(f, 1);
  if (!diagonals || !right) return {};
  Matrix m{diagonals->columns, diagonals->batch};
  auto line = [&](std::int64_t i) { return f.slice(f.in(0), -2, i, i + 1); };
  auto columns = [&](std::int64_t i) { return f.swapped(line(i)); };
  return {solved(f, m, tridiagonal(f, m, columns(0), columns(1), columns(2)), f.in(1), right->columns)};
}

FormulaResults tridiagonalProductFormula(NodeFormula& f) {
  auto right = matricesOf(f, 3);
  if (!right) return {};
  Matrix m{right->rows, right->batch};
  auto column = [&](std::size_t i) { return f.swapped(f.in(i)); };
  return {f.op("batch_matmul", {tridiagonal(f, m, column(0), column(1), column(2)), f.in(3)})};
}

FormulaResults crossFormula(NodeFormula& f) {
  auto next = [&](Expr v) { return f.op("roll", {v}, {{"axis", f.n.t.integer(-1)}, {"shift", f.n.t.integer(-1)}}); };
  Expr a = f.in(0), b = f.in(1);
  return {next(a * next(b) - next(a) * b)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                         type                                             value  formula
    {"Cholesky",                    square,                                          {},    choleskyFormula},
    {"MatrixInverse",               square,                                          {},    matrixInverseFormula},
    {"MatrixExponential",           square},
    {"MatrixLogarithm",             square},
    {"MatrixSquareRoot",            square},
    {"MatrixDeterminant",           "(t s @ [m, m]) -> t s",                         {},    determinantFormula},
    {"LogMatrixDeterminant",        "(t s @ [m, m]) -> (t s, t s)",                  {},    logDeterminantFormula},
    {"MatrixSolve",                 "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]",  {},    solveFormula},
    {"MatrixTriangularSolve",       "(t a @ [m, m], t b @ [m, k]) -> t (a # b) @ [m, k]",
                                                                                     {},    triangularSolveFormula},
    {"MatrixSolveLs",               "(t s @ [m, n], t s @ [m, k], u []) -> t s @ [n, k]",
                                                                                     {},    leastSquaresFormula},
    {"CholeskyGrad",                "(t s @ [m, m], t s @ [m, m]) -> t s @ [m, m]"},
    {"Lu",                          "(t s @ [m, m]) -> (t s @ [m, m], i s @ [m])",   {},    luFormula},
    {"Cross",                       "(t s @ [3], t s @ [3]) -> t s @ [3]",           {},    crossFormula},
    {"BatchCholesky",               square,                                          {},    choleskyFormula},
    {"BatchMatrixInverse",          square,                                          {},    matrixInverseFormula},
    {"BatchCholeskyGrad",           "(t s @ [m, m], t s @ [m, m]) -> t s @ [m, m]"},
    {"BatchMatrixDeterminant",      "(t s @ [m, m]) -> t s",                         {},    determinantFormula},
    {"BatchMatrixSolve",            "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]",  {},    solveFormula},
    {"BatchMatrixTriangularSolve",  "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]",  {},    triangularSolveFormula},
    {"BatchMatrixSolveLs",          "(t s @ [m, n], t s @ [m, k], u []) -> t s @ [n, k]",
                                                                                     {},    leastSquaresFormula},
    {"BandedTriangularSolve",       "(t a @ [q, m], t b @ [m, k]) -> t (a # b) @ [m, k]"},
    {"TridiagonalSolve",            "(t s @ [3, m], t s @ [m, k]) -> t s @ [m, k]",  {},    tridiagonalSolveFormula},
    {"TridiagonalMatMul",           "(t s @ [1, m], t s @ [1, m], t s @ [1, m], t s @ [m, k]) -> t s @ [m, k]",
                                                                                     {},    tridiagonalProductFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::matrices
