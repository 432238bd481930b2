// Lists all nodes by the names that users know.
#pragma once

#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

struct ListedNode {
  // `dense_2/MatMul`: without the calls that only wrap a model (`StatefulPartitionedCall`), unless another node has
  // that path.
  std::string path;
  const Frame* frame = nullptr;
  NodeId id;

  const Node& node() const { return (*frame)[id]; }
  std::string name() const { return frame->nameOf(id); }  // with all calls
};

// Returns the nodes of the main graph, and with `withFunctions` then those of the functions that it calls, once for
// each call.
std::vector<ListedNode> listNodes(const Analysis& analysis, bool withFunctions);

}  // namespace axle::tensorflow
