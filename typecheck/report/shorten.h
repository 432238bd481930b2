// Shortens sizes and facts for printing, using the facts that are printed with them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/solver/solver.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle {

// An inequality whose sides have positive coefficients: `h - 3 >= 0` becomes `h >= 3`. Other relations stay as they
// are.
DimComparison withPositiveSides(Solver& solver, DimComparison fact);

// The sizes of which a fact says that they are at least 1 or more: `d >= 3`.
std::vector<DimVar> sizesAboveZero(Solver& solver, const std::vector<DimFact>& facts);
// An inequality between multiples of such sizes, without them: beside `d >= 1`, `r*d >= d` is `r >= 1`. Other facts
// stay as they are.
DimComparison withoutFactors(Solver& solver, const DimComparison& fact, const std::vector<DimVar>& aboveZero);

// x and y if `difference` = 0 states that y divides x: x % y = 0, or c*x = c*y*(x / y).
std::optional<std::pair<Dim, Dim>> exactDivision(DimStore& dims, Dim difference);

// What two equations say together if the one says that a number divides a size, and the other that a number divides the
// quotient: `d % 2 == 0` and `(d / 2) % 3 == 0` are `d % 6 == 0`.
std::optional<DimComparison> divisibilityOfBoth(Solver& solver, const DimComparison& whole,
                                                const DimComparison& quotient);

// Replaces h*(d / h) by d if d % h == 0 is one of `facts`, for each division that is known to be exact.
Dim withExactQuotients(Solution& solution, Dim d, const std::vector<DimFact>& facts);

// Shortens sizes under the facts of one line.
class Shortener {
 public:
  using Print = std::function<std::string(Dim)>;

  Shortener(Solver& solver, std::vector<DimFact> facts) : solver_(solver), facts_(std::move(facts)) {}

  // The equal size whose text is shortest. `d` must be resolved; so is the result.
  Dim size(Dim d, const Print& print) const;
  // The remainder r if `difference` = 0 is equivalent to r = 0.
  std::optional<Dim> remainder(Dim difference) const;

 private:
  bool isPositive(Dim d) const;

  Solver& solver_;
  std::vector<DimFact> facts_;
};

}  // namespace axle
