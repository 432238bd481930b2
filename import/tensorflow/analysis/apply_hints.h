// Hints of the command line, met with the facts of the main graph.
#pragma once

#include "import/tensorflow/analysis/frame.h"
#include "import/tensorflow/analysis/hints.h"

namespace axle::tensorflow {

struct Analysis;

// Finds the tensors that the hints name; an error for one that is not there.
void placeHints(Analysis& analysis);

// Meets the hints about a node's outlets with their facts; an error where they contradict each other.
void applyHints(Analysis& analysis, NodeId id, OutletFacts& facts);

// Adds the element types that hints give to the outlets of a node whose operator is not known.
void addHintedTypes(const Analysis& analysis, NodeId id, std::vector<Type>& types);

// The hint that text which is an input is a WAV file; null where there is none.
const Hint* hintOfSamples(const Analysis& analysis, Outlet outlet);

}  // namespace axle::tensorflow
