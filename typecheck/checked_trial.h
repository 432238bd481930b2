// Trying more definitions and questions on a checked program, and taking them back.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/solver/trial.h"

namespace axle {

// Leaves the checked program as it was when the trial began, unless it is committed: also where an exception ends it.
// Whatever is asked within, later checks find the same types, and the budgets of the solver as full. What was made
// within the trial (bindings, expressions, types, sizes) is gone then, so nothing outside may keep it. Trials are
// nested, and the last one begun is the first one ended; it costs what the program's own names and schemes are.
class CheckedTrial {
 public:
  explicit CheckedTrial(Checked& checked);
  ~CheckedTrial();
  CheckedTrial(const CheckedTrial&) = delete;
  CheckedTrial& operator=(const CheckedTrial&) = delete;

  // Keeps what was done, and ends the trial. An outer one can still take it back.
  void commit();

 private:
  void rollback() noexcept;

  Checked& checked_;
  // What only grows.
  struct Sizes {
    std::size_t exprs, lets, bindings, weights, composites, topLevel, moduleScopes, numbers, proofs;
  } sizes_;
  // What changes in place.
  Scope programScope_;
  std::vector<TopLevelName> rootNames_;
  std::map<std::uint32_t, Scheme> schemes_;  // of the program's bindings
  std::map<std::uint32_t, bool> failed_;
  bool gaveUp_;
  decide::Decider decider_;
  std::optional<Trial> solver_;  // none once the trial is ended
};

}  // namespace axle
