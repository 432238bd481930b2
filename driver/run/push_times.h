// The times of any number of pushes, in memory of one size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace axle::run {

class PushTimes {
 public:
  void add(float microseconds);

  // The time that a share of the pushes takes at most: up to 1/64 above it, and exact for all of them. 0 without any.
  double quantile(double share) const;
  double sum() const { return sum_; }

 private:
  // Of numbers that have the exponent and the first six bits behind the point in common.
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(std::size_t{1} << 14);
  std::uint64_t pushes_ = 0;
  double sum_ = 0;
  float most_ = 0;
};

}  // namespace axle::run
