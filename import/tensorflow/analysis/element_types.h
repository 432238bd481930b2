// Element types of a node against those that TensorFlow registers its operator for.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// False, with an error, where an input or an attribute has a type that the operator does not take.
bool checkElementTypes(Analysis& analysis, Frame& frame, NodeId id);

}  // namespace axle::tensorflow
