// Derives consequences of several suspended equations of shapes that no single one of them implies.
#pragma once

#include <functional>

#include "typecheck/solver/solver.h"

namespace axle {

// Whether two resolved shapes are the same part by part.
bool isSameShape(const Shape& a, const Shape& b);

// Equates shapes that equal the same shape, if that binds a variable or cannot hold: if `s @ [m, k]` and `s @ [m, n]`
// are both `[2] @ r`, then k = n; if `s @ r` is `[5] @ p @ r`, then s is `[5] @ p`. Looks at suspended equations for
// which `choose` holds. True if something changed.
bool equateEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Equates the results of suspended shape functions with equal operands, such as `size(s)` in two places, and keeps one
// of the functions. Shapes that suspended equations make equal count as equal. Looks at constraints for which `choose`
// holds. True if something changed.
bool equateEqualFunctions(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Replaces an operand of a broadcast by an equal shape that ends with more sizes: in `s # [2]`, where s is `r @ [3,
// n]`, n is broadcast with 2. Looks at constraints for which `choose` holds. True if something changed.
bool broadcastEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

}  // namespace axle
