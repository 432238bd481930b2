#include "runtime/stream/least_state.h"

#include <algorithm>
#include <optional>

#include "runtime/ops.h"
#include "runtime/stream/frame_counts.h"

namespace axle::runtime {
namespace {

using manifest::Sink;
using manifest::Source;
using manifest::SourceKind;

// How results share the frames of an operand: result a is computed from frames (a*stride + first) / spread to (a*stride
// + last) / spread.
struct Sharing {
  std::int64_t stride = 1, spread = 1, first = 0, last = 0;
  std::uint64_t frameBytes = 0, sumBytes = 0;  // of a frame of the operand, and of a result

  // Return how many results have some, or all, of their shares from the first `frames` frames.
  std::int64_t begun(std::int64_t frames) const { return floorQuotient(frames * spread - 1 - first, stride) + 1; }
  std::int64_t whole(std::int64_t frames) const { return floorQuotient(frames * spread - 1 - last, stride) + 1; }

  // Returns the least bytes after a number of frames. The newest frames may be kept as they are, and the others as sums
  // of shares. Each result in which only the newest frames have a share saves a sum, and costs as many frames as the
  // result before it. So the best number of such results is none, one or all.
  std::uint64_t leastAfter(std::int64_t frames) const {
    const std::int64_t rest = frames * spread - 1 - first;
    const std::int64_t one = (rest - floorQuotient(rest, stride) * stride) / spread + 1;
    const std::int64_t all = std::max<std::int64_t>(0, (rest - whole(frames) * stride) / spread + 1);
    std::uint64_t least = UINT64_MAX;
    for (const std::int64_t kept : {std::int64_t{0}, std::min(one, all), all}) {
      const std::int64_t sums = std::max<std::int64_t>(0, begun(frames - kept) - whole(frames));
      least =
          std::min(least, static_cast<std::uint64_t>(kept) * frameBytes + static_cast<std::uint64_t>(sums) * sumBytes);
    }
    return least;
  }

  // Returns the maximum of number(frames) for the numbers of operand frames in the schedule.
  template <class Number>
  std::uint64_t most(const manifest::Schedule& come, Number number) const {
    constexpr std::uint64_t limit = 1024;
    const std::uint64_t rounds =
        std::min<std::uint64_t>(limit, std::max<std::uint64_t>(come.period, 1) * static_cast<std::uint64_t>(stride));
    std::uint64_t most = 0;
    for (std::uint64_t n = come.first.size(); n < come.first.size() + rounds; ++n)
      most = std::max<std::uint64_t>(most, number(valueAt(come, n) + (last - first + stride) * stride));
    return most;
  }
  std::uint64_t least(const manifest::Schedule& come) const {
    return most(come, [&](std::int64_t frames) { return leastAfter(frames); });
  }
  // Returns the bytes if everything is kept as sums.
  std::uint64_t sums(const manifest::Schedule& come) const {
    return most(come, [&](std::int64_t frames) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, begun(frames) - whole(frames))) * sumBytes;
    });
  }

 private:
  static std::int64_t floorQuotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
};

bool addsUp(const Step& step) {
  switch (step.node->op) {
    case op::conv:
    case op::convPanels:
    case op::convDepthwise:
    case op::convGroups:
    case op::convWinogradF2:
    case op::convWinogradF4:
    case op::convWinogradF6:
    case op::convPanelsHalf:
    case op::convDepthwiseHalf:
    case op::convWinogradHalfF2:
    case op::convWinogradHalfF4:
    case op::convWinogradHalfF6:
    case op::avgPool:
    case op::overlapAdd:
      return true;
    default:
      return false;
  }
}

std::uint64_t frameBytes(const Frames& frames) {
  return static_cast<std::uint64_t>(frames.outer() * frames.frameBytes());
}

struct Sums {
  std::uint64_t bytes = 0;        // of one frame of the results
  std::int64_t placesBefore = 0;  // for a transposed convolution: places before the first frame that it reads
};

// Returns the sums over an input of a stage; none if an operator reads it that computes no sums.
std::optional<Sums> sumsOver(const StageRun& run, std::size_t input, int axis) {
  const BoundGraph& graph = run.programs.front()->graph;
  const std::uint32_t root = graph.graph->inputs[input];
  Sums sums;
  for (const Step& step : graph.steps)
    for (const std::uint32_t value : step.node->inputs) {
      if (graph.storage[value].root != root) continue;
      const TensorView& out = step.out(0);
      if (!addsUp(step) || axis >= out.shape.rank() || out.shape[axis] == 0) return std::nullopt;
      sums.bytes += out.bytes() / static_cast<std::uint64_t>(out.shape[axis]);
      if (run.stage->scale != 0 && step.node->op != op::overlapAdd)
        sums.placesBefore = step.integer(out.shape.rank() - 2 + 2 * (axis - 1));
    }
  return sums;
}

