// Loops and branches of a graph as expressions of the typed program: loops over a tuple of states, branches by a
// condition.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Gives the outlets of a node of control flow their values. False where it is none, or the language has no such loop or
// branch.
bool defineControl(Analysis& analysis, Frame& frame, NodeId id);

}  // namespace axle::tensorflow
