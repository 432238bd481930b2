// Numbers of frames that a stream handles at once: in windows, in programs and in pushes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "runtime/stream/network.h"

namespace axle::runtime {

// The largest difference(n) for all n. It must be periodic after the first values of the schedules.
template <class Difference>
std::int64_t mostOf(std::initializer_list<const manifest::Schedule*> schedules, Difference difference) {
  std::uint64_t first = 1, period = 1;
  constexpr std::uint64_t limit = 1u << 20;
  for (const manifest::Schedule* schedule : schedules) {
    first = std::max<std::uint64_t>(first, schedule->first.size());
    period = std::min(limit, std::lcm(period, std::clamp<std::uint64_t>(schedule->period, 1, limit)));
  }
  std::int64_t most = 0;
  for (std::uint64_t n = 0; n < first + period; ++n) most = std::max(most, difference(n));
  return most;
}

std::int64_t valueAt(const manifest::Schedule& schedule, std::uint64_t n);

// The most frames of a window that serves `frames` frames of a stage.
std::int64_t widthOf(const manifest::Source& window, std::int64_t frames);

// The numbers of frames that a stage's programs are bound to.
std::vector<std::int64_t> sizesOf(const StageRun& run);

}  // namespace axle::runtime
