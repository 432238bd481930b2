#include "dims/intern_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace axle {
namespace {

// Uses few hashes, so that many values share a hash and many searches overlap.
TEST(InternIndex, FindsWhatWasInsertedAndNotErased) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    InternIndex index;
    const std::uint64_t hashes = round % 2 ? 13 : 4096;
    std::vector<std::uint64_t> hashOf;  // the hash of each id
    std::vector<bool> isIn;
    for (int step = 0; step < 400; ++step) {
      const auto id = static_cast<std::uint32_t>(hashOf.empty() ? 0 : random() % hashOf.size());
      if (random() % 3 == 0 && !hashOf.empty() && isIn[id]) {
        index.erase(hashOf[id], id);
        isIn[id] = false;
      } else {
        hashOf.push_back(random() % hashes * (random() % 2 ? 1 : 0x100000001));
        isIn.push_back(true);
        index.insert(hashOf.back(), static_cast<std::uint32_t>(hashOf.size() - 1));
      }
    }
    for (std::uint32_t id = 0; id < hashOf.size(); ++id)
      EXPECT_EQ(index.find(hashOf[id], [&](std::uint32_t found) { return found == id; }).has_value(), isIn[id]);
  }
}

TEST(InternIndex, AsksOnlyValuesOfTheHash) {
  InternIndex index;
  EXPECT_FALSE(index.find(5, [](std::uint32_t) { return true; }));
  index.insert(5, 1);
  index.insert(5 + 16, 2);
  EXPECT_EQ(index.find(5 + 16, [](std::uint32_t) { return true; }), 2u);
  EXPECT_FALSE(index.find(5 + 32, [](std::uint32_t) { return true; }));
}

}  // namespace
}  // namespace axle
