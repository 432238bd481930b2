// The store of suspended constraints: adds constraints, runs their rules, and returns those that remain.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

void addConstraint(Solver& solver, Constraint constraint);
inline void addConstraint(Solver& solver, ReasonId reason, constraint::Any is) {
  addConstraint(solver, {reason, std::move(is)});
}
// Runs the rules of all constraints that were added or woken, until nothing changes.
void solve(Solver& solver);

// Suspended constraints, in the order in which they were added.
std::vector<Constraint> pendingConstraints(Solver& solver);
void forEachPending(Solver& solver, const std::function<void(const Constraint&)>& visit);

// A suspended constraint of one kind. Valid until a constraint is added.
template <class Kind>
struct Pending {
  ReasonId reason;
  const Kind* constraint;
  const Kind* operator->() const { return constraint; }
};
template <class Kind>
std::vector<Pending<Kind>> pendingOf(Solver& solver) {
  std::vector<Pending<Kind>> out;
  forEachPending(solver, [&](const Constraint& c) {
    if (const Kind* kind = c.as<Kind>()) out.push_back({c.reason, kind});
  });
  return out;
}

// Removes and returns the suspended constraints for which `choose` holds.
std::vector<Constraint> takeConstraints(Solver& solver, const std::function<bool(const Constraint&)>& choose);
// Equates the sizes of every BroadcastDim for which `choose` holds: sizes whose decision was deferred (docs/shapes.md,
// Broadcasting).
void equateBroadcastSizes(Solver& solver, const std::function<bool(const Constraint&)>& choose);

}  // namespace axle
