#include "ir/stream/schedule.h"

#include <algorithm>

namespace axle::ir {

std::int64_t Schedule::at(std::int64_t n) const {
  const auto known = static_cast<std::int64_t>(first.size());
  if (n < known) return first[static_cast<std::size_t>(n)];
  const std::int64_t rounds = (n - known) / period + 1;
  return first[static_cast<std::size_t>(n - rounds * period)] + rounds * step;
}

std::optional<Growth> growthOf(std::span<const std::int64_t> values) {
  const std::size_t half = values.size() / 2;
  for (std::size_t period = 1; period * 4 <= half; ++period) {
    const std::int64_t step = values.back() - values[values.size() - 1 - period];
    bool holds = true;
    for (std::size_t n = half; holds && n + period < values.size(); ++n) holds = values[n + period] - values[n] == step;
    if (holds) return Growth{static_cast<std::int64_t>(period), step};
  }
  return std::nullopt;
}

std::optional<Schedule> scheduleOf(std::span<const std::int64_t> values) {
  const auto growth = growthOf(values);
  if (!growth) return std::nullopt;
  const auto period = static_cast<std::size_t>(growth->period);
  std::size_t known = values.size();
  while (known > period && values[known - 1] == values[known - 1 - period] + growth->step) --known;
  return Schedule{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(known)}, growth->period, growth->step};
}

}  // namespace axle::ir
