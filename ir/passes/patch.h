// Rewrites as values: a pass returns patches, and each is verified once it is applied.
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
  // Every reader of the first reads the second instead; names and spans of the first's producer go over to the
  // second's.
  std::vector<std::pair<OutletId, OutletId>> replaced;
  std::vector<NodeId> removed;
  std::vector<std::pair<NodeId, std::vector<OutletId>>> rewired;  // other inputs for a node
  std::optional<std::vector<OutletId>> inputs;                    // other inputs for the graph
  bool clear = false;                                             // a body that no operator owns any more
};

struct Patch {
  std::string what;  // "remove 3 unused operators"
  std::vector<GraphEdit> edits;
};

// The error is a defect of the pass: what does not hold afterwards. The model may then be changed.
tl::expected<void, std::string> apply(Model& model, const Patch& patch);

// Ids in range, no cycles, every operator's counts as in its row, every fact as its rule infers it, every body's ids
// larger than its owner's.
std::optional<std::string> verify(const Model& model);

}  // namespace axle::ir
