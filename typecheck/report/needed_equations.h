// Which equations of shapes a printed type needs: an equation of names that stand nowhere else says nothing.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

// Variables that stand elsewhere too. Others may be chosen as an equation needs it.
struct Shared {
  std::set<std::uint32_t> shapes, dims;
};

// The variables that are printed already.
class ShownVariables {
 public:
  virtual bool isShown(DimVar v) const = 0;
  virtual bool isShown(ShapeVar v) const = 0;

 protected:
  ~ShownVariables() = default;
};

// The equations of sizes and of shapes among constraints.
class Equations {
 public:
  Equations(Checked& checked, const std::vector<Constraint>& constraints);

  // What an equation says to be equal and is shown, for a size or shape with names that are not shown and nobody's;
  // otherwise the size or shape itself.
  Dim shown(Dim size, const ShownVariables& variables) const;
  Shape shown(const Shape& shape, const ShownVariables& variables) const;

  // Whether an equation of sizes says something about what is shown or about another one.
  bool isNeeded(const Constraint& equation, const ShownVariables& variables) const;

 private:
  Checked& c_;
  std::map<std::uint32_t, std::size_t> constraintsOf_;  // how many constraints that are shown have a variable
  std::vector<std::pair<Dim, Dim>> sizes_;
  std::vector<std::pair<Shape, Shape>> shapes_;
};

// Equations that say the same of the shared variables as all the equations of shapes among `constraints` together,
// where the facts hold. The left sides are those with most variables of `first`.
std::vector<std::pair<Shape, Shape>> neededEquations(Checked& checked, const std::vector<Constraint>& constraints,
                                                     const std::vector<DimFact>& facts, Shared shared,
                                                     const Shared& first);

// Functions and broadcasts of shapes take, in the place of one that is equal to a shape of kept variables alone, that
// one.
void replaceByKept(Checked& checked, std::vector<Constraint>& constraints, const Shared& kept);

// Whether one of the sizes in a list is `_`.
bool hasHole(Solution& solution, StaticId list);

// Whether a function of shapes has a value for each shape.
bool isTotal(Solution& solution, const Constraint& constraint);

// Whether a function of shapes or `#` cannot be of each shape, and all its values are known.
bool asksOfOperand(Checked& checked, const Constraint& constraint);

}  // namespace axle
