// What prepared products fetch of the data that later calls read.
#include "runtime/fetch_ahead.h"

#include <gtest/gtest.h>

#include "runtime/prepared_product.h"

namespace axle::runtime::test {
namespace {

using Call = PreparedProduct::Call;
using Fetches = PreparedProduct::Fetches;

constexpr std::int64_t taps = 3;

Call callOf(std::int64_t row, std::int64_t rows, std::int64_t blocks, std::int64_t depth, std::int64_t fetchPitch) {
  Call call;
  call.row = row, call.rows = rows, call.blocks = blocks, call.depth = depth, call.fetchPitch = fetchPitch;
  call.table = static_cast<std::size_t>(row * taps);
  return call;
}

// The first call fetches panels of its own product.
PreparedProduct productOfThreeCalls() {
  PreparedProduct product;
  product.block.taps = taps;
  product.calls = {callOf(0, 4, 10, 8, 2), callOf(0, 4, 10, 8, 0), callOf(40, 3, 5, 8, 0)};
  return product;
}

// The first row of each block, and the place of its pointers.
std::vector<std::pair<std::int64_t, std::size_t>> blocksOf(const PreparedProduct& product) {
  std::vector<std::pair<std::int64_t, std::size_t>> blocks;
  for (const Call& call : product.calls)
    for (std::int64_t i = 0; i < call.blocks; ++i)
      blocks.emplace_back(call.row + i * call.rows, call.table + static_cast<std::size_t>(i * call.rows * taps));
  return blocks;
}

TEST(FetchAhead, LastCallsFetchTheNextElementsInOrder) {
  const auto expected = blocksOf(productOfThreeCalls());
  for (const std::int64_t elements : {1, 24, 100, 360, 361, 1000, 5760, 100000}) {
    PreparedProduct product = productOfThreeCalls();
    fetchNext(product, elements);
    EXPECT_EQ(blocksOf(product), expected) << elements;
    EXPECT_EQ(product.calls[0].fetches, Fetches::panels);
    EXPECT_EQ(product.calls[0].fetchPitch, 2);
    std::int64_t fetched = 0, greatest = 0;
    for (std::size_t i = 1; i < product.calls.size(); ++i) {
      const Call& call = product.calls[i];
      const std::int64_t ofBlock = call.fetchPitch * taps * call.depth;
      EXPECT_EQ(call.fetches, Fetches::next);
      if (call.fetchPitch == 0) continue;
      EXPECT_EQ(call.fetched, fetched) << elements;
      fetched += call.blocks * ofBlock, greatest = std::max(greatest, ofBlock);
    }
    constexpr std::int64_t mostFetched = 15 * taps * 8 * panelWidth;
    EXPECT_LE(fetched, elements);
    EXPECT_GT(fetched + std::max<std::int64_t>(greatest, taps * 8), std::min(elements, mostFetched)) << elements;
  }
}

TEST(FetchAhead, NothingIsLeftToFetchIt) {
  PreparedProduct product = productOfThreeCalls(), none;
  product.calls.back().fetchPitch = 1;
  fetchNext(product, 1000);
  fetchNext(none, 1000);
  for (const Call& call : product.calls) EXPECT_EQ(call.fetches, Fetches::panels);
  EXPECT_TRUE(none.calls.empty());
}

}  // namespace
}  // namespace axle::runtime::test
