// Broadcasting: aligns shapes at the trailing end and stretches sizes of 1 (docs/shapes.md, Broadcasting).
#include <algorithm>

#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Returns `m` of a size declared `n : 1 or m`.
std::optional<Dim> stretchTarget(Solver& solver, Dim size) {
  Solution& solution = solver.solution;
  auto v = solution.dims.asVariable(size);
  if (!v || !solution.dimVars[v->index].stretchesTo) return std::nullopt;
  return solution.resolve(*solution.dimVars[v->index].stretchesTo);
}

// If each of two sizes is declared 1 or the same other size, returns that other size.
std::optional<Dim> commonStretchTarget(Solver& solver, Dim a, Dim b) {
  auto x = stretchTarget(solver, a), y = stretchTarget(solver, b);
  return x && x == y ? x : std::nullopt;
}

// Whether a size is a number, or a name the user declared to be no fixed number.
bool isFixed(const Solver& solver, Dim d) {
  const auto all = solver.solution.dims.variables(d);
  return std::all_of(all.begin(), all.end(), [&](DimVar v) { return solver.solution.dimVars[v.index].promised; });
}

// Whether one size is a ragged length and the other a number, which are never equal.
bool isLengthAndNumber(Solver& solver, Dim a, Dim b) {
  Solution& solution = solver.solution;
  if (solution.dims.asConstant(a)) std::swap(a, b);
  return solution.dims.asConstant(b) && solution.kindOf(a) == DimKind::ragged;
}

// Returns the size of a # b, or a variable for it while it is open which of the two it is.
Dim broadcastSize(Solver& solver, const ShapePart& x, const ShapePart& y, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Dim one = dims.constant(1), a = solution.resolve(x.dim), b = solution.resolve(y.dim);
  if (dims.isUndefined(a) || dims.isUndefined(b)) {
    failSizes(solver, ConflictKind::overflow, x, y, reason);
    return a;
  }
  if (a == b || b == one) return a;
  if (a == one) return b;
  auto constA = dims.asConstant(a), constB = dims.asConstant(b);
  if (constA && constB) {
    unifyDim(solver, x, y, reason);
    return a;
  }
  for (const auto& [small, large] : {std::pair(a, b), std::pair(b, a)})
    if (stretchTarget(solver, small) == large) return large;
  Dim result = constA ? a : constB ? b : freshDimTerm(solver, dims.name(dims.variables(a)[0]));
  if (auto to = commonStretchTarget(solver, a, b))
    solution.dimVars.edit(dims.asVariable(result)->index).stretchesTo = to;
  addConstraint(solver, reason, constraint::BroadcastDim{ShapePart::of(result), x, y});
  return result;
}

}  // namespace

