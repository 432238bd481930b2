// Graphs made wrong in meaning: the file is sound, what it says is not.
#pragma once

#include <random>

#include "graph.pb.h"

namespace axle::test {

// One to four changes: attributes, shapes and values of constants, element types, operators, and what feeds what,
// in circles too.
tensorflow::wire::GraphDef mutant(tensorflow::wire::GraphDef graph, std::mt19937& random);

}  // namespace axle::test
