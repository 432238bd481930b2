// Divides a call among the threads of its session. A kernel splits its results only at the borders of the blocks that
// it computes at once, so that each element has the same bits for any number of parts.
#pragma once

#include "runtime/program.h"
#include "runtime/threads.h"

namespace axle::runtime {

// Sets the kernel of a step; called by its `prepare`. `nanoseconds` estimates the time of one thread and decides the
// number of parts. Each part has a workspace of `bytesOfPart`. Returns the error, or null; a null kernel is an error.
const char* divideStep(Step& step, PartKernel kernel, std::uint64_t nanoseconds, std::uint64_t bytesOfPart = 0);

inline std::byte* workspaceOf(const Step& step, Part part) {
  return step.workspace +
         static_cast<std::uint64_t>(part.index) * (step.workspaceBytes / static_cast<std::uint64_t>(part.count));
}

// Whether the divided work in a run of the bound graph is worth waking threads. If not, steps run undivided.
bool divideGraph(BoundGraph& graph, std::uint64_t leastWork);

}  // namespace axle::runtime
