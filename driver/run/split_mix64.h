// SplitMix64: pseudo-random numbers from a seed, the same on every machine.
#pragma once

#include <cstdint>

namespace axle::run {

// A Weyl sequence followed by a mixing function.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace axle::run
