// Formulas of linear algebra, for matrices so small that elimination may be written out step by step.
#include <numeric>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

constexpr std::int64_t largest = 32;  // rows

Ex numbers(Formula& f, std::int64_t count, bool asRows) {
  Sizes all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return f.integers(Type::i64, asRows ? Sizes{count, 1} : Sizes{count}, all);
}

// Rows of `a` on their way to the identity or to an upper triangle.
struct Elimination {
  Ex a;      // [..., n, m]
  Ex order;  // [..., n]: which row of the matrix stands where
  Ex determinant;
};

// The row whose element in column k is largest, of those from k on, comes to place k.
void pivot(Formula& f, Elimination& e, std::int64_t n, std::int64_t k) {
  Ex row = numbers(f, n, false);
  Ex sizes = choose(row < static_cast<double>(k), -1, apply("abs", f.at(e.a, -1, k)));
  Ex best = f.expand(f.op("argmax", {sizes}), -1);  // [..., 1]
  auto at = static_cast<double>(k);
  Ex from = choose(row == at, best, choose(row == best, at, row));  // [..., n]
  Ex swap = f.cast(f.expand(from, -1) == row, f.elem(e.a));
  e.a = f.op("batch_matmul", {swap, e.a});
  if (e.order.formula) e.order = f.op("take_along", {e.order, from}, {{"axis", f.n.t.integer(-1)}});
  if (e.determinant.formula) {
    Ex its = f.at(f.at(e.a, -2, k), -1, k);
    e.determinant = e.determinant * choose(f.squeeze(best, -1) == at, its, -its);
  }
}

struct Matrix {
  std::int64_t n = 0;
  Sizes batch;
};

std::optional<Matrix> matrixOf(Formula& f, std::size_t input) {
  auto sizes = f.sizes(input);
  if (!sizes || sizes->size() < 2 || isComplex(f.n.fact(input).type)) return std::nullopt;
  Matrix m{sizes->back(), Sizes(sizes->begin(), sizes->end() - 2)};
  if (m.n > largest || m.n < 1 || !info(f.elem(f.in(input))).isFloat) return std::nullopt;
  return m;
}

Ex transposed(Formula& f, Ex matrix) {
  return f.op("swap_axes", {matrix}, {{"a", f.n.t.integer(-1)}, {"b", f.n.t.integer(-2)}});
}

// Gauss and Jordan: [a | b] to [1 | x].
Ex solved(Formula& f, const Matrix& m, Ex a, Ex b, std::int64_t columns) {
  Elimination e{f.concat({a, b}, -1), {}, {}};
  Ex row = numbers(f, m.n, true);
  for (std::int64_t k = 0; k < m.n; ++k) {
    pivot(f, e, m.n, k);
    Ex line = f.slice(e.a, -2, k, k + 1);
    Ex scaled = line / f.slice(line, -1, k, k + 1);
    e.a = choose(row == static_cast<double>(k), scaled, e.a - f.slice(e.a, -1, k, k + 1) * scaled);
  }
  return f.slice(e.a, -1, m.n, m.n + columns);
}

FormulaResults solve(Formula& f) {
  auto m = matrixOf(f, 0);
  auto right = f.sizes(1);
  if (!m || !right) return {};
  Ex a = f.n.flag("adjoint") ? transposed(f, f.in(0)) : f.in(0);
  return {solved(f, *m, a, f.in(1), right->back())};
}

Ex identity(Formula& f, std::int64_t n, Elem elem) { return f.cast(numbers(f, n, true) == numbers(f, n, false), elem); }

FormulaResults inverse(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Ex a = f.n.flag("adjoint") ? transposed(f, f.in(0)) : f.in(0);
  Ex one = identity(f, m->n, f.elem(a));
  return {solved(f, *m, a, choose(f.number(1, Elem::boolean), one, a * 0.0), m->n)};
}

// To an upper triangle; below it, if `keep`, by how much of the pivot's row each row was reduced.
Elimination triangle(Formula& f, const Matrix& m, bool keep) {
  Elimination e{f.in(0), {}, {}};
  Ex ones = f.full(m.batch, f.like(1, e.a));
  if (keep) {
    Sizes shape = m.batch;
    shape.push_back(m.n);
    e.order = f.stretch(numbers(f, m.n, false), shape);
  }
  e.determinant = ones;
  Ex row = numbers(f, m.n, true), column = numbers(f, m.n, false);
  for (std::int64_t k = 0; k < m.n; ++k) {
    pivot(f, e, m.n, k);
    auto at = static_cast<double>(k);
    Ex line = f.slice(e.a, -2, k, k + 1);
    Ex factor = f.slice(e.a, -1, k, k + 1) / f.slice(line, -1, k, k + 1);
    Ex below = row > at;
    Ex next = choose(below && column > at, e.a - factor * line, e.a);
    e.a = keep ? choose(below && column == at, factor, next) : next;
  }
  return e;
}

FormulaResults determinant(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  return {triangle(f, *m, false).determinant};
}

FormulaResults logDeterminant(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Ex whole = triangle(f, *m, false).determinant;
  return {apply("sign", whole), apply("log", apply("abs", whole))};
}

FormulaResults lu(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Elimination e = triangle(f, *m, true);
  return {e.a, f.cast(e.order, f.elemOf(f.n.type("output_idx_type").value_or(Type::i32)))};
}

// From the first row down, or from the last one up.
FormulaResults triangularSolve(Formula& f) {
  auto m = matrixOf(f, 0);
  auto made = f.outletSizes(0);
  if (!m || !made) return {};
  const Value* given = f.n.attribute("lower");
  const bool* flag = given ? std::get_if<bool>(given) : nullptr;
  bool lower = flag ? *flag : true;
  Ex a = f.in(0), x = f.stretch(f.in(1), *made);
  if (f.n.flag("adjoint")) {
    a = transposed(f, a);
    lower = !lower;
  }
  Ex row = numbers(f, m->n, true);
  for (std::int64_t i = 0; i < m->n; ++i) {
    std::int64_t k = lower ? i : m->n - 1 - i;
    auto at = static_cast<double>(k);
    Ex column = f.slice(a, -1, k, k + 1);
    Ex line = f.slice(x, -2, k, k + 1) / f.slice(column, -2, k, k + 1);
    Ex later = lower ? row > at : row < at;
    x = choose(row == at, line, choose(later, x - column * line, x));
  }
  return {x};
}

FormulaResults cholesky(Formula& f) {
  auto m = matrixOf(f, 0);
  if (!m) return {};
  Ex a = f.in(0);
  std::vector<Ex> columns;
  Ex row = numbers(f, m->n, true);
  for (std::int64_t k = 0; k < m->n; ++k) {
    Ex column = f.slice(a, -1, k, k + 1);
    Ex scaled = choose(row < static_cast<double>(k), 0, column / apply("sqrt", f.slice(column, -2, k, k + 1)));
    columns.push_back(scaled);
    a = a - f.op("batch_matmul", {scaled, transposed(f, scaled)});
  }
  return {f.concat(columns, -1)};
}

FormulaResults cross(Formula& f) {
  auto next = [&](Ex v) { return f.op("roll", {v}, {{"axis", f.n.t.integer(-1)}, {"shift", f.n.t.integer(-1)}}); };
  Ex a = f.in(0), b = f.in(1);
  return {next(a * next(b) - next(a) * b)};
}

constexpr FormulaRow rows[] = {
    {"MatrixSolve", solve},
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
