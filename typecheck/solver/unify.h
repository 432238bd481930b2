// Unification: equates two terms and binds the variables that this determines; what it cannot decide yet becomes a
// suspended constraint. Each function returns false after recording a conflict. Error types unify with everything.
#pragma once

#include "typecheck/solver/solver.h"

namespace axle {

bool unify(Solver& solver, TypeId a, TypeId b, ReasonId reason);
bool unifyShape(Solver& solver, const Shape& a, const Shape& b, ReasonId reason);
bool unifyDim(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason);
bool unifyElem(Solver& solver, ElemTerm a, ElemTerm b, OriginId originA, OriginId originB, ReasonId reason);
bool unifyStatic(Solver& solver, StaticId a, StaticId b, ReasonId reason);
// Restricts an element to a class; a conflict shows the places `asked` and `given`.
bool narrowElem(Solver& solver, ElemTerm elem, ElemClass elemClass, OriginId asked, OriginId given, ReasonId reason);

}  // namespace axle
