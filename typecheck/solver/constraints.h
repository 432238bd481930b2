// The store of suspended constraints: adding them, running their rules, and handing out those that are left.
#pragma once

#include <functional>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

void addConstraint(Solver& solver, Constraint constraint);
// Runs the rules of all constraints that were added or woken, until nothing moves.
void solve(Solver& solver);

// The suspended constraints, in the order in which they were added.
std::vector<Constraint> pendingConstraints(Solver& solver);
// Those of one kind. The pointers are valid until a constraint is added.
std::vector<const Constraint*> pendingConstraints(Solver& solver, ConstraintKind kind);
// Removes and returns the suspended constraints for which `choose` holds.
std::vector<Constraint> takeConstraints(Solver& solver, const std::function<bool(const Constraint&)>& choose);
// Equates sizes left to a later decision (LANGUAGE.md, Broadcasting): every broadcastDim for which `choose` holds.
void equateBroadcastSizes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

}  // namespace axle
