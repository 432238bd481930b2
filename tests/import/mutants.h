// Makes graphs that are well-formed but wrong.
#pragma once

#include <random>

#include "graph.pb.h"

namespace axle::test {

// Makes one to four changes: attributes, shapes and values of constants, element types, operators, and inputs, which
// may form cycles.
tensorflow::wire::GraphDef mutant(tensorflow::wire::GraphDef graph, std::mt19937& random);

}  // namespace axle::test
