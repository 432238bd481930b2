// Lowers `reduce`, a fold by a function of the program.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

// Returns the reduction operator equivalent to a function; it may combine the elements in any order. Returns nothing
// unless the function only applies an operator to its two parameters.
std::optional<Op> reductionOf(Context& c, const Closure& closure);

// Lowers `reduce` along an axis of the sequence as it is stored; without `axis`, along the attribute `axis`.
std::optional<Value> reduceAlong(Context& c, const Application& a, std::optional<std::size_t> axis);

}  // namespace axle::ir::lowering
