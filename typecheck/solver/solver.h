// The state of the solver: suspended constraints with what wakes them, the facts in scope, and the conflicts found. Its
// phases are free functions over it, each in a header of its own:
//   variables.h    makes variables, and collects open ones
//   unify.h        equates types, shapes, sizes, elements and static values
//   constraints.h  adds constraints, runs their rules until nothing changes, returns those still suspended
//   dim_facts.h    decides facts about sizes by their normal forms (tier 1)
//   fact_tiers.h   asks the later tiers (dims/decide) about facts that stay open
//   dim_kinds.h    run-time sizes, ragged lengths and streamed dimensions
//   equal_terms.h  equates terms that suspended constraints together make equal
//   rank_splits.h  tries the ranks that open equations of shapes allow
//   conflicts.h    records constraints that cannot hold
//   trial.h        tries something and undoes it
// docs/solver.md; the paper's section 5.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dims/decide/decider.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraint.h"
#include "typecheck/types/provenance.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/trailed.h"
#include "typecheck/types/typed.h"

namespace axle {

// A required fact that holds, with the tier that proved it.
struct FactProof {
  Constraint fact;
  decide::Tier tier;
};

struct Solver {
  Solver(Solution& s, Provenance& p) : solution(s), provenance(p) {}
  Solver(const Solver&) = delete;

  Solution& solution;
  Provenance& provenance;
  std::uint32_t level = 0;           // of new variables
  std::vector<DimFact> assumptions;  // `where` facts in scope
  std::vector<Conflict> conflicts;   // found since last taken
  // Returns the name of a size in conflicts; if empty, each size has its own name.
  std::function<std::string(DimVar)> nameOf;

  // Required facts that hold; collected only if `keepsProofs` is set.
  bool keepsProofs = false;
  std::vector<FactProof> proofs;
  // Facts about streams that hold only after a delay. They are required again at each use of the function that passes a
  // plain size instead.
  std::vector<Constraint> delays;

  // Constraints by slot, in the order in which they were added. `live` lists the slots of suspended constraints (and
  // some that no longer are); `queue` lists those whose rule is to be run.
  struct Slot {
    Constraint constraint;
    bool live = false;
    bool queued = false;
  };
  Trailed<Slot> slots;
  TrailedList<std::uint32_t> live;
  TrailedQueue<std::uint32_t> queue;
  // By variable: the slots to run again once it is bound.
  TrailedLists<std::uint32_t> typeWatch, elemWatch, shapeWatch, dimWatch, staticWatch;

  // Sizes made by an application of `map` or `loop`, by (variable, reason): one element's length of a ragged length,
  // and a ragged length of the lengths that each element computes.
  TrailedMap<std::pair<std::uint32_t, std::uint32_t>, DimVar> elementLengths, collectedLengths;

  // The tiers after the normal form; and the questions that they left open, by their dimensions, with whether the
  // limits were exceeded.
  decide::Decider decider{
      {/*steps=*/60'000, /*samples=*/600, /*z3Resources=*/100'000, /*terms=*/100'000, /*work=*/6'000'000}};
  TrailedMap<std::vector<std::uint32_t>, bool> leftOpen;
  std::uint64_t settledByNormalForm = 0;  // facts and equations between sizes
  // About the last fact given to `decideFact`: whether it is open because the limits were exceeded, and the tier that
  // decided it.
  bool gaveUp = false;
  decide::Tier decidedBy = decide::Tier::normalForm;
};

}  // namespace axle
