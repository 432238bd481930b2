// Values of small tensors, followed through the graph: `Shape -> StridedSlice -> Pack -> Reshape`.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Sets the values that a node computes in its facts. Returns whether a value is new, or known better.
bool followValues(GraphTyper& typer, Frame& frame, NodeId id, OutletFacts& facts);
// The same for all nodes, in all frames.
bool followAllValues(Analysis& analysis);

// Records in `fact`, the fact of the node's first outlet, of which value it is the rank or the axes: `Range(0, Rank(x),
// 1)` gives the axes of `x` even if its rank is open.
void followRank(const RuleNode& n, OutletFact& fact);

}  // namespace axle::tensorflow
