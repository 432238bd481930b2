// Patches: rewrites as values. A pass returns patches; each is verified when it is applied.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

struct Addition {
  Node node;                // its inputs may be outlets of earlier additions, numbered after the graph's own
  std::vector<Fact> facts;  // of its outputs
};

struct GraphEdit {
  GraphId graph;
  std::vector<Addition> added;
  // Readers of the first outlet read the second instead. The producer of the second takes over the names and spans of
  // the first's producer. A producer that nothing reads any more is removed, with the producers that only it read.
  std::vector<std::pair<OutletId, OutletId>> replaced;
  std::vector<NodeId> removed;
  std::vector<std::pair<NodeId, std::vector<OutletId>>> rewired;  // new inputs of a node
  std::optional<std::vector<OutletId>> inputs;                    // new inputs of the graph
  std::optional<std::vector<OutletId>> outputs;                   // new outputs of the graph, before `replaced`
  std::vector<std::pair<Dim, Dim>> equalSizes;  // equal sizes: facts take the second in place of the first
  bool clear = false;                           // a body that no operator owns any more
};

struct Patch {
  std::string what;  // "remove 3 unused operators"
  std::vector<GraphEdit> edits;
  std::string at = {};  // the name of the node that it replaces, if there is one
};

// The readers of each outlet, by graph. `apply` keeps them up to date.
struct Uses {
  struct OfGraph {
    std::vector<std::vector<NodeId>> readers;  // by outlet; a node occurs once for each input and each `after`
    std::vector<std::uint32_t> outputs;        // by outlet: the number of graph outputs that name it
    std::vector<bool> isBoundary;              // by outlet: whether a composite begins or ends there
  };
  std::vector<OfGraph> graphs;
  explicit Uses(const Model& model);
  // Returns the number of readers of an outlet and of graph outputs that name it.
  std::size_t count(GraphId graph, OutletId outlet) const;
  bool isBoundary(GraphId graph, OutletId outlet) const { return graphs[graph.index].isBoundary[outlet.index]; }
};

// Applies a patch and verifies the nodes that it adds and those whose inputs change; debug builds verify the edited
// graphs and their owners, too. An error is a bug of the pass, and the model may have changed.
tl::expected<void, std::string> apply(Model& model, Uses& uses, const Patch& patch);

// Applies a patch and verifies the graphs that it edits and those whose operators own them. An error is a bug of the
// pass; it names the check of `verify` that fails. The model may have changed.
tl::expected<void, std::string> apply(Model& model, const Patch& patch);

// Checks that ids are in range, that there are no cycles, that each node has the counts of its operator's row and the
// facts that the row's rule infers, and that a body's id is larger than its owner's. Returns the first error.
std::optional<std::string> verify(const Model& model);

}  // namespace axle::ir
