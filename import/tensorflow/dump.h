// Prints a model, for people and tests.
#pragma once

#include <string>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// Counts inputs, outputs, signatures, variables, functions, and nodes by operator.
std::string summary(const Model& model);
// Lists every node.
std::string dump(const Model& model);

}  // namespace axle::tensorflow
