// The values of expressions while an entry is lowered: tensors, tuples and functions. Functions are not part of the
// model: calls are inlined.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle::ir::lowering {

struct Frame;

// The environment of an expression: the names in scope and the values of quantified variables. Both live as long as the
// lowering.
struct Environment {
  Frame* frame = nullptr;
  const Substitution* substitution = nullptr;
};

// An outlet of the graph of a scope. A literal, or a value computed only from literals, is a scalar outlet with the
// tensor's shape in `splat`. Operators that broadcast take the scalar; others need it materialized.
struct Tensor {
  std::uint32_t scope = 0;  // into Context::scopes
  OutletId outlet;
  std::optional<std::vector<Dim>> splat;
};

// A lambda with the environment of its definition.
struct Closure {
  TypedId lambda;
  Environment environment;
};

struct Value;
using Tuple = std::shared_ptr<const std::vector<Value>>;

struct Value {
  std::variant<Tensor, Tuple, Closure> node;
};

inline Value tupleOf(std::vector<Value> parts) {
  return {std::make_shared<const std::vector<Value>>(std::move(parts))};
}

inline std::optional<Value> toValue(std::optional<Tensor> tensor) {
  if (!tensor) return std::nullopt;
  return Value{std::move(*tensor)};
}

// A polymorphic binding, which is lowered again for each use.
struct Polymorphic {
  TypedId value;
  const Substitution* substitution = nullptr;
};

// The names that one inlined call or block binds; `parent` has the enclosing names.
struct Frame {
  Frame* parent = nullptr;
  std::vector<std::pair<BindingId, std::variant<Value, Polymorphic>>> names;
};

}  // namespace axle::ir::lowering
