// A model as text, for people and tests.
#pragma once

#include <string>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// What there is, by number: inputs, outputs, signatures, variables, functions, nodes by operator.
std::string summary(const Model& model);
// Every node.
std::string dump(const Model& model);

}  // namespace axle::tensorflow
