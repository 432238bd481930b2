// Checks a node's element types against those for which TensorFlow registers its operator.
#pragma once

#include <optional>

#include "frontend/diagnostic.h"
#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

// Returns the error for an input or an attribute of a type that the operator does not accept. None if all fit.
std::optional<Diagnostic> elementMisfit(const Frame& frame, NodeId id);

}  // namespace axle::tensorflow
