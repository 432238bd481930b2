#include "io/sorting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using axle::sortItems;

TEST(Sorting, SortsAsStdSort) {
  std::mt19937 random(1);
  for (std::size_t count = 0; count < 70; ++count)
    for (std::uint32_t most : {1u, 5u, 1000u}) {
      std::vector<std::uint32_t> items(count);
      for (std::uint32_t& item : items) item = static_cast<std::uint32_t>(random() % most);
      std::vector<std::uint32_t> sorted = items;
      std::sort(sorted.begin(), sorted.end());
      sortItems(std::span(items));
      EXPECT_EQ(items, sorted);
    }
}

TEST(Sorting, TakesAnOrderAndItemsThatOwnMemory) {
  std::vector<std::string> items;
  for (char first = 'a'; first <= 'z'; ++first) items.push_back(std::string(40, first));
  const std::string last = items.back();
  sortItems(std::span(items),
            [&](const std::string& a, const std::string& b) { return (a == last) != (b == last) ? a == last : a < b; });
  EXPECT_EQ(items.front(), last);
  EXPECT_TRUE(std::is_sorted(items.begin() + 1, items.end()));
}

}  // namespace
