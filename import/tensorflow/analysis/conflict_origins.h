// Adds the origins of values to errors: labels point to the nodes that gave the values, and notes show the types that
// the node takes, with the differences marked.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Returns the node whose line of the listing a label is on, in `first` if its graph has the line. None for other
// places.
std::optional<Site> siteOf(Analysis& analysis, const Label& label, Frame* first);

// The sizes that a message mentions, each with the node that is its origin.
using SizeOrigins = std::vector<std::pair<std::int64_t, Site>>;

// Adds labels and notes to all diagnostics of the analysis, and drops errors that repeat or follow from another one.
void addConflictOrigins(Analysis& analysis);

}  // namespace axle::tensorflow
