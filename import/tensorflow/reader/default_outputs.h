// Finds the outputs of a graph if neither a signature nor the command line names any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/tensorflow/reader/functions.h"
#include "import/tensorflow/reader/resolve.h"

namespace axle::tensorflow {

// Returns the nodes whose outputs no other node takes. Leaves out nodes that remain from lowering or freezing, unless
// there are no others.
std::vector<std::uint32_t> sinkNodes(const Resolver& graph, Library& library);

// Returns the tensors of these nodes. A graph with variables was trained: of it, returns only tensors that depend on an
// input, and no initialisers or savers, unless there is nothing else.
std::vector<std::string> defaultOutputs(const Resolver& graph, Library& library);

}  // namespace axle::tensorflow
