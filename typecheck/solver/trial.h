// Trials: try something and undo it, including bindings of variables, constraints, facts and everything made for them,
// without a copy of the solver.
#pragma once

#include <memory>

#include "typecheck/solver/solver.h"

namespace axle {

// Restores the solver, its solution and its provenance to their state at the beginning of the trial, unless it is
// committed; also if an exception ends it. Everything made within the trial (types, sizes, variables, reasons, origins)
// is gone then, so nothing outside may keep it. Work and statistics of the tiers stay counted. Trials nest: the last
// one begun must end first.
class Trial {
 public:
  explicit Trial(Solver& solver);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Keeps everything done so far, and ends the trial. An outer trial can still undo it.
  void commit();

 private:
  struct Marks;
  Solver& solver_;
  std::unique_ptr<Marks> marks_;  // null once the trial is ended
};

}  // namespace axle
