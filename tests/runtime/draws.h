// Random choices that are the same in every run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace axle::runtime::test {

class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::int64_t oneOf(std::initializer_list<std::int64_t> sizes) {
    return sizes.begin()[below(static_cast<std::int64_t>(sizes.size()))];
  }
  // Returns a number in [-1, 1).
  double fraction() { return static_cast<double>(random_()) * 0x1p-31 - 1; }
  std::vector<float> numbers(std::int64_t count, float (*draw)(Draws&)) {
    std::vector<float> made(static_cast<std::size_t>(count));
    for (float& x : made) x = draw(*this);
    return made;
  }

 private:
  std::mt19937 random_;
};

}  // namespace axle::runtime::test