// Returns the most frames that a stage keeps because it is not yet sure that they are wanted.
std::int64_t waiting(const Network& network, const StageRun& run, const StageSource& source) {
  const manifest::Schedule& come = network.model->stream.buffers[source.buffer].sure;
  std::int64_t most = 0;
  for (const std::uint32_t buffer : run.appended) {
    const manifest::Schedule& done = network.model->stream.buffers[buffer].sure;
    most = std::max(most, mostOf({&come, &done}, [&](std::uint64_t n) {
                      return valueAt(come, n) - std::max<std::int64_t>(0, source.lastOf(valueAt(done, n)));
                    }));
  }
  return most;
}

// Returns the bytes of sums in place of a buffer's frames; none if readers cannot keep sums.
std::optional<std::uint64_t> asSums(const Network& network, std::size_t buffer) {
  const manifest::Buffer& described = network.model->stream.buffers[buffer];
  // Frames outside would have shares if they are not zero.
  if (std::any_of(described.fill.begin(), described.fill.end(), [](std::byte byte) { return byte != std::byte{0}; }))
    return std::nullopt;
  std::uint64_t bytes = 0;
  std::int64_t kept = 0;  // frames
  for (const StageRun& run : network.stages)
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      const Source& source = *run.sources[i].source;
      // Averages that count the frames inside are no sums.
      if (source.is(SourceKind::inside) && source.index == buffer) return std::nullopt;
      if (!source.readsBuffer() || run.sources[i].buffer != buffer) continue;
      const std::int64_t wide = source.last - source.first;
      if (source.is(SourceKind::window)) kept = std::max(kept, waiting(network, run, run.sources[i]));
      if (source.is(SourceKind::window) && wide == 0 && run.sources.size() == 1) continue;  // it reads only new frames
      if (!source.is(SourceKind::window) || run.adds || source.stride == 0) return std::nullopt;
      const auto sums = sumsOver(run, i, static_cast<int>(described.axis));
      if (!sums) return std::nullopt;
      // A stage with a scale begins with a whole frame (StageModel::windowOf in ir/stream/).
      const std::int64_t first = source.first + source.spread - 1 - sums->placesBefore;
      bytes += Sharing{source.stride,
                       source.spread,
                       std::min(first, source.last),
                       source.last,
                       frameBytes(network.buffers[buffer]),
                       sums->bytes}
                   .least(described.sure);
    }
  return bytes + static_cast<std::uint64_t>(kept) * frameBytes(network.buffers[buffer]);
}

// Returns the bytes of frames in place of a buffer's sums. Whole sums that its readers need stay as they are.
std::uint64_t asFrames(const Network& network, std::size_t buffer, std::uint64_t bytes) {
  const auto& adders = network.model->adders[buffer];
  const StageRun& one = network.stages[adders.front()];
  const Frames& from = network.buffers[one.sources[0].buffer];
  Sharing sharing{one.sources[0].source->stride * one.adds->per,
                  one.adds->step,
                  INT64_MAX,
                  INT64_MIN,
                  frameBytes(from),
                  frameBytes(network.buffers[buffer])};
  for (const std::uint32_t stage : adders) {
    const Sink& sink = *network.stages[stage].adds;
    const Source& window = *network.stages[stage].sources[0].source;
    // Its frames a*stride + window.first to a*stride + window.last have shares in (a*step + shift) / per + m*spacing.
    const std::int64_t reach = (sink.count - 1) * sink.spacing * sink.per;
    sharing.first = std::min(sharing.first, (-sink.shift - reach) * window.stride + (window.first + 1) * sink.step - 1);
    sharing.last = std::max(sharing.last, -sink.shift * window.stride + sink.per - 1 + window.last * sink.step);
  }
  const manifest::Schedule& come = network.model->stream.buffers[one.sources[0].buffer].sure;
  return bytes - std::min(bytes, sharing.sums(come)) + sharing.least(come);
}

}  // namespace

std::uint64_t leastBytes(const Network& network, std::size_t buffer, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  if (!network.model->adders[buffer].empty()) return std::min(bytes, asFrames(network, buffer, bytes));
  const auto sums = asSums(network, buffer);
  return sums && *sums > 0 ? std::min(bytes, *sums) : bytes;
}

}  // namespace axle::runtime
