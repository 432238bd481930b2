// Visits the nodes of a frame: each node's operator infers facts of its outlets from those of its inputs.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Visits all nodes of a frame, in topological order.
void visitAll(Analysis& analysis, Frame& frame);
void visit(Analysis& analysis, Frame& frame, NodeId id);

// Retries the nodes whose rules wait for a rank or a value. Returns whether one of them no longer waits.
bool retryWaiting(Analysis& analysis);

// Returns the facts of a node's outlets from the results of its rule.
OutletFacts factsOf(Analysis& analysis, const Frame& frame, NodeId id, const RuleNode& n);

}  // namespace axle::tensorflow
