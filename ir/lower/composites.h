// Composites of the model: calls of functions annotated with `@implements`, and the composites of an imported graph.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

// Adds the composite for a call of `callee`.
void addCallComposite(Context& c, const TypedExpr& expr, const TypedCall& call, const TypedBinding& callee,
                      const std::vector<Value>& arguments, const Value& result, const Environment& environment);
// Adds the composites of the program's graph, after everything else is lowered.
void addGraphComposites(Context& c);

}  // namespace axle::ir::lowering
