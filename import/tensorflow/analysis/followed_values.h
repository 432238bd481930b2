// Values of small tensors, followed through the graph: `Shape -> StridedSlice -> Pack -> Reshape`.
#pragma once

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Sets the values that a node gives in its facts. True where one is known now, or is known better.
bool followValues(GraphTyper& typer, Frame& frame, NodeId id, OutletFacts& facts);
// The same for all nodes, in all frames.
bool followAllValues(Analysis& analysis);

// `Range(0, Rank(x), 1)` says which axes `x` has also where its rank is open: notes in `fact`, the first that the node
// gives, which value's rank or axes it is.
void followRank(const RuleNode& n, OutletFact& fact);

}  // namespace axle::tensorflow
