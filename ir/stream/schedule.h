// Numbers of frames as functions of the number of frames that have come: a table of first values, then a period.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace axle::ir {

// at(n) = first[n]; behind those at(n) = at(n - period) + step. The period is not above the number of first values.
struct Schedule {
  std::vector<std::int64_t> first;
  std::int64_t period = 0, step = 0;

  std::int64_t at(std::int64_t n) const;
};

// `step` more for each `period` frames, in the long run.
struct Growth {
  std::int64_t period = 0, step = 0;
};

// How values grow in the last half of a table; none if they have no period there that is seen several times.
std::optional<Growth> growthOf(std::span<const std::int64_t> values);

// The shortest table with the same values, and its continuation; none where the values have no period.
std::optional<Schedule> scheduleOf(std::span<const std::int64_t> values);

}  // namespace axle::ir
