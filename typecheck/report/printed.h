// Several types printed together: each variable has the same name in all of them.
#pragma once

#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

struct PrintedTypes {
  std::vector<std::string> types;
  std::vector<std::string> facts;  // of the scheme and of its element types
};
// Without a scheme the only facts are those of element types. The types of functions with as many parameters show
// `parameters` as their names.
PrintedTypes printWithFacts(Checked& checked, const std::vector<TypeId>& types, const Scheme* scheme,
                            const std::vector<std::string>& parameters = {});

}  // namespace axle
