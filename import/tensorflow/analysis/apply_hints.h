// Combines the hints of the command line with the facts of the main graph.
#pragma once

#include "import/tensorflow/analysis/frame.h"
#include "import/tensorflow/analysis/hints.h"

namespace axle::tensorflow {

struct Analysis;

// Finds the tensors that the hints name; reports an error for one that does not exist.
void placeHints(Analysis& analysis);

// Combines the hints about a node's outlets with their facts; reports an error if they contradict each other.
void applyHints(Analysis& analysis, NodeId id, OutletFacts& facts);

// Adds the element types that hints give to the outlets of a node of an unknown operator.
void addHintedTypes(const Analysis& analysis, NodeId id, std::vector<Type>& types);

// Returns the hint that a text input is a WAV file; null if there is none.
const Hint* hintOfSamples(const Analysis& analysis, Outlet outlet);

}  // namespace axle::tensorflow
