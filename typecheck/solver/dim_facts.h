// Decides facts about sizes by their normal forms alone: tier 1 of docs/solver.md.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

enum class FactVerdict { proved, refuted, open };

// Proved: true if the assumptions in scope hold; all divisors are known to be >= 1.
FactVerdict decideByNormalForm(Solver& solver, Dim left, FactRelation relation, Dim right);

// Returns a fact as `difference` relation 0, with the relation ==, != or >=; >= is tightened.
std::pair<FactRelation, Dim> normaliseFact(Solver& solver, const DimComparison& fact);
// Returns `difference` >= 0 in its tightest form: divided by the common factor, quotients cleared (x / 2 >= 1 is x >=
// 2).
Dim tightenInequality(Solver& solver, Dim difference);

// `quotient` was written as a division by `divisor`. If its normal form no longer shows the divisor, requires that the
// divisor is >= 1.
void requireDivisor(Solver& solver, Dim quotient, Dim divisor, Span written);

// Requires a fact: adds it as a constraint.
void addFact(Solver& solver, Dim left, FactRelation relation, Dim right, ReasonId reason);

// ---- for the solver's own files -----------------------------------------------------------------------------------

// Like `decideByNormalForm`, but assumes that all divisors are >= 1. A fact refuted under this assumption is false
// without it too.
FactVerdict decideGivenDivisors(Solver& solver, Dim left, FactRelation relation, Dim right);
// The same for the result of `normaliseFact`.
FactVerdict decideNormalised(Solver& solver, FactRelation relation, Dim difference);
// Returns the divisors in the sizes that are not known to be >= 1; if one is less, the size does not exist.
std::vector<Dim> openDivisors(Solver& solver, Dim left, Dim right);
// Whether `d` is certainly >= 0: sizes are; so are sums and products of such values, and their quotients and remainders
// by divisors >= 1.
bool isNonNegative(const Solver& solver, Dim d);
// Whether `difference` relation 0 follows from one assumption of the same form, up to a constant.
bool isEntailed(Solver& solver, Dim difference, FactRelation relation);

}  // namespace axle
