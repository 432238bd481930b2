#include "typecheck/solver/constraints.h"

#include "typecheck/solver/rules.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr std::size_t copiedConstraint = 8;  // as work, beside a part of a shape that is looked at

void watch(Solver& solver, std::uint32_t slot) {
  OpenVariables variables;
  collectVariables(solver, solver.slots[slot].constraint, variables);
  auto note = [slot](std::vector<std::uint32_t>& watchers) {
    if (watchers.empty() || watchers.back() != slot) watchers.push_back(slot);
  };
  for (TypeVar v : variables.types) note(solver.typeWatch[v.index]);
  for (ElemVar v : variables.elems) note(solver.elemWatch[v.index]);
  for (ShapeVar v : variables.shapes) note(solver.shapeWatch[v.index]);
  for (DimVar v : variables.dims) note(solver.dimWatch[v.index]);
  for (StaticVar v : variables.statics) note(solver.staticWatch[v.index]);
}

}  // namespace

void addConstraint(Solver& solver, Constraint constraint) {
  solver.slots.push_back({std::move(constraint), true, true});
  const auto index = static_cast<std::uint32_t>(solver.slots.size() - 1);
  solver.live.push_back(index);
  solver.queue.push_back(index);
}

void wake(Solver& solver, std::vector<std::uint32_t>& watchers) {
  for (std::uint32_t index : watchers)
    if (solver.slots[index].live && !solver.slots[index].queued) {
      solver.slots[index].queued = true;
      solver.queue.push_back(index);
    }
  watchers.clear();
}

void solve(Solver& solver) {
  while (!solver.queue.empty()) {
    std::uint32_t index = solver.queue.front();
    solver.queue.pop_front();
    solver.slots[index].queued = false;
    if (!solver.slots[index].live) continue;
    solver.solution.work(copiedConstraint);
    Constraint constraint = solver.slots[index].constraint;
    Progress progress = std::visit([&](auto& kind) { return kind.run(solver, constraint.reason); }, constraint.is);
    if (progress == Progress::waiting) {
      solver.slots[index].constraint = std::move(constraint);
      watch(solver, index);
    } else {
      solver.slots[index].live = false;
      solver.slots[index].constraint = {};
      solver.settledByNormalForm += comparisonOf(constraint).has_value();
    }
  }
}

void forEachPending(Solver& solver, const std::function<void(const Constraint&)>& visit) {
  solver.solution.work(solver.live.size());
  for (std::uint32_t index : solver.live)
    if (solver.slots[index].live) visit(solver.slots[index].constraint);
}

std::vector<Constraint> pendingConstraints(Solver& solver) {
  std::vector<Constraint> out;
  solver.solution.work(copiedConstraint * solver.live.size());
  for (std::uint32_t index : solver.live)
    if (solver.slots[index].live) out.push_back(solver.slots[index].constraint);
  return out;
}

std::vector<Constraint> takeConstraints(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  std::vector<Constraint> out;
  std::vector<std::uint32_t> kept;
  solver.solution.work(solver.live.size());
  for (std::uint32_t index : std::vector<std::uint32_t>(solver.live)) {
    if (!solver.slots[index].live) continue;
    if (choose(solver.slots[index].constraint)) {
      solver.slots[index].live = false;
      out.push_back(std::move(solver.slots[index].constraint));
    } else {
      kept.push_back(index);
    }
  }
  solver.live = std::move(kept);
  return out;
}

}  // namespace axle
