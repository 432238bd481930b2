// Infers function literals.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// What the binding of a function literal needs to generalise it.
struct FunctionDefinition {
  std::vector<DimFact> stated;       // its `where`, which stays assumed until the function is generalised
  std::vector<WrittenName> written;  // the names in its signature, first those of the parameters
  std::size_t parameterNames = 0;    // how many of them
};

// `defined` is filled in for a literal that is bound to a name and so may be generalised; null elsewhere.
TypedId inferFunction(Inference& in, Span span, const ast::ExprFn& fn, std::optional<TypeId> expected,
                      FunctionDefinition* defined);

// Gives the declared parameters of a function their types, and its static parameters their values. False after an
// error.
using GiveParameters = std::function<bool(const TypeTerm& function, const Scope& scope)>;

// Infers a function literal for one use of it alone: its facts must hold there, and the sizes that its body makes are
// the use's. `use`: the reason of a call, which asks for the facts; none where nothing calls it.
TypedId inferFunctionOnce(Inference& in, Span span, const ast::ExprFn& fn, ReasonId use, const GiveParameters& give);

}  // namespace axle
