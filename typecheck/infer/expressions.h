// Infers expressions: each gets a typed expression, one of the error type after an error.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// `expected` is the type that its use wants, where one is known: a function literal takes the types of its parameters
// from it.
TypedId inferExpr(Inference& in, ast::ExprId id, std::optional<TypeId> expected = std::nullopt);
// A number: of any shape, unless it is to be a scalar.
TypedId inferNumber(Inference& in, Span span, const ast::ExprNumber& number, bool isScalar);

// ---- names.cc
TypedId inferName(Inference& in, Span span, const ast::ExprName& name, std::optional<TypeId> expected);
// A use of a binding; of a polymorphic one an instance of its own.
TypedId inferReference(Inference& in, BindingId binding, Span span);

}  // namespace axle
