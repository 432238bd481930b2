// Facts about sizes, decided by all tiers: the normal form, and what it leaves open by the tiers of dims/decide.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/solver.h"

namespace axle {

// Decides a fact under the assumptions in scope. Of a refuted one also sizes that show it, in words, and the
// assumptions that it takes. Leaves the tier in `solver.decidedBy` and, of an open fact, whether it is past the limits
// in `solver.gaveUp`.
FactVerdict decideFact(Solver& solver, const DimComparison& fact, std::string* counterexample = nullptr,
                       std::vector<DimFact>* because = nullptr);
// Whether all sizes that satisfy `given` satisfy `fact`; whether some do, found and evaluated. Both resolved.
bool factFollows(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given);
bool factIsSatisfiable(Solver& solver, const DimComparison& fact, const std::vector<DimFact>& given);

// Puts other assumptions in the place of those in scope, until its own scope ends, by an exception too.
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

// Asks all tiers of every suspended fact for which `choose` holds. Returns true where something moved.
bool settleFacts(Solver& solver, const std::function<bool(const Constraint&)>& choose);

// Where a suspended fact of another application than the first conflict's cannot hold, as 60*b = 64*b, puts that
// conflict first: the other one follows from it.
void preferRefutedFact(Solver& solver);

// Of facts and equations between sizes: which tier decided how many.
decide::Statistics decisionStatistics(const Solver& solver);

}  // namespace axle
