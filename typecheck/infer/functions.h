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

}  // namespace axle
