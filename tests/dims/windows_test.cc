// Compares window arithmetic over integers and dimensions with counting windows one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "dims/dim.h"
#include "dims/windows.h"

namespace axle {
namespace {

constexpr PlainSizes plain;

// Counts the windows of an extent that lie inside a padded axis.
std::int64_t countedPositions(std::int64_t size, std::int64_t around, std::int64_t extent, std::int64_t stride) {
  std::int64_t count = 0;
  for (std::int64_t from = 0; from + extent <= size + around; from += stride) ++count;
  return count;
}

// Calls the function over constants of a store.
template <class Function>
std::int64_t overDims(Function function, std::initializer_list<std::int64_t> numbers) {
  DimStore store;
  std::vector<Dim> dims;
  for (std::int64_t number : numbers) dims.push_back(store.constant(number));
  return store.asConstant(function(store, dims)).value_or(INT64_MIN);
}

TEST(Windows, PositionsMatchACount) {
  for (std::int64_t size = 0; size < 12; ++size)
    for (std::int64_t around = 0; around < 4; ++around)
      for (std::int64_t extent = 1; extent < 8; ++extent)
        for (std::int64_t stride = 1; stride < 5; ++stride) {
          const std::int64_t found = windowPositions(plain, size, around, extent, stride);
          ASSERT_EQ(sizeAtLeast(plain, found, 0), countedPositions(size, around, extent, stride));
          ASSERT_EQ(found, overDims([](DimStore& s, auto& d) { return windowPositions(s, d[0], d[1], d[2], d[3]); },
                                    {size, around, extent, stride}));
        }
}

TEST(Windows, SamePaddingGivesAPositionForEachStride) {
  for (std::int64_t size = 0; size < 20; ++size)
    for (std::int64_t extent = -3; extent < 8; ++extent)
      for (std::int64_t stride = 1; stride < 5; ++stride) {
        const std::int64_t count = samePaddedPositions(plain, size, stride);
        const auto [before, after] = samePaddingOf(plain, size, count, extent, stride);
        ASSERT_TRUE(after == before || after == before + 1);
        ASSERT_EQ(windowPositions(plain, size, before + after, extent, stride), count);
        ASSERT_EQ(before, overDims([](DimStore& s, auto& d) { return samePaddingOf(s, d[0], d[1], d[2], d[3]).first; },
                                   {size, count, extent, stride}));
      }
}

// A transposed convolution inverts sizes: a convolution of its result has as many positions as its input had elements,
// and so has the convolution that computes it.
TEST(Windows, TransposedConvolutionsInvertSizes) {
  for (std::int64_t count = 1; count < 8; ++count)
    for (std::int64_t taps = 1; taps < 5; ++taps)
      for (std::int64_t dilation = 1; dilation < 3; ++dilation)
        for (std::int64_t stride = 1; stride < 5; ++stride) {
          const std::int64_t extent = windowExtent(plain, taps, dilation), none = 0;
          const std::int64_t valid = transposedWindowSize(plain, WindowPadding::valid, count, none, extent, stride);
          ASSERT_EQ(windowPositions(plain, valid, none, extent, stride), count);
          const std::int64_t same = transposedWindowSize(plain, WindowPadding::same, count, none, extent, stride);
          ASSERT_EQ(samePaddedPositions(plain, same, stride), count);
          for (std::int64_t around = 0; around < 2; ++around) {
            const std::int64_t size =
                transposedWindowSize(plain, WindowPadding::explicitly, count, around, extent, stride);
            if (size < 1) continue;
            ASSERT_EQ(windowPositions(plain, size, around, extent, stride), count);
            const auto [before, after] = transposedWindowPadding(plain, size, count, around, extent, stride);
            const std::int64_t spread = spreadSize(plain, count, stride), step = 1;
            ASSERT_EQ(windowPositions(plain, spread, before + after, extent, step), size);
          }
        }
}

// If the size is a name, n, the results stay expressions in n.
TEST(Windows, DimensionsStaySymbolic) {
  DimStore store;
  const Dim n = store.variable(store.newVariable("n")), one = store.constant(1), three = store.constant(3);
  EXPECT_EQ(store.print(windowPositions(store, n, store.constant(2), three, one)), "n");
  EXPECT_EQ(store.print(windowPositions(store, n, store.constant(0), three, store.constant(2))), "ceildiv(n, 2) - 1");
  EXPECT_EQ(store.print(samePaddedPositions(store, n, store.constant(2))), "ceildiv(n, 2)");
  EXPECT_EQ(spreadSize(store, n, one), n);
  EXPECT_EQ(store.print(windowExtent(store, n, three)), "3*n - 2");
}

}  // namespace
}  // namespace axle
