// Turns loops and branches of a graph into expressions of the typed program: loops over a tuple of states, branches by
// a condition.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Defines the values of a control flow node's outlets. Returns false for another node, or if the language has no such
// loop or branch.
bool defineControl(Analysis& analysis, Frame& frame, NodeId id);

}  // namespace axle::tensorflow
