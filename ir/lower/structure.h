// Rules of operators that rearrange tensors.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

// Applies the operator of the row to the arguments in order, without attributes.
std::optional<Value> lowerDirect(Context& c, const Application& a, const CoreOperator& core);
// Reshapes the argument to the shape of the result.
std::optional<Value> lowerReshape(Context& c, const Application& a, const CoreOperator& core);

}  // namespace axle::ir::lowering
