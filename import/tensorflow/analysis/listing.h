// A graph as text, a node on each line. Diagnostics point into it:
//   dense/MatMul = MatMul(flatten/Reshape, dense/kernel) transpose_b=true
//   dense/kernel = Const f32 [784, 10]
#pragma once

#include <vector>

#include "frontend/source.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct NodePlaces {
  Span name, op;
  std::vector<Span> inputs;
  Span line;  // all of it
};

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
