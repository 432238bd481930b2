// Trying a definition or a question on a program of the session, and taking it back.
#pragma once

#include <optional>
#include <vector>

#include "tools/repl/program.h"
#include "typecheck/checked_trial.h"

namespace axle::repl {

// Leaves a good program as it was when the trial began, unless it is committed: also where an exception ends it. Drops
// the modules and the sources that were added within, and rolls back the check (typecheck/checked_trial.h).
class ProgramTrial {
 public:
  explicit ProgramTrial(Program& program);
  ~ProgramTrial();
  ProgramTrial(const ProgramTrial&) = delete;
  ProgramTrial& operator=(const ProgramTrial&) = delete;

  // Keeps what was done, and ends the trial.
  void commit();

 private:
  Program& program_;
  std::size_t modules_, items_;
  std::vector<SourceId> sources_;        // those of the program's modules: it has no others
  std::optional<CheckedTrial> checked_;  // none once the trial is ended
};

}  // namespace axle::repl
