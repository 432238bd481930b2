// Visiting the nodes of a frame: each node's operator gives facts of its outlets from those of its inputs.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// All nodes of a frame, in topological order.
void visitAll(Analysis& analysis, Frame& frame);
void visit(Analysis& analysis, Frame& frame, NodeId id);

// Asks the nodes again whose rules wait for a rank or a value. True where one of them waits no longer.
bool retryWaiting(Analysis& analysis);

// The facts of a node's outlets from the results of its rule.
OutletFacts factsOf(Analysis& analysis, const Frame& frame, NodeId id, const RuleNode& n);

}  // namespace axle::tensorflow
