// The outputs of a graph for which neither a signature nor the command line names any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/tensorflow/reader/functions.h"
#include "import/tensorflow/reader/resolve.h"

namespace axle::tensorflow {

// The nodes from which no other node takes. Nodes that only lowering or freezing left behind are left out, unless there
// are no others.
std::vector<std::uint32_t> sinkNodes(const Resolver& graph, Library& library);

// The tensors of these nodes. A graph with variables was trained: there only what depends on an input counts, and no
// initialiser or saver, unless there is nothing else.
std::vector<std::string> defaultOutputs(const Resolver& graph, Library& library);

}  // namespace axle::tensorflow
