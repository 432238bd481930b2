#include "runtime/joined_steps.h"

#include <limits>

#include "runtime/parts.h"

namespace axle::runtime {

const char* joinSteps(BoundGraph& graph, Step& first, PartKernel kernel, std::uint64_t (*nanosecondsOf)(const Step&),
                      std::uint64_t bytes) {
  std::uint64_t nanoseconds = 0, macs = 0;
  for (std::uint32_t k = 0; k <= first.following; ++k) {
    Step& step = (&first)[k];
    if (__builtin_add_overflow(nanoseconds, nanosecondsOf(step), &nanoseconds) ||
        __builtin_add_overflow(macs, step.macs.value_or(0), &macs))
      nanoseconds = macs = std::numeric_limits<std::uint64_t>::max();
    if (k < first.following) graph.isInRows[step.node->outputs[0]] = true;
    if (k == 0) continue;
    step.isEmpty = true;
    step.parts = 1, step.dividedWork = 0;
    step.workspaceBytes = step.workspacePlanned = 0;
  }
  first.macs = macs;
  const char* problem = divideStep(first, kernel, nanoseconds, bytes);
  first.workspacePlanned = first.workspaceBytes;
  return problem;
}

}  // namespace axle::runtime
