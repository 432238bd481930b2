// Measures the delay and the rate of a result from the times at which its frames are known.
#include <algorithm>
#include <numeric>

#include "dims/arithmetic.h"
#include "ir/stream/schedule.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

std::string printed(const State& s, Dim d) { return s.model.dims->print(d); }

std::string sizesText(const State& s, Dim length) { return "~" + printed(s, length); }

tl::expected<StreamedOutput, Obstacle> measure(State& s, const Flow& flow, Dim length) {
  StreamedOutput out;
  out.axis = flow.axis;
  const auto lengths = lengthsAlong(s, length);
  const auto growth = lengths ? growthOf(lengths->sure) : std::nullopt;
  if (!growth || flow.known.size() < 8) {
    s.isSettled = false;
    return tl::unexpected(Obstacle{BlockerKind::noRule, "the number of its frames, " + sizesText(s, length) +
                                                            ", follows no rule that could be found"});
  }
  if (growth->step <= 0)
    return tl::unexpected(Obstacle{BlockerKind::noFrames, "its result has no more frames as the stream goes on"});
  const std::int64_t divisor = std::gcd(growth->period, growth->step);
  out.stride = growth->period / divisor, out.frames = growth->step / divisor;
  std::int64_t inFirstHalf = 0;
  for (std::size_t frame = 0; frame < flow.known.size(); ++frame) {
    if (2 * frame == flow.known.size() || 2 * frame == flow.known.size() + 1) inFirstHalf = out.delay;
    const auto own = floorDiv(static_cast<std::int64_t>(frame) * out.stride, out.frames);
    out.delay = std::max(out.delay, flow.known[frame] - 1 - own);
  }
  if (out.delay == inFirstHalf) return out;
  s.isSettled = false;
  return tl::unexpected(Obstacle{BlockerKind::starving, "its result waits longer and longer"});
}

}  // namespace axle::ir::stream
