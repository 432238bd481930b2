// Records the times of any number of pushes in a fixed amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace axle::run {

class PushTimes {
 public:
  void add(float microseconds);

  // Returns the time that a share of the pushes takes at most, overestimated by up to 1/64; exact for all pushes. 0 if
  // there are none.
  double quantile(double share) const;
  double sum() const { return sum_; }

 private:
  // By exponent and the first six bits of the fraction: the number of pushes.
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(std::size_t{1} << 14);
  std::uint64_t pushes_ = 0;
  double sum_ = 0;
  float most_ = 0;
};

}  // namespace axle::run
