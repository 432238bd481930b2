// Notes the paths from the nodes that gave an error's sizes to the error's node, and how those sizes were computed.
#pragma once

#include "import/tensorflow/analysis/conflict_origins.h"
#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Whether an outlet has this size, or contains it as a value.
bool hasSize(Analysis& analysis, const OutletFact& fact, Dim size);

// Notes, for each size of the message, the path from its origin to the node, and how the origin computes it. For a
// conflict of ranks, notes the nodes that determined them.
void notePaths(Analysis& analysis, Diagnostic& d, const Site& culprit, const SizeOrigins& origins);

}  // namespace axle::tensorflow
