// Element types of a node's inputs and outputs, from its operator's declaration and the node's attributes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "import/tensorflow/graph.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

// Returns an attribute of a node; if the call of its function determines it, the value in the call (`fromCall`). Null
// if there is none.
const Value* attributeIn(const Node& node, std::string_view name, const std::vector<Attribute>& fromCall);

// One tensor that an operator takes or gives. Its type is `invalid` if the attributes do not determine it.
struct TypedArgument {
  Type type = Type::invalid;
  const OperatorArgument* of = nullptr;
};
std::vector<TypedArgument> typedArguments(std::span<const OperatorArgument> arguments, const Node& node,
                                          const std::vector<Attribute>& fromCall);

// Returns the types of a node's outlets, if it does not call a function.
std::vector<Type> outletTypes(const Node& node, const std::vector<Attribute>& fromCall);

}  // namespace axle::tensorflow
