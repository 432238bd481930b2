// Sizes that variables can be given so that a size becomes another one, or a fact holds.
#pragma once

#include <utility>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// The variables of `dim` that `other` does not have.
std::vector<DimVar> variablesOnlyIn(const Solver& solver, Dim dim, Dim other);

// A size for each of some variables. No variable stands in the size of another one.
using Chosen = std::vector<std::pair<DimVar, Dim>>;

// Ways to make of `dim` the size `wanted`; both are resolved.
std::vector<Chosen> choicesForEqual(Solver& solver, Dim dim, Dim wanted);

// Ways to make a fact hold for all values of its other variables; its sides are resolved.
std::vector<Chosen> choicesForFact(Solver& solver, const DimComparison& fact);

}  // namespace axle