Progress constraint::BroadcastDim::run(Solver& solver, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  const ShapePart a = solver.solution.resolve(left), b = solver.solution.resolve(right);
  const Dim one = dims.constant(1);
  if (a.dim == b.dim || b.dim == one) return doneIf(unifyDim(solver, result, a, reason));
  if (a.dim == one) return doneIf(unifyDim(solver, result, b, reason));
  for (const auto& [small, large] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (stretchTarget(solver, small->dim) == large->dim) return doneIf(unifyDim(solver, result, *large, reason));
  const bool areFixed = isFixed(solver, a.dim) && isFixed(solver, b.dim);
  if (!areFixed && !isLengthAndNumber(solver, a.dim, b.dim)) return Progress::waiting;
  unifyDim(solver, left, right, reason);
  return Progress::failed;
}

namespace {

bool mentionsAny(const DimStore& dims, Dim d, const std::vector<DimVar>& variables) {
  const auto all = dims.variables(d);
  return std::any_of(variables.begin(), variables.end(),
                     [&](DimVar v) { return std::binary_search(all.begin(), all.end(), v); });
}

// The variables of sizes that open equations of shapes may make 1: `n` of `[1] @ s == r @ [n]`.
std::vector<DimVar> possibleOnes(Solver& solver) {
  Solution& solution = solver.solution;
  std::vector<DimVar> found;
  for (const Pending<constraint::ShapeEqual>& equation : pendingOf<constraint::ShapeEqual>(solver)) {
    const Shape sides[] = {solution.resolve(equation->left), solution.resolve(equation->right)};
    for (const auto& [given, open] : {std::pair(sides[0], sides[1]), std::pair(sides[1], sides[0])}) {
      const bool hasOne = std::ranges::any_of(
          given, [&](const ShapePart& part) { return !part.isVar && part.dim == solution.dims.constant(1); });
      if (!hasOne) continue;
      for (const ShapePart& part : open)
        if (const auto v = part.isVar ? std::nullopt : solution.dims.asVariable(part.dim)) found.push_back(*v);
    }
  }
  return found;
}

}  // namespace

void equateBroadcastSizes(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  Solution& solution = solver.solution;
  auto chosen =
      takeConstraints(solver, [&](const Constraint& c) { return c.as<constraint::BroadcastDim>() && choose(c); });
  const std::vector<DimVar> ones = chosen.empty() ? std::vector<DimVar>() : possibleOnes(solver);
  for (Constraint& c : chosen) {
    auto& sizes = std::get<constraint::BroadcastDim>(c.is);
    Progress progress = sizes.run(solver, c.reason);
    const Dim left = solution.resolve(sizes.left.dim), right = solution.resolve(sizes.right.dim);
    const bool staysOpen = commonStretchTarget(solver, left, right) || mentionsAny(solution.dims, left, ones) ||
                           mentionsAny(solution.dims, right, ones);
    if (progress == Progress::waiting && staysOpen) {
      addConstraint(solver, std::move(c));
      continue;
    }
    // `n : 1 or m` broadcast with another size: the other size is m.
    for (auto [small, large] : {std::pair(&sizes.left, &sizes.right), std::pair(&sizes.right, &sizes.left)}) {
      auto v = solution.dims.asVariable(solution.resolve(small->dim));
      if (progress != Progress::waiting || !v || !solution.dimVars[v->index].stretchesTo) continue;
      unifyDim(solver, ShapePart::of(*solution.dimVars[v->index].stretchesTo), *large, c.reason);
      progress = sizes.run(solver, c.reason);
    }
    if (progress == Progress::waiting && unifyDim(solver, sizes.left, sizes.right, c.reason))
      unifyDim(solver, sizes.result, sizes.left, c.reason);
    solve(solver);
  }
}

namespace {

// A number other than 1 is a size of the result, whatever it is broadcast with: equates those that both have at the
// same place, counted from the trailing end. False after a conflict.
bool keepNumbers(Solver& solver, const Shape& result, const Shape& operand, ReasonId reason) {
  Solution& solution = solver.solution;
  for (std::size_t i = 1; i <= std::min(result.size(), operand.size()); ++i) {
    const ShapePart &to = result[result.size() - i], &from = operand[operand.size() - i];
    if (to.isVar || from.isVar) return true;
    const auto number = solution.dims.asConstant(solution.resolve(from.dim));
    if (number && *number != 1 && !unifyDim(solver, to, from, reason)) return false;
  }
  return true;
}

}  // namespace

// Unifies the trailing sizes that both shapes have; if one shape is a suffix of the other, the result is the longer
// one.
Progress constraint::Broadcast::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  Shape a = solution.flatten(left), b = solution.flatten(right);
  if (solution.flatten(result).empty())
    return doneIf(unifyShape(solver, result, a, reason) && unifyShape(solver, result, b, reason));
  Shape suffix;
  auto settle = [&](Shape leading) {
    leading.insert(leading.end(), suffix.begin(), suffix.end());
    return doneIf(unifyShape(solver, result, leading, reason));
  };
  while (true) {
    if (a.empty()) return settle(b);
    if (b.empty()) return settle(a);
    ShapePart x = a.back(), y = b.back();
    if (x.isVar && y.isVar && x.var == y.var) {
      suffix.insert(suffix.begin(), x);
    } else if (!x.isVar && !y.isVar) {
      std::size_t before = solver.conflicts.size();
      Dim size = broadcastSize(solver, x, y, reason);
      if (solver.conflicts.size() > before) return Progress::failed;
      suffix.insert(suffix.begin(), size == solution.resolve(x.dim)   ? x
                                    : size == solution.resolve(y.dim) ? y
                                                                      : ShapePart::of(size));
    } else {
      break;
    }
    a.pop_back();
    b.pop_back();
  }
  if (suffix.empty()) {
    const Shape known = solution.flatten(result);
    return keepNumbers(solver, known, a, reason) && keepNumbers(solver, known, b, reason) ? Progress::waiting
                                                                                          : Progress::failed;
  }
  ShapeVar rest = freshShape(solver, "s");
  addConstraint(solver, reason, Broadcast{{ShapePart::of(rest)}, a, b});
  return settle({ShapePart::of(rest)});
}

}  // namespace axle
