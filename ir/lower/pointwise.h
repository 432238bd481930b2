// Lowers elementwise operators, whose operands broadcast.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

std::optional<Value> lowerPointwise(Context& c, const Application& a, const CoreOperator& core);
// Emits the operator or the formula of `core` on the given operands.
std::optional<Value> emitPointwise(Context& c, const Application& a, const CoreOperator& core,
                                   std::vector<Tensor> inputs);

}  // namespace axle::ir::lowering
