// The interfaces of composites (papers/tflite-fusion.txt): the parameter and result types of a function annotated to
// implement a composite, so that a fused operator may replace it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/types/solution.h"

namespace axle {

using Types = std::vector<std::optional<TypeId>>;

// Explains in a sentence why a function of these types does not have the interface named `implements`. Returns an empty
// text if it has it, or if no interface of that name is known. An argument that is not a tensor, or has no type, fits
// any type.
std::string compositeMismatch(std::string_view implements, Solution& solution, const Types& inputs,
                              const Types& outputs);

}  // namespace axle
