// What follows of equations of shapes that are all suspended, and that no single one of them says.
#pragma once

#include <functional>

#include "typecheck/solver/solver.h"

namespace axle {

// Whether two resolved shapes are the same part by part.
bool isSameShape(const Shape& a, const Shape& b);

// Equates shapes that are equal to one shape where that makes a variable known, or cannot hold: k and n are equal where
// `s @ [m, k]` and `s @ [m, n]` are both `[2] @ r`, and s is `[5] @ p` where `s @ r` and `[5] @ p @ r` are. Looks at
// suspended equations for which `choose` holds. True if something moved.
bool equateEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Equates the results of suspended functions of shapes with equal operands, such as `size(s)` in two places, and keeps
// one of the functions. Shapes that suspended equations make equal count as equal. Looks at constraints for which
// `choose` holds. True if something moved.
bool equateEqualFunctions(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Broadcasts, in the place of a shape, an equal one that ends with more sizes: of `s # [2]`, where s is `r @ [3, n]`, n
// is broadcast by 2. Looks at constraints for which `choose` holds. True if something moved.
bool broadcastEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

}  // namespace axle
