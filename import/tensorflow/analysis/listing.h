// Lists a TensorFlow graph (import/builder/graph_listing.h) and chooses what to show of a node.
#pragma once

#include <vector>

#include "import/builder/graph_listing.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct GraphPlaces {
  std::vector<NodePlaces> nodes;  // by NodeId
  const NodePlaces& operator[](NodeId id) const { return nodes[id.index]; }
};

// Returns the attributes that are useful to people: ` padding="SAME"`.
std::string details(const Node& node);
// Returns the operator with these attributes, for messages: `Conv2D` (padding="SAME").
std::string withDetails(const Node& node);

// Adds the listing of a graph to `sources`, with `prefix` before the names of its nodes: `body/` for a function.
GraphPlaces list(const Graph& graph, const std::string& path, const std::string& prefix, SourceMap& sources);

}  // namespace axle::tensorflow
