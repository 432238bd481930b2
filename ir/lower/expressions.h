// Evaluates expressions to values in an environment.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

// expressions.cc
std::optional<Value> eval(Context& c, TypedId id, const Environment& environment);

// bindings.cc
std::optional<Value> evalRef(Context& c, const TypedExpr& expr, const TypedRef& ref, const Environment& environment);
std::optional<Value> evalBlock(Context& c, const TypedBlock& block, const Environment& environment);

// calls.cc
std::optional<Value> evalCall(Context& c, const TypedExpr& expr, const TypedCall& call, const Environment& environment);
// Evaluates the closure's body with its parameters bound to the arguments.
std::optional<Value> inlineCall(Context& c, const Closure& closure, std::vector<Value> arguments, Span span);

// matches.cc
std::optional<Value> evalMatch(Context& c, const TypedMatch& match, const Environment& environment);

}  // namespace axle::ir::lowering
