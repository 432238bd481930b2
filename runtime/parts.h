// Dividing a call among the threads of its session. A kernel divides its results so that each element is computed the
// same way whatever the number of parts: at the borders of the blocks that it computes at once.
#pragma once

#include "runtime/program.h"
#include "runtime/threads.h"

namespace axle::runtime {

// Sets the kernel of a step, called by its `prepare`. `nanoseconds` is about the time that one thread takes: it decides
// how many parts there are. Each has a workspace of `bytesOfPart`. Returns the error, or null; no kernel is one.
const char* divideStep(Step& step, PartKernel kernel, std::uint64_t nanoseconds, std::uint64_t bytesOfPart = 0);

inline std::byte* workspaceOf(const Step& step, Part part) {
  return step.workspace +
         static_cast<std::uint64_t>(part.index) * (step.workspaceBytes / static_cast<std::uint64_t>(part.count));
}

// Whether a run of the bound graph has enough divided work to wake threads for. If not, its steps run whole.
bool divideGraph(BoundGraph& graph, std::uint64_t leastWork);

}  // namespace axle::runtime
