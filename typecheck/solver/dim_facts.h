// Facts about sizes, decided by their normal forms alone: tier 1 of docs/solver.md.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

enum class FactVerdict { proved, refuted, open };

// Proved: true wherever the assumptions in scope hold and all divisors are >= 1, which they are known to be.
FactVerdict decideByNormalForm(Solver& solver, Dim left, FactRelation relation, Dim right);

// A fact as `difference` relation 0, the relation one of ==, != and >=, the latter tight.
std::pair<FactRelation, Dim> normaliseFact(Solver& solver, const DimComparison& fact);
// `difference` >= 0 in its tightest form: divided by the common factor, quotients cleared (x / 2 >= 1 is x >= 2).
Dim tightenInequality(Solver& solver, Dim difference);

// `quotient` was written as a division by `divisor`: where its normal form shows that no more, asks for the fact that
// the divisor is >= 1.
void requireDivisor(Solver& solver, Dim quotient, Dim divisor, Span written);

// Asks for a fact: adds it as a constraint.
void addFact(Solver& solver, Dim left, FactRelation relation, Dim right, ReasonId reason);

// ---- for the solver's own files -----------------------------------------------------------------------------------

// The same as `decideByNormalForm`, given that all divisors are >= 1. What is refuted there holds nowhere else either.
FactVerdict decideGivenDivisors(Solver& solver, Dim left, FactRelation relation, Dim right);
// The same of what `normaliseFact` gives.
FactVerdict decideNormalised(Solver& solver, FactRelation relation, Dim difference);
// What a size divides by and what is not known to be >= 1: where it is less there is no such size.
std::vector<Dim> openDivisors(Solver& solver, Dim left, Dim right);
// Sizes are >= 0; so are sums and products of what is, and quotients and remainders of it, by divisors >= 1.
bool isNonNegative(const Solver& solver, Dim d);
// The common factor of the terms that have variables (0 where none has), and the constant term.
std::pair<std::int64_t, std::int64_t> contentOf(const Solver& solver, Dim d);
// Whether `difference` relation 0 follows from one assumption of the same form, up to a constant.
bool isEntailed(Solver& solver, Dim difference, FactRelation relation);

}  // namespace axle
