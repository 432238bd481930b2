// Infers function literals.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// The data of a function literal that its binding needs to generalise it.
struct FunctionDefinition {
  std::vector<DimFact> stated;       // its `where`, which stays assumed until the function is generalised
  std::vector<WrittenName> written;  // the names in its signature, first those of the parameters
  std::size_t parameterNames = 0;    // how many of `written`
};

// Fills `defined` for a literal that is bound to a name and so may be generalised; null elsewhere.
TypedId inferFunction(Inference& in, Span span, const ast::ExprFn& fn, std::optional<TypeId> expected,
                      FunctionDefinition* defined);

// Gives the declared parameters of a function their types, and its static parameters their values. False after an
// error.
using GiveParameters = std::function<bool(const TypeTerm& function, const Scope& scope)>;

// Infers a function literal for a single use: its facts must hold for that use, and the sizes that its body makes
// belong to it. `use` is the reason of a call, which requires the facts; none if nothing calls it.
TypedId inferFunctionOnce(Inference& in, Span span, const ast::ExprFn& fn, ReasonId use, const GiveParameters& give);

}  // namespace axle
