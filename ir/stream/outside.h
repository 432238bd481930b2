// The elements that operators read outside of a tensor.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// Returns the element that a running operator begins with.
std::vector<std::byte> neutral(Op op, Elem elem);

// Returns the element that a node reads outside of its first operand's frames; nothing if it is not a constant.
std::optional<std::vector<std::byte>> fillOf(const Model& model, const Node& node);

}  // namespace axle::ir
