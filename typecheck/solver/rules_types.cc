// Rules about types and static values: a body's results stacked or repeated; the width of an element; the form of an
// attribute.
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

Progress constraint::Collect::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const TypeTerm term = solution.types[solution.resolve(element)];
  if (term.kind == TypeKind::var) return Progress::waiting;
  if (term.kind == TypeKind::error) return Progress::done;
  if (term.kind == TypeKind::function) {
    Conflict conflict = conflictOf(ConflictKind::type, reason, "a tensor", "a function", {term.origin});
    conflict.leftOrigins = 0;
    return doneIf(fail(solver, std::move(conflict)));
  }
  TypeTerm stacked = term;
  stacked.origin = {};
  if (term.kind == TypeKind::tensor) {
    stacked.shape = solution.resolve(term.shape);
    Shape before{ShapePart::of(count)};
    for (ShapePart& part : stacked.shape) {
      if (!part.isVar) part.dim = collectedSize(solver, part.dim, before, reason);
      before.push_back(part);
    }
    stacked.shape.insert(stacked.shape.begin(), ShapePart::of(count));
  } else {
    for (TypeId& part : stacked.parts) {
      const TypeId whole = freshType(solver);
      addConstraint(solver, reason, Collect{whole, part, count});
      part = whole;
    }
  }
  return doneIf(unify(solver, result, solution.types.add(std::move(stacked)), reason));
}

Progress constraint::Repeat::run(Solver& solver, ReasonId reason) {
  constexpr std::int64_t mostParts = 4096;
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm number = solution.types[solution.resolve(count)];
  if (number.kind != StaticKind::dim && number.kind != StaticKind::var)
    return failForm(solver, reason, "a whole number");
  auto value = number.kind == StaticKind::dim ? dims.asConstant(solution.resolve(number.dim)) : std::nullopt;
  if (!value) {
    // The type that receives the parts determines their number; a tuple of one part is that part.
    const TypeTerm parts = solution.types[solution.resolve(result)];
    if (parts.kind == TypeKind::var) return Progress::waiting;
    value = parts.kind == TypeKind::tuple ? static_cast<std::int64_t>(parts.parts.size()) : 1;
    StaticTerm given;
    given.kind = StaticKind::dim;
    given.dim = dims.constant(*value);
    if (!unifyStatic(solver, count, solution.types.add(std::move(given)), reason)) return Progress::failed;
  }
  if (*value < 1 || *value > mostParts)
    return failAttribute(solver, reason, std::to_string(*value) + " parts: 1 to 4096 are possible");
  TypeTerm tuple;
  tuple.kind = TypeKind::tuple;
  tuple.origin = solution.types[solution.resolve(element)].origin;
  tuple.parts.assign(static_cast<std::size_t>(*value), element);
  TypeId type = *value == 1 ? element : solution.types.add(std::move(tuple));
  return doneIf(unify(solver, result, type, reason));
}

Progress constraint::Width::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  const ElemTerm elem = solution.resolve(solution.types[solution.resolve(tensor)].elem);
  if (elem.isVar) return Progress::waiting;
  Dim bytes = solution.dims.constant(static_cast<std::int64_t>(info(elem.elem).bytes));
  return doneIf(unifyDim(solver, ShapePart::of(result), ShapePart::of(bytes), reason));
}

Progress constraint::AttributeForm::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  if (solution.types[solution.resolve(value)].kind == StaticKind::var) return Progress::waiting;
  auto wanted = expectedForm(solution, *attribute, value);
  if (!wanted) return Progress::done;
  return failAttribute(solver, reason, "`" + attribute->name.text + "` must be " + *wanted);
}

}  // namespace axle
