#include "runtime/stream/sums.h"

#include <algorithm>

namespace axle::runtime {
namespace {

using manifest::Source;
using manifest::SourceKind;

// Of the products that read an input of a stage, the bytes of their results for one frame; none where other operators
// read it.
std::optional<std::uint64_t> sumBytesOfFrame(const StageRun& run, std::size_t input) {
  const StageProgram& program = *run.programs.front();
  const BoundGraph& graph = program.graph;
  const std::uint32_t root = graph.graph->inputs[input];
  std::uint64_t bytes = 0;
  for (const Step& step : graph.steps)
    for (const std::uint32_t value : step.node->inputs) {
      if (graph.storage[value].root != root) continue;
      if (step.macs.value_or(0) == 0 || run.stage->scale != 0) return {};
      bytes += step.out(0).bytes() / static_cast<std::uint64_t>(program.size);
    }
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> sumBytes(const Network& network, std::size_t buffer) {
  std::uint64_t bytes = 0;
  for (const StageRun& run : network.stages)
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      const Source& source = *run.sources[i].source;
      if (!source.readsBuffer() || run.sources[i].buffer != buffer) continue;
      const std::int64_t wide = source.last - source.first;
      if (source.is(SourceKind::window) && wide == 0 && run.sources.size() == 1) continue;  // it reads what is new
      const auto frame = sumBytesOfFrame(run, i);
      if (!source.is(SourceKind::window) || source.spread > 1 || wide == 0 || !frame) return {};
      bytes += *frame * static_cast<std::uint64_t>(wide / std::max<std::int64_t>(source.stride, 1));
    }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace axle::runtime
