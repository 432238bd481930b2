// The listing of a TensorFlow graph (import/builder/graph_listing.h): what is shown of a node.
#pragma once

#include <vector>

#include "import/builder/graph_listing.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct GraphPlaces {
  std::vector<NodePlaces> nodes;  // by NodeId
  const NodePlaces& operator[](NodeId id) const { return nodes[id.index]; }
};

// The attributes that tell people something about a node: ` padding="SAME"`.
std::string details(const Node& node);
// The operator with these attributes, for messages: `Conv2D` (padding="SAME").
std::string withDetails(const Node& node);

// Adds the listing of a graph to `sources`, with `prefix` before the names of its nodes: `body/` for a function's.
GraphPlaces list(const Graph& graph, const std::string& path, const std::string& prefix, SourceMap& sources);

}  // namespace axle::tensorflow
