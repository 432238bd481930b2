// Sizes and facts as short as a person would write them, under the facts that hold beside them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle {

// x and y where `difference` = 0 says that y divides x: x % y = 0, or c*x = c*y*(x / y).
std::optional<std::pair<Dim, Dim>> exactDivision(DimStore& dims, Dim difference);

// h*(d / h) is d where d % h == 0 is one of `facts`: each quotient of a division known to be exact is put in terms of
// its dividend.
Dim withExactQuotients(Solution& solution, Dim d, const std::vector<DimFact>& facts);

// Sizes under the facts of one line.
class Shortener {
 public:
  using Print = std::function<std::string(Dim)>;

  Shortener(Solution& solution, std::vector<DimFact> facts) : s_(solution), facts_(std::move(facts)) {}

  // The same size under the facts, the one of the shortest text. Resolved, as `d` is.
  Dim size(Dim d, const Print& print) const;
  // The remainder that is 0 where `difference` = 0 says nothing else.
  std::optional<Dim> remainder(Dim difference) const;

 private:
  bool isPositive(Dim d) const;

  Solution& s_;
  std::vector<DimFact> facts_;
};

}  // namespace axle
