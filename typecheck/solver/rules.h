// What the rules of constraints (`constraint::*::run`) share; for the solver's own files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

inline Progress doneIf(bool unified) { return unified ? Progress::done : Progress::failed; }

// One step of an equation. Where it waits, the caller suspends it.
Progress tryShapeEqual(Solver& solver, const Shape& a, const Shape& b, ReasonId reason);
Progress tryDimEqual(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason);
// What the kinds of two dimensions say about their equation, before its variables are solved for; none where they leave
// it open.
std::optional<Progress> equateByKinds(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason);
// Solves c*k for k where the rest is of run-time sizes: k is the quotient, and that c divides is left to the run.
bool solveByQuotient(Solver& solver, Dim difference, const ShapePart& a, const ShapePart& b, ReasonId reason);
// Whether an equation may make `v` stand for `to`: lengths for lengths, streams for what streams or can.
bool mayBind(Solver& solver, DimVar v, Dim to);
void bindDim(Solver& solver, DimVar v, Dim to, ReasonId reason, OriginId origin);
bool isStreamed(Solver& solver, Dim d);
// For `difference` >= 0: a stream grows, so what grows with it is reached after a delay.
bool isReachedByStream(Solver& solver, Dim difference);
// Keeps a fact that holds where somebody asks for it: among the delays, or the proofs.
void recordProof(Solver& solver, const Constraint& fact, decide::Tier tier);
// Queues the constraints that watch a variable which is bound now.
void wake(Solver& solver, TrailedLists<std::uint32_t>& watch, std::uint32_t variable);
// Takes the constraint out of its slot.
Constraint removeConstraint(Solver& solver, std::uint32_t slot);

// The sizes of a shape whose rank is known.
std::optional<std::vector<Dim>> knownDims(Solver& solver, const Shape& shape);
// Gives a shape its rank. False where it has another. It may stay open, as that of `s @ t`: who asks waits until it is
// known.
bool fixRank(Solver& solver, const Shape& shape, std::size_t rank, ReasonId reason);
// The numbers of a static list of so many; none where it is of another form. What a static parameter of a user's
// function brings may be of any form: it is looked at where it is used.
std::optional<std::vector<Dim>> staticDims(Solver& solver, StaticId list, std::size_t count);
// A static argument is of another form than the one that is wanted.
Progress failForm(Solver& solver, ReasonId reason, const char* wanted);
// An element's size as one of the whole: a length that the application took apart is put back, one that each element
// makes for itself becomes a ragged one.
Dim collectedSize(Solver& solver, Dim d, const Shape& before, ReasonId reason);

}  // namespace axle
