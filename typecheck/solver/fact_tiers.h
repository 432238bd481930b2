// Decides facts about sizes by all tiers: by the normal form, and if that leaves them open by the tiers of dims/decide.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/solver.h"

namespace axle {

// Decides a fact under the assumptions in scope. For a refuted fact, also returns a counterexample in words and the
// assumptions it relies on. Sets `solver.decidedBy` to the tier, and for an open fact `solver.gaveUp` to whether the
// limits were exceeded.
FactVerdict decideFact(Solver& solver, const DimComparison& fact, std::string* counterexample = nullptr,
                       std::vector<DimFact>* because = nullptr);
// factFollows: whether all sizes that satisfy `given` satisfy `fact`. factIsSatisfiable: whether some do, found and
// checked by evaluation. The facts must be resolved.
bool factFollows(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given);
bool factIsSatisfiable(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given);

// Replaces the assumptions in scope until the end of its own scope, including an end by an exception.
class AssumptionsInScope {
 public:
  AssumptionsInScope(Solver& solver, std::vector<DimFact> assumptions)
      : solver_(solver), before_(std::exchange(solver.assumptions, std::move(assumptions))) {}
  ~AssumptionsInScope() { solver_.assumptions = std::move(before_); }
  AssumptionsInScope(const AssumptionsInScope&) = delete;
  AssumptionsInScope& operator=(const AssumptionsInScope&) = delete;

 private:
  Solver& solver_;
  std::vector<DimFact> before_;
};

// Asks all tiers about every suspended fact for which `choose` holds. Returns true if something changed.
bool settleFacts(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Puts the conflict of a fact before the first conflict, which follows from it: that of a fact which asks that the
// division behind a size leaves no remainder, or of a suspended fact of another application, such as 60*b = 64*b, that
// cannot hold.
void preferRefutedFact(Solver& solver);

// Returns how many facts and equations between sizes each tier decided.
decide::Statistics decisionStatistics(const Solver& solver);

}  // namespace axle
