// A map whose function looks at several frames, over any number of elements.
#pragma once

#include <optional>

#include "ir/passes/patch.h"

namespace axle::ir::stream {

// The operators of the function of a map of the main graph, over one more axis in front; those that have no such form
// stay in maps of their own. None if that takes none of them out.
std::optional<Patch> operatorsOfMap(Model& model, NodeId map);

}  // namespace axle::ir::stream
