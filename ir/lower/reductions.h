// `reduce`: a fold by a function of the program.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

// The reduction operator that does the same as a function, which may then combine the elements in any order. None
// where the function is not just an operator applied to its two parameters.
std::optional<Op> reductionOf(Context& c, const Closure& closure);

// An application of `reduce` along an axis of the sequence as it is stored; none: the attribute `axis`.
std::optional<Value> reduceAlong(Context& c, const Application& a, std::optional<std::size_t> axis);

}  // namespace axle::ir::lowering
