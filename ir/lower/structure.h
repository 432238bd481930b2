// Rules of operators that rearrange tensors.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

// The operator of the row on the arguments in order, without attributes.
std::optional<Value> lowerDirect(Context& c, const Application& a, const CoreOperator& core);
// The argument with the shape of the result.
std::optional<Value> lowerReshape(Context& c, const Application& a, const CoreOperator& core);

}  // namespace axle::ir::lowering
