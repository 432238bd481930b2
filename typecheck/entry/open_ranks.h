// The inputs of an entry, and those whose rank decides shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

// The part of a tensor's shape that its rank decides. None where no part is open, where several are (it is not known
// where they split the shape), or where the tensor is ragged and given as rows.
struct OpenPart {
  ShapePart part;
  std::size_t sizes = 0;  // the other sizes of the shape
};
std::optional<OpenPart> onlyOpenPart(Solution& solution, TypeId type);

// An input of an entry: a parameter, or a part of one that is a tuple. It may be no tensor.
struct InputLeaf {
  std::string name;
  std::size_t parameter = 0;
  TypeId type;  // resolved
};
std::vector<InputLeaf> inputLeaves(Solution& solution, TypeId function, const std::vector<std::string>& parameters);

// The first input whose rank is not known and decides a shape; none where there is no such input.
std::optional<OpenEntry> openEntry(Checked& checked, TypeId function, const std::vector<std::string>& parameters,
                                   const EntryOptions& options);

}  // namespace axle
