// The forms that attributes of operators may have, by the sort in the operator's signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "frontend/ast.h"
#include "typecheck/types/solution.h"

namespace axle {

// Larger axes and ranks are rejected.
inline constexpr std::int64_t maxAxes = 64;

// The number of axes of a `padding` whose sort states none.
inline constexpr std::uint64_t paddedAxes = 2;

// Returns the valid axes of a tensor of this rank as text: "-2 to 1"; "it has none" for a scalar.
std::string axesOfRank(std::size_t rank);

// Describes the form that an attribute of this sort must have; none if `value` has that form or is still open.
std::optional<std::string> expectedForm(Solution& solution, const ast::OpAttribute& attribute, StaticId value);

}  // namespace axle
