// Trials on a checked program: adds definitions and asks questions, and undoes them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/solver/trial.h"

namespace axle {

// Restores the checked program to its state at the beginning of the trial, unless it is committed; also if an exception
// ends it. After it, later checks find the same types and the same remaining budgets of the solver. Everything made
// within the trial (bindings, expressions, types, sizes) is gone then, so nothing outside may keep it. Trials nest: the
// last one begun must end first. A trial costs time in proportion to the program's own names and schemes.
class CheckedTrial {
 public:
  explicit CheckedTrial(Checked& checked);
  ~CheckedTrial();
  CheckedTrial(const CheckedTrial&) = delete;
  CheckedTrial& operator=(const CheckedTrial&) = delete;

  // Keeps everything done, and ends the trial. An outer trial can still undo it.
  void commit();

 private:
  void rollback() noexcept;

  Checked& checked_;
  // Sizes of members that only grow.
  struct Sizes {
    std::size_t exprs, lets, bindings, weights, composites, topLevel, moduleScopes, scalars, proofs;
  } sizes_;
  // Copies of members that change in place.
  Scope programScope_;
  std::vector<TopLevelName> rootNames_;
  std::map<std::uint32_t, Scheme> schemes_;  // of the program's bindings
  std::map<std::uint32_t, bool> failed_;
  bool gaveUp_;
  decide::Decider decider_;
  std::optional<Trial> solver_;  // none once the trial is ended
};

}  // namespace axle
