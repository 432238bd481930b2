#include "typecheck/solver/shared_sets.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace axle {
namespace {

// Unions of random sets: two sets have the same id exactly if they have the same elements.
TEST(SharedSets, EqualSetsAreOne) {
  std::mt19937 random(7);
  const std::uint32_t elements[] = {0, 1, 2, 3, 7, 8, 1000, 1001, 1u << 20, (1u << 31) - 1, 1u << 31, UINT32_MAX};
  SharedSets sets;
  std::vector<std::pair<SharedSets::Id, std::set<std::uint32_t>>> made{{SharedSets::empty, {}}};
  for (std::uint32_t e : elements) made.push_back({sets.single(e), {e}});
  std::map<std::set<std::uint32_t>, SharedSets::Id> known;
  for (int i = 0; i < 4000; ++i) {
    const auto a = made[random() % made.size()], b = made[random() % made.size()];
    std::set<std::uint32_t> both = a.second;
    both.insert(b.second.begin(), b.second.end());
    SharedSets::Id id = sets.unite(a.first, b.first);
    EXPECT_EQ(known.try_emplace(both, id).first->second, id);
    EXPECT_EQ(sets.only(id), both.size() == 1 ? std::optional(*both.begin()) : std::nullopt);
    if (made.size() < 400) made.push_back({id, std::move(both)});
  }
  std::set<SharedSets::Id> ids;
  for (const auto& [set, id] : known) ids.insert(id);
  EXPECT_EQ(ids.size(), known.size());
  EXPECT_GT(known.size(), 100u);
}

TEST(SharedSets, ChainsOfUnionsShareTheirParts) {
  SharedSets sets;
  SharedSets::Id chain = SharedSets::empty;
  constexpr std::uint32_t length = 20000;
  for (std::uint32_t i = 0; i < length; ++i) chain = sets.unite(chain, sets.single(i));
  EXPECT_LT(sets.size(), length * 20u);
}

}  // namespace
}  // namespace axle
