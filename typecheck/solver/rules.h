// Functions shared by the rules of constraints (`constraint::*::run`); for the solver's own files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

inline Progress doneIf(bool unified) { return unified ? Progress::done : Progress::failed; }

// One step of an equation. If it waits, the caller suspends it.
Progress tryShapeEqual(Solver& solver, const Shape& a, const Shape& b, ReasonId reason);
// Solves an equation for the one number that a size without a user's name can be if what both sides share is not 0: 96
// for k in 49*b*k == 4704*b, and in 6*b*(k / 6) == 96*b where `known` has k % 6 == 0. True if it was solved.
bool solveForNumber(Solver& solver, const DimComparison& equation, const std::vector<DimFact>& known, ReasonId reason);
Progress tryDimEqual(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason);
// Decides the equation of two dimensions by their kinds, before its variables are solved for; none if the kinds leave
// it open.
std::optional<Progress> equateByKinds(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason);
// Solves c*k = a run-time size for k: k is the quotient, and the run checks that c divides it.
bool solveByQuotient(Solver& solver, Dim difference, const ShapePart& a, const ShapePart& b, ReasonId reason);
// Whether an equation may bind `v` to `to`: a ragged length only to ragged lengths, a stream only to a size that is
// streamed or may become so.
bool mayBind(Solver& solver, DimVar v, Dim to);
void bindDim(Solver& solver, DimVar v, Dim to, ReasonId reason, OriginId origin);
bool isStreamed(Solver& solver, Dim d);
// For `difference` >= 0: a stream grows, so a size that grows with it reaches 0 after a delay.
bool isReachedByStream(Solver& solver, Dim difference);
// Records a fact that holds where it is required: among the delays or the proofs.
void recordProof(Solver& solver, const Constraint& fact, decide::Tier tier);
// Queues the constraints that watch a variable that was just bound.
void wake(Solver& solver, TrailedLists<std::uint32_t>& watch, std::uint32_t variable);
// Removes the constraint from its slot.
Constraint removeConstraint(Solver& solver, std::uint32_t slot);

// Returns the sizes of a shape; none while its rank is open.
std::optional<std::vector<Dim>> knownDims(Solver& solver, const Shape& shape);
// Gives a shape its rank. False if it has another. The rank may stay open, as that of `s @ t`: the caller waits until
// it is known.
bool fixRank(Solver& solver, const Shape& shape, std::size_t rank, ReasonId reason);
// Returns the numbers of a static list of this length; none if it has another form. A static argument of a user's
// function may have any form: it is checked where it is used.
std::optional<std::vector<Dim>> staticDims(Solver& solver, StaticId list, std::size_t count);
// Records that a static argument does not have the form `wanted`.
Progress failForm(Solver& solver, ReasonId reason, const char* wanted);
// Returns an element's size as a size of the whole tensor: a length that the application split is restored; a length
// that each element computes becomes a ragged length.
Dim collectedSize(Solver& solver, Dim d, const Shape& before, ReasonId reason);

}  // namespace axle
