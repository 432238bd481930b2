// Element types of what a node takes and gives, by its operator's declaration and the node's attributes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "import/tensorflow/graph.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

// An attribute of a node; where its function's call gives it (`fromCall`), what the call gives. Null where there is
// none.
const Value* attributeIn(const Node& node, std::string_view name, const std::vector<Attribute>& fromCall);

// One tensor that an operator takes or gives. `invalid` where the attributes do not tell its type.
struct TypedArgument {
  Type type = Type::invalid;
  const OperatorArgument* of = nullptr;
};
std::vector<TypedArgument> typedArguments(std::span<const OperatorArgument> arguments, const Node& node,
                                          const std::vector<Attribute>& fromCall);

// What the operator of a node that calls no function gives.
std::vector<Type> outletTypes(const Node& node, const std::vector<Attribute>& fromCall);

}  // namespace axle::tensorflow
