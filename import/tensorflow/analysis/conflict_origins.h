// Where the values of an error come from: labels lead to the nodes that gave them, and notes show the types that the
// node takes, what differs marked.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// The node whose line of the listing a label is on: of `first` where its graph has the line. None for other places.
std::optional<Site> siteOf(Analysis& analysis, const Label& label, Frame* first);

// The sizes that a message mentions, each with the node that it comes from.
using SizeOrigins = std::vector<std::pair<std::int64_t, Site>>;

// Adds labels and notes to all diagnostics of the analysis, and drops those that repeat one of another call of the same
// function.
void addConflictOrigins(Analysis& analysis);

}  // namespace axle::tensorflow
