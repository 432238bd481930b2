// The lifetimes of tensors.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// Positions in the order of execution. A tensor is live from the step that computes it to the last one that reads it.
struct Lifetime {
  std::size_t begin = 0;
  std::size_t end = 0;  // inclusive; the number of steps for outputs of the graph
  bool live = false;    // false for outlets whose producer is not needed
};

struct Liveness {
  std::vector<NodeId> order;
  std::vector<Lifetime> outlets;  // by outlet index
  // The most bytes live at one step, without constants and inputs; none if a size is symbolic.
  std::optional<std::size_t> peakBytes;
};

// Returns nothing for a graph without a topological order.
std::optional<Liveness> liveness(const Model& model, const Graph& graph);

}  // namespace axle::ir
