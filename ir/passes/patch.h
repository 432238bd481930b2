// Rewrites as values: a pass returns patches, and each is verified when it is applied.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

struct Addition {
  Node node;                // its inputs may be outlets of earlier additions, numbered on from the graph's own
  std::vector<Fact> facts;  // of its outputs
};

struct GraphEdit {
  GraphId graph;
  std::vector<Addition> added;
  // Readers of the first outlet read the second instead, whose producer takes over the names and spans of the first's.
  std::vector<std::pair<OutletId, OutletId>> replaced;
  std::vector<NodeId> removed;
  std::vector<std::pair<NodeId, std::vector<OutletId>>> rewired;  // new inputs of a node
  std::optional<std::vector<OutletId>> inputs;                    // new inputs of the graph
  bool clear = false;                                             // a body that no operator owns any more
};

struct Patch {
  std::string what;  // "remove 3 unused operators"
  std::vector<GraphEdit> edits;
};

// An error is a bug of the pass: it says which check of `verify` fails afterwards, in the graphs that the patch edits
// and in those whose operators own them. The model may have changed.
tl::expected<void, std::string> apply(Model& model, const Patch& patch);

// Checks that ids are in range, that there are no cycles, that each node has the counts of its operator's row and the
// facts that the row's rule infers, and that a body's id is larger than its owner's. Returns the first error.
std::optional<std::string> verify(const Model& model);

}  // namespace axle::ir
