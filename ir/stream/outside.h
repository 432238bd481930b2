// The elements that operators find where a tensor has none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// What a running operator begins with: one element.
std::vector<std::byte> neutral(Op op, Elem elem);

// What a node finds outside of its first operand's frames: one element; none where that is no constant.
std::optional<std::vector<std::byte>> fillOf(const Model& model, const Node& node);

}  // namespace axle::ir
