// Names for the sizes that a graph leaves open. Each size has a name of its own.
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

  // Names a size `wish`, or `d` if that is empty, with a number appended if another size has the name. A size that
  // already has a name keeps it.
  void name(DimVar size, const std::string& wish);
  bool hasName(DimVar size) const { return names_.count(size) != 0; }
  // Returns the name of a size, or, for a size without one, an unused name: `wish`, possibly with a number.
  std::string nameOrFree(DimVar size, const std::string& wish) const;

  // Returns the size as text; `?` if it contains a size without a name.
  std::string print(Dim dim);
  // The same, after naming each unnamed size in it.
  std::string printNamed(Dim dim);
  // `[n, 3]`; all parts are dimensions.
  std::string print(const Shape& shape);

 private:
  Solution& solution_;
  std::map<DimVar, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace axle
