// Finds which values of a graph share memory: views of other values, parts computed in place, and results that take the
// memory of an operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/program.h"

namespace axle::runtime {

// Finds the place of every value, and sets the pitches of the graph's views. Call it once the steps are prepared. An
// error names a node that must not share memory as it does: a view that is no regular part of its whole, or a result in
// memory that is still needed.
Result<void> shareStorage(BoundGraph& graph, const manifest::Manifest& manifest);

}  // namespace axle::runtime
