// Element types of a node against those that TensorFlow registers its operator for.
#pragma once

#include <optional>

#include "frontend/diagnostic.h"
#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

// The error for an input or an attribute of a type that the operator does not take. None where all fit.
std::optional<Diagnostic> elementMisfit(const Frame& frame, NodeId id);

}  // namespace axle::tensorflow
