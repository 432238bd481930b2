// The rule of einsum: equal letters are equal sizes; the dimensions of ellipses are broadcast.
#include <map>

#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/einsum.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

Progress constraint::Einsum::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const StaticTerm text = solution.types[solution.resolve(equation)];
  if (text.kind == StaticKind::var) return Progress::waiting;
  if (text.kind != StaticKind::text) return Progress::failed;
  auto parsed = parseEinsum(text.text, operands.size());
  if (!parsed) return failAttribute(solver, reason, "\"" + text.text + "\": " + parsed.error());
  std::map<char, Dim> sizes;
  auto addSizes = [&](const std::string& letters, Shape& into) {
    for (char letter : letters) {
      auto [size, isNew] = sizes.try_emplace(letter);
      if (isNew) size->second = freshDimTerm(solver, std::string(1, letter));
      into.push_back(ShapePart::of(size->second));
    }
  };
  std::optional<Shape> batch;
  auto shapeOf = [&](const EinsumTerm& term, const Shape& middle) {
    Shape shape;
    addSizes(term.before, shape);
    if (term.ellipsis) shape.insert(shape.end(), middle.begin(), middle.end());
    addSizes(term.after, shape);
    return shape;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const EinsumTerm& term = parsed->operands[i];
    Shape middle{ShapePart::of(freshShape(solver, "s"))};
    if (!unifyShape(solver, shapeOf(term, middle), operands[i], reason)) return Progress::failed;
    if (!term.ellipsis) continue;
    if (!batch) {
      batch = middle;
      continue;
    }
    Shape both{ShapePart::of(freshShape(solver, "s"))};
    addConstraint(solver, reason, Broadcast{both, *batch, middle});
    batch = std::move(both);
  }
  for (const auto& [letter, size] : sizes)
    if (parsed->result.letters().find(letter) == std::string::npos) requireWhole(solver, size, reason);
  return doneIf(unifyShape(solver, result, shapeOf(parsed->result, batch.value_or(Shape{})), reason));
}

}  // namespace axle
