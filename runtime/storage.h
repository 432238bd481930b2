// Which values of a graph share memory: views of other values, parts that are computed in place, results that take the
// memory of an operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/program.h"

namespace axle::runtime {

// After the steps are prepared: finds where every value lies, and sets the pitches of the graph's views. An error says
// which node shares memory in a way that it may not: a view that is no regular part of its whole, a result in memory
// that is still needed.
Result<void> shareStorage(BoundGraph& graph, const manifest::Manifest& manifest);

}  // namespace axle::runtime
