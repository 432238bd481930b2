// The forms that attributes of operators may have, by the sort in their signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "frontend/ast.h"
#include "typecheck/types/solution.h"

namespace axle {

// Axes and ranks beyond this are refused where they are given.
inline constexpr std::int64_t maxAxes = 64;

// The axes that a `padding` is for, unless its sort says otherwise.
inline constexpr std::uint64_t paddedAxes = 2;

// "-2 to 1", the axes of a tensor of this rank; "it has none" of a scalar.
std::string axesOfRank(std::size_t rank);

// What an attribute of this sort must be, in words; nothing where `value` has that form, or is still open.
std::optional<std::string> expectedForm(Solution& solution, const ast::OpAttribute& attribute, StaticId value);

}  // namespace axle
