// Numbers of frames as functions of the number of frames received: a table of first values, then a period.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace axle::ir {

// at(n) is first[n] within the table, and at(n - period) + step behind it. The period is at most the table's length.
struct Schedule {
  std::vector<std::int64_t> first;
  std::int64_t period = 0, step = 0;

  std::int64_t at(std::int64_t n) const;
};

// An increase by `step` for each `period` frames, in the long run.
struct Growth {
  std::int64_t period = 0, step = 0;
};

// Returns how values grow in the last half of a table; nothing if no period occurs several times there.
std::optional<Growth> growthOf(std::span<const std::int64_t> values);

// Returns the shortest table with the same values, and its continuation; nothing if the values have no period.
std::optional<Schedule> scheduleOf(std::span<const std::int64_t> values);

}  // namespace axle::ir
