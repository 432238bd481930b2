#include "driver/run/push_times.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace axle::run {
namespace {

constexpr int droppedBits = 17;  // of the 23 bits of the fraction

}  // namespace

void PushTimes::add(float microseconds) {
  const float time = std::max(microseconds, 0.0F);
  ++counts_[std::bit_cast<std::uint32_t>(time) >> droppedBits];
  ++pushes_;
  sum_ += static_cast<double>(time);
  most_ = std::max(most_, time);
}

double PushTimes::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(pushes_)));
  std::uint64_t seen = 0;
  for (std::uint32_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen < std::max<std::uint64_t>(wanted, 1)) continue;
    const float end = std::bit_cast<float>((bucket + 1) << droppedBits);
    return static_cast<double>(std::min(end, most_));
  }
  return static_cast<double>(most_);
}

}  // namespace axle::run
