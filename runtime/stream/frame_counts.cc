#include "runtime/stream/frame_counts.h"

namespace axle::runtime {

std::int64_t valueAt(const manifest::Schedule& schedule, std::uint64_t n) {
  return static_cast<std::int64_t>(std::min(schedule.at(n), maxStreamFrames));
}

std::int64_t widthOf(const manifest::Source& window, std::int64_t frames) {
  const std::int64_t numerator = (frames - 1) * window.stride + window.last - window.first;
  return numerator / window.spread + (window.spread > 1 ? 2 : 1);
}

std::vector<std::int64_t> sizesOf(const StageRun& run) {
  std::vector<std::int64_t> sizes;
  if (run.stage->scale == 0) {
    for (std::int64_t size = 1; size < run.most; size *= 2) sizes.push_back(size);
    sizes.push_back(run.most);
    return sizes;
  }
  // Sizes count the frames read: one result frame needs `least` + 1 or `least` + 2 of them, depending on its position.
  const manifest::Source& window = run.stage->sources[0];
  const std::int64_t least = (window.last - window.first) / window.spread;
  const std::int64_t most = widthOf(window, run.most);
  for (std::int64_t more = 1; least + more < most; more *= 2) sizes.push_back(least + more);
  if (window.spread > 1 && !sizes.empty() && sizes.back() < most - 1) sizes.push_back(most - 1);
  sizes.push_back(most);
  return sizes;
}

}  // namespace axle::runtime
