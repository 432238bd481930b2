#include "typecheck/solver/trial.h"

#include <iterator>

namespace axle {

namespace {

// Calls `visit` with each container of the solver that can be rolled back, and its entry in the marks.
template <class Marks, class Visit>
void forEachTrailed(Solver& solver, Marks& marks, Visit visit) {
  visit(solver.solution, marks.solution);
  visit(solver.provenance, marks.provenance);
  visit(solver.slots, marks.slots);
  visit(solver.live, marks.live);
  visit(solver.queue, marks.queue);
  visit(solver.typeWatch, marks.typeWatch);
  visit(solver.elemWatch, marks.elemWatch);
  visit(solver.shapeWatch, marks.shapeWatch);
  visit(solver.dimWatch, marks.dimWatch);
  visit(solver.staticWatch, marks.staticWatch);
  visit(solver.elementLengths, marks.elementLengths);
  visit(solver.collectedLengths, marks.collectedLengths);
  visit(solver.leftOpen, marks.leftOpen);
}

}  // namespace

struct Trial::Marks {
  Solution::Mark solution;
  Provenance::Mark provenance;
  Trailed<Solver::Slot>::Mark slots;
  TrailedList<std::uint32_t>::Mark live;
  TrailedQueue<std::uint32_t>::Mark queue;
  TrailedLists<std::uint32_t>::Mark typeWatch, elemWatch, shapeWatch, dimWatch, staticWatch;
  TrailedMap<std::pair<std::uint32_t, std::uint32_t>, DimVar>::Mark elementLengths, collectedLengths;
  TrailedMap<std::vector<std::uint32_t>, bool>::Mark leftOpen;

  // These are short and copied whole; `proofs` may be long, so the trial starts with an empty list.
  std::vector<DimFact> assumptions;
  std::vector<Conflict> conflicts;
  std::vector<Constraint> delays;
  std::vector<FactProof> proofs;
  std::uint32_t level;
  std::uint64_t settledByNormalForm;
  bool keepsProofs, gaveUp;
  decide::Tier decidedBy;
};

Trial::Trial(Solver& solver) : solver_(solver), marks_(std::make_unique<Marks>()) {
  Marks& m = *marks_;
  m.assumptions = solver.assumptions;
  m.conflicts = solver.conflicts;
  m.delays = solver.delays;
  m.proofs.swap(solver.proofs);
  m.level = solver.level;
  m.settledByNormalForm = solver.settledByNormalForm;
  m.keepsProofs = solver.keepsProofs;
  m.gaveUp = solver.gaveUp;
  m.decidedBy = solver.decidedBy;
  forEachTrailed(solver, m, [](auto& container, auto& mark) { mark = container.mark(); });
}

Trial::~Trial() {
  if (!marks_) return;
  Marks& m = *marks_;
  forEachTrailed(solver_, m, [](auto& container, const auto& mark) { container.rollback(mark); });
  solver_.assumptions = std::move(m.assumptions);
  solver_.conflicts = std::move(m.conflicts);
  solver_.delays = std::move(m.delays);
  solver_.proofs = std::move(m.proofs);
  solver_.level = m.level;
  solver_.settledByNormalForm = m.settledByNormalForm;
  solver_.keepsProofs = m.keepsProofs;
  solver_.gaveUp = m.gaveUp;
  solver_.decidedBy = m.decidedBy;
}

void Trial::commit() {
  Marks& m = *marks_;
  std::move(solver_.proofs.begin(), solver_.proofs.end(), std::back_inserter(m.proofs));
  solver_.proofs = std::move(m.proofs);
  forEachTrailed(solver_, m, [](auto& container, const auto&) { container.release(); });
  marks_.reset();
}

}  // namespace axle
