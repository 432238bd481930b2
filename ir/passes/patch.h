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
  // A producer that nothing reads any more is removed, with those that only it read.
  std::vector<std::pair<OutletId, OutletId>> replaced;
  std::vector<NodeId> removed;
  std::vector<std::pair<NodeId, std::vector<OutletId>>> rewired;  // new inputs of a node
  std::optional<std::vector<OutletId>> inputs;                    // new inputs of the graph
  std::optional<std::vector<OutletId>> outputs;                   // new outputs of the graph, before `replaced`
  std::vector<std::pair<Dim, Dim>> equalSizes;  // sizes equal to another, in terms of which facts are written instead
  bool clear = false;                           // a body that no operator owns any more
};

struct Patch {
  std::string what;  // "remove 3 unused operators"
  std::vector<GraphEdit> edits;
  std::string at = {};  // the name of the node that it replaces, if there is one
};

// The readers of each outlet, by graph. Kept up to date while patches are applied.
struct Uses {
  struct OfGraph {
    std::vector<std::vector<NodeId>> readers;  // by outlet: a node once for each of its inputs and each of its `after`
    std::vector<std::uint32_t> outputs;        // by outlet: how often the graph's outputs name it
    std::vector<bool> isBoundary;              // by outlet: whether a composite begins or ends there
  };
  std::vector<OfGraph> graphs;
  explicit Uses(const Model& model);
  // How often an outlet is read or asked for.
  std::size_t count(GraphId graph, OutletId outlet) const;
  bool isBoundary(GraphId graph, OutletId outlet) const { return graphs[graph.index].isBoundary[outlet.index]; }
};

// Applies a patch and verifies the nodes that it adds and those whose inputs change; builds for development verify all
// of the graphs. An error is a bug of the pass, and the model may have changed.
tl::expected<void, std::string> apply(Model& model, Uses& uses, const Patch& patch);

// Applies any patch. An error is a bug of the pass: it says which check of `verify` fails afterwards, in the graphs
// that the patch edits and in those whose operators own them. The model may have changed.
tl::expected<void, std::string> apply(Model& model, const Patch& patch);

// Checks that ids are in range, that there are no cycles, that each node has the counts of its operator's row and the
// facts that the row's rule infers, and that a body's id is larger than its owner's. Returns the first error.
std::optional<std::string> verify(const Model& model);

}  // namespace axle::ir
