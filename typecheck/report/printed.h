// Several types as one line: one name for each variable.
#pragma once

#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct PrintedTypes {
  std::vector<std::string> types;
  std::vector<std::string> facts;  // of the scheme, and of its elements
};
// Without a scheme there are no facts but those of elements.
PrintedTypes printWithFacts(Checked& checked, const std::vector<TypeId>& types, const Scheme* scheme);

}  // namespace axle
