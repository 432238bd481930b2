// Finds the inputs of an entry, and those whose rank decides shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

// The shape of a tensor whose rank is open: it has shape variables. None if no part is open, or if the tensor is ragged
// and given as rows.
struct OpenShape {
  Shape shape;
  std::size_t variables = 0, sizes = 0;
};
std::optional<OpenShape> openShape(Solution& solution, TypeId type);

// An input of an entry: a parameter, or a part of one that is a tuple. It need not be a tensor.
struct InputLeaf {
  std::string name;
  std::size_t parameter = 0;
  TypeId type;  // resolved
};
std::vector<InputLeaf> inputLeaves(Solution& solution, TypeId function, const std::vector<std::string>& parameters);

// The names of parameters for the type of an entry: all, or none where one is no name of the language, as in graphs.
std::vector<std::string> shownNames(const std::vector<std::string>& parameters);

// Returns the first input whose rank is not known and decides a shape; none if there is no such input.
std::optional<OpenEntry> openEntry(Checked& checked, TypeId function, const std::vector<std::string>& parameters,
                                   const EntryOptions& options);

}  // namespace axle
