// The primitives, for `axc ops --primitives`: kernels that bundles have in place of the plain ones.
#pragma once

#include <string_view>
#include <vector>

namespace axle {

struct PrimitiveRow {
  std::string_view name;      // as reports print it
  std::string_view computes;  // the operator, likewise
  std::string_view when;      // the calls that it is chosen for
};

// In the order in which they are chosen: of those for one operator, the first whose condition holds.
std::vector<PrimitiveRow> primitiveRows();

}  // namespace axle
