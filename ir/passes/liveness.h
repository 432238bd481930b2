// When the tensors of a graph are needed.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// Positions in the order of execution. A tensor is live from the step that makes it to the last one that reads it.
struct Lifetime {
  std::size_t begin = 0;
  std::size_t end = 0;  // inclusive; the number of steps for what the graph gives back
  bool live = false;    // false for outlets that nothing makes any more
};

struct Liveness {
  std::vector<NodeId> order;
  std::vector<Lifetime> outlets;  // by outlet index
  // The largest sum of bytes live at one step, constants and inputs aside; none where a size is symbolic.
  std::optional<std::size_t> peakBytes;
};

// None for a graph that has no topological order.
std::optional<Liveness> liveness(const Model& model, const Graph& graph);

}  // namespace axle::ir
