// Guards: what a run must check, since its sizes decide it. What an input's shape must be besides what is declared of
// it, and what the solver leaves open.
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

// The rank that an earlier run found for an input that is declared without one. An input of known rank tells its sizes
// to nodes that come before the one that needs the rank.
struct InferredRank {
  std::vector<std::string> sizes;  // by axis, the name of a size that is open; empty where it is not
  std::optional<Guard> guard;      // that a run has an input of this rank
};
using InferredRanks = std::map<Outlet, InferredRank>;

void findGuards(Analysis& analysis);

// The ranks that a finished analysis found for inputs that are declared without one.
InferredRanks inferredRanks(Analysis& analysis);

// Adds a guard that `why` (null for nothing) asks for. Null where there is one with this text.
Guard* addGuard(Analysis& analysis, std::string text, const Reason* why);
// Adds the places that gave a size.
void addOrigins(Analysis& analysis, Guard& guard, const ShapePart& size);

}  // namespace axle::tensorflow
