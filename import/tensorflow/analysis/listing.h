// A graph as text, a node on each line, so that diagnostics can point into it:
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

// What a reader wants to see of a node besides its inputs: ` padding="SAME"`.
std::string details(const Node& node);
// Its operator with them, for messages: `Conv2D` (padding="SAME").
std::string withDetails(const Node& node);

// `prefix` stands before the names that places bear: `body/` for a function's.
GraphPlaces list(const Graph& graph, const std::string& path, const std::string& prefix, SourceMap& sources);

}  // namespace axle::tensorflow
