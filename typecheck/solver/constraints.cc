#include "typecheck/solver/constraints.h"

#include "typecheck/solver/rules.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr std::size_t copiedConstraint = 8;  // work per copied constraint, in parts of shapes

void watch(Solver& solver, std::uint32_t slot) {
  OpenVariables variables;
  collectVariables(solver, solver.slots[slot].constraint, variables);
  auto note = [slot](TrailedLists<std::uint32_t>& watch, std::uint32_t variable) {
    if (watch[variable].empty() || watch[variable].back() != slot) watch.push_back(variable, slot);
  };
  for (TypeVar v : variables.types) note(solver.typeWatch, v.index);
  for (ElemVar v : variables.elems) note(solver.elemWatch, v.index);
  for (ShapeVar v : variables.shapes) note(solver.shapeWatch, v.index);
  for (DimVar v : variables.dims) note(solver.dimWatch, v.index);
  for (StaticVar v : variables.statics) note(solver.staticWatch, v.index);
}

}  // namespace

void addConstraint(Solver& solver, Constraint constraint) {
  const auto index = static_cast<std::uint32_t>(solver.slots.size());
  solver.slots.push_back({std::move(constraint), true, true});
  solver.live.push_back(index);
  solver.queue.push(index);
}

void wake(Solver& solver, TrailedLists<std::uint32_t>& watch, std::uint32_t variable) {
  for (std::uint32_t index : watch[variable])
    if (solver.slots[index].live && !solver.slots[index].queued) {
      solver.slots.edit(index).queued = true;
      solver.queue.push(index);
    }
  watch.clear(variable);
}

void solve(Solver& solver) {
  while (!solver.queue.empty()) {
    const std::uint32_t index = solver.queue.pop();
    solver.slots.edit(index).queued = false;
    if (!solver.slots[index].live) continue;
    solver.solution.work(copiedConstraint);
    Constraint constraint = solver.slots[index].constraint;
    Progress progress = std::visit([&](auto& kind) { return kind.run(solver, constraint.reason); }, constraint.is);
    if (progress == Progress::waiting) {
      solver.slots.edit(index).constraint = std::move(constraint);
      watch(solver, index);
    } else {
      removeConstraint(solver, index);
      solver.settledByNormalForm += comparisonOf(constraint).has_value();
    }
  }
}

Constraint removeConstraint(Solver& solver, std::uint32_t slot) {
  Solver::Slot& removed = solver.slots.edit(slot);
  removed.live = false;
  return std::exchange(removed.constraint, {});
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
  std::vector<std::uint32_t> kept, taken;
  solver.solution.work(solver.live.size());
  const std::size_t count = solver.live.size();
  for (std::size_t i = 0; i < count; ++i)
    if (const std::uint32_t index = solver.live[i]; solver.slots[index].live)
      (choose(solver.slots[index].constraint) ? taken : kept).push_back(index);
  std::vector<Constraint> out;
  for (std::uint32_t index : taken) out.push_back(removeConstraint(solver, index));
  solver.live.replace(std::move(kept));
  return out;
}

}  // namespace axle
