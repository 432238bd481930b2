// Opens a map whose function looks at several frames, over any number of elements.
#pragma once

#include <optional>

#include "ir/passes/patch.h"

namespace axle::ir::stream {

// Replaces a map of the main graph by the operators of its function, over one more axis in front. Operators without
// such a form stay in maps of their own. Returns nothing if all would stay.
std::optional<Patch> operatorsOfMap(Model& model, NodeId map);

}  // namespace axle::ir::stream
