#include "runtime/parts.h"

#include <limits>

#include "runtime/bundle_format.h"

namespace axle::runtime {
namespace {

// Threads are worth waking if all divided calls of a run together take as long as this many parts.
constexpr std::uint64_t leastParts = 20;

std::uint64_t dividedWork(const BoundGraph& graph) {
  std::uint64_t work = 0;
  for (const Step& step : graph.steps) {
    if (__builtin_add_overflow(work, step.dividedWork, &work)) return std::numeric_limits<std::uint64_t>::max();
    for (const BoundGraph& body : step.bodies)
      if (__builtin_add_overflow(work, dividedWork(body), &work)) return std::numeric_limits<std::uint64_t>::max();
  }
  return work;
}

void runWhole(BoundGraph& graph) {
  for (Step& step : graph.steps) {
    step.parts = 1;
    step.team = nullptr;
    for (BoundGraph& body : step.bodies) runWhole(body);
  }
}

bool runParts(Step& step, Fault& fault) {
  return step.parts == 1 ? step.partKernel(step, {}, fault) : step.team->run(step, fault);
}

}  // namespace

const char* divideStep(Step& step, PartKernel kernel, std::uint64_t nanoseconds, std::uint64_t bytesOfPart) {
  step.kernel = runParts;
  step.partKernel = kernel;
  step.workspaceBytes = alignUp(bytesOfPart);
  if (kernel == nullptr) return "not for this element type";
  if (step.team == nullptr) return nullptr;
  const auto threads = static_cast<std::uint64_t>(step.team->threads());
  const std::uint64_t least = step.team->leastWork(),
                      parts = least == 0 ? threads : std::clamp<std::uint64_t>(nanoseconds / least, 1, threads);
  step.parts = static_cast<int>(parts);
  step.dividedWork = parts > 1 ? nanoseconds : 0;
  return __builtin_mul_overflow(step.workspaceBytes, parts, &step.workspaceBytes) ? "it needs too much memory"
                                                                                  : nullptr;
}

bool divideGraph(BoundGraph& graph, std::uint64_t leastWork) {
  if (dividedWork(graph) >= leastParts * leastWork) return true;
  runWhole(graph);
  return false;
}

}  // namespace axle::runtime
