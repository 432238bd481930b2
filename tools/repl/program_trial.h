// Tries a definition or a question on a program of the session, and rolls it back.
#pragma once

#include <optional>
#include <vector>

#include "tools/repl/program.h"
#include "typecheck/checked_trial.h"

namespace axle::repl {

// Restores a good program to its state at the begin of the trial, even after an exception, unless the trial is
// committed. Drops the modules and sources added meanwhile, and rolls back the check (typecheck/checked_trial.h).
class ProgramTrial {
 public:
  explicit ProgramTrial(Program& program);
  ~ProgramTrial();
  ProgramTrial(const ProgramTrial&) = delete;
  ProgramTrial& operator=(const ProgramTrial&) = delete;

  // Keeps the changes and ends the trial.
  void commit();

 private:
  Program& program_;
  std::size_t modules_, items_;
  std::vector<SourceId> sources_;        // of the program's modules and its typed text; it has no others
  std::optional<CheckedTrial> checked_;  // none once the trial has ended
};

}  // namespace axle::repl
