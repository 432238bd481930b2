// Infers expressions. Each becomes a typed expression; after an error, one of the error type.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// `expected` is the type that the context requires, if known: a function literal takes the types of its parameters from
// it.
TypedId inferExpr(Inference& in, ast::ExprId id, std::optional<TypeId> expected = std::nullopt);
// Infers a number: of any shape, or a scalar if `isScalar`.
TypedId inferNumber(Inference& in, Span span, const ast::ExprNumber& number, bool isScalar);

// ---- names.cc
TypedId inferName(Inference& in, Span span, const ast::ExprName& name, std::optional<TypeId> expected);
// Infers a use of a binding; a polymorphic binding is instantiated.
TypedId inferReference(Inference& in, BindingId binding, Span span);

}  // namespace axle
