// What expressions are while an entry is lowered: tensors, tuples, and functions, which vanish.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "typecheck/types/solution.h"
#include "typecheck/types/typed.h"

namespace axle::ir {

struct Frame;

// An outlet of the graph that a scope builds. A literal is a scalar with the shape that it stands for: operators that
// broadcast take the scalar, others the whole.
struct Tensor {
  std::uint32_t scope = 0;
  OutletId outlet;
  std::optional<std::vector<Dim>> splat;
};

// A function with what it was written in. Frames and substitutions live as long as the lowering.
struct Closure {
  TypedId lambda;
  Frame* frame = nullptr;
  const Substitution* with = nullptr;
};

struct Value;
using Tuple = std::shared_ptr<const std::vector<Value>>;

struct Value {
  std::variant<Tensor, Tuple, Closure> node;
};

// A polymorphic binding is lowered anew for each use.
struct Polymorphic {
  TypedId value;
  const Substitution* with = nullptr;
};

// Names of one inlined call or block, and those around it.
struct Frame {
  Frame* parent = nullptr;
  std::vector<std::pair<BindingId, std::variant<Value, Polymorphic>>> names;
};

}  // namespace axle::ir
