// Composites of the model: calls of functions that are declared to implement one, and those that an imported graph has.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

// Adds the composite that a call of `callee` is.
void addCallComposite(Context& c, const TypedExpr& expr, const TypedCall& call, const TypedBinding& callee,
                      const std::vector<Value>& arguments, const Value& result, const Environment& environment);
// Adds the composites of the program's graph, when everything is lowered.
void addGraphComposites(Context& c);

}  // namespace axle::ir::lowering
