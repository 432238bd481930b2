// Infers applications of core operators, by their signatures in stdlib/core.ax.
#pragma once

#include <map>

#include "typecheck/infer/inference.h"

namespace axle {

struct OperatorUse {
  std::uint32_t op = 0;
  Span span;
  std::vector<ast::ExprId> arguments;
  std::vector<TypedId> typed;  // leading arguments that are inferred already; `arguments` holds the others
  std::vector<ast::NamedArgument> named;
  std::map<std::string, StaticId> statics;  // already read
  std::string subject = {};                 // its name in messages, where that is not the operator's
};
TypedId applyOperator(Inference& in, OperatorUse use);

// An operator as a function value: a lambda over its parameters, with the attributes at their defaults. An `arity` of 0
// is the operator's own.
TypedId inferOperatorValue(Inference& in, std::uint32_t op, Span span, std::size_t arity);

// The core operator of that name. `nn.name` is one, too, where the module `nn` is imported.
std::optional<std::uint32_t> findOperator(Inference& in, const std::string& name, std::size_t arity);

}  // namespace axle
