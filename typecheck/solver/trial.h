// Trying something and taking it back: bindings of variables, constraints, facts and everything made for them, without
// a copy of the solver.
#pragma once

#include <memory>

#include "typecheck/solver/solver.h"

namespace axle {

// Leaves the solver, its solution and its provenance as they were when the trial began, unless it is committed: also
// where an exception ends it. What was made within the trial (types, sizes, variables, reasons, origins) is gone then,
// so nothing outside may keep it. Work, and statistics of the tiers, stay counted. Trials are nested, and the last one
// begun is the first one ended.
class Trial {
 public:
  explicit Trial(Solver& solver);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Keeps what was done so far, and ends the trial. An outer one can still take it back.
  void commit();

 private:
  struct Marks;
  Solver& solver_;
  std::unique_ptr<Marks> marks_;  // none once it is ended
};

}  // namespace axle
