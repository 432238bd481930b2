// Names for the sizes that a graph leaves open. Different sizes have different names.
#pragma once

#include <map>
#include <set>
#include <string>

#include "typecheck/types/solution.h"

namespace axle {

class SizeNames {
 public:
  // `solution` must outlive it.
  explicit SizeNames(Solution& solution) : solution_(solution) {}

  // Names a size `wish`, or `d` where that is empty. A number is appended where another size has the name. A size that
  // has a name keeps it.
  void name(DimVar size, const std::string& wish);
  bool hasName(DimVar size) const { return names_.count(size) != 0; }
  // The name of a size, or for a size without one a name that no other has: `wish`, or that with a number.
  std::string nameOrFree(DimVar size, const std::string& wish) const;

  // The size as text; `?` where it contains a size without a name.
  std::string print(Dim dim);
  // The same after naming all sizes in it that have no name.
  std::string printNamed(Dim dim);
  // `[n, 3]`; all parts are dimensions.
  std::string print(const Shape& shape);

 private:
  Solution& solution_;
  std::map<DimVar, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace axle
