// Names for the sizes that a graph leaves open: each size has one of its own.
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

  // Names a size as wished (`d` where the wish is empty), or with a number behind it where another size has the name.
  // A size that has a name keeps it.
  void name(DimVar size, const std::string& wish);

  // `?` where a size in it has no name.
  std::string print(Dim dim);
  // Names what has no name first.
  std::string printNamed(Dim dim);
  // `[n, 3]`; all parts are dimensions.
  std::string print(const Shape& shape);

 private:
  Solution& solution_;
  std::map<DimVar, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace axle
