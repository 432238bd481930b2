// Guards: conditions that a run must check, because its sizes decide them. They restrict an input's shape beyond its
// declaration, or are facts that the solver leaves open.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "import/builder/open_facts.h"
#include "import/tensorflow/analysis/frame.h"

namespace axle {
struct Reason;
}  // namespace axle

namespace axle::tensorflow {

struct Analysis;

// The rank that an earlier run found for an input that is declared without one. With a known rank, its sizes are known
// also to nodes that come before the one that requires the rank.
struct InferredRank {
  std::vector<std::string> sizes;  // by axis, the name of an open size; empty if it is not open
  std::optional<Guard> guard;      // requires that a run has an input of this rank
};
using InferredRanks = std::map<Outlet, InferredRank>;

void findGuards(Analysis& analysis);

// Returns the ranks that a finished analysis found for inputs that are declared without one.
InferredRanks inferredRanks(Analysis& analysis);

// Adds a guard that `why` (null for none) requires. Returns null if there is one with this text.
Guard* addGuard(Analysis& analysis, std::string text, const Reason* why);
// Adds the places that gave a size to a guard.
void addOrigins(Analysis& analysis, Guard& guard, const ShapePart& size);

}  // namespace axle::tensorflow
