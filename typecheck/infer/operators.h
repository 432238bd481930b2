// Infers applications of core operators, by their signatures in stdlib/core.ax.
#pragma once

#include <map>

#include "typecheck/infer/inference.h"

namespace axle {

struct OperatorUse {
  std::uint32_t op = 0;
  Span span;
  std::vector<ast::ExprId> arguments;
  std::vector<TypedId> typed;  // leading arguments that are already inferred; `arguments` holds the others
  std::vector<ast::NamedArgument> named;
  std::map<std::string, StaticId> statics;  // already read
  std::string subject = {};                 // its name in messages, if different from the operator's
  bool showsSignature = true;               // in a note
};
TypedId applyOperator(Inference& in, OperatorUse use);

// Infers an operator as a function value: a lambda over its parameters, with the attributes at their defaults. With
// `arity` 0, the operator's own arity.
TypedId inferOperatorValue(Inference& in, std::uint32_t op, Span span, std::size_t arity);

// Returns the core operator of that name. `nn.name` also names it if the module `nn` is imported.
std::optional<std::uint32_t> findOperator(Inference& in, const std::string& name, std::size_t arity);

}  // namespace axle
