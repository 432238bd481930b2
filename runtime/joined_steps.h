// Steps that run together as one, by the kernel of the first: convolutions row by row, products in strips of rows.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Makes one call of a step and the `following` ones after it, with workspaces of `bytes` for each part. Their results
// but the last one exist in rows only. `nanosecondsOf`: of one thread. Returns the error, or null.
const char* joinSteps(BoundGraph& graph, Step& first, PartKernel kernel, std::uint64_t (*nanosecondsOf)(const Step&),
                      std::uint64_t bytes);

}  // namespace axle::runtime
