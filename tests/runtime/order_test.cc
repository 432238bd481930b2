// Operators that compare elements, on lines longer than what kernels read at once, against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/half.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/draws.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

using Positions = std::vector<std::int64_t>;

// Of few different elements, so that many are equal.
template <class T>
std::vector<T> drawLine(Draws& draws, std::int64_t count) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) {
    const std::int64_t kind = draws.below(8);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T special[] = {-T{0},
                               T{0},
                               std::numeric_limits<T>::infinity(),
                               -std::numeric_limits<T>::infinity(),
                               std::numeric_limits<T>::denorm_min(),
                               std::numeric_limits<T>::lowest()};
      x = kind == 0 ? special[draws.below(6)] : static_cast<T>(draws.below(2000) - 1000) / 16;
    } else {
      constexpr T special[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0}};
      x = kind == 0 ? special[draws.below(3)] : static_cast<T>(draws.below(2000) - 1000);
    }
  }
  return made;
}

// NaN is the largest.
template <class T>
bool isLess(T a, T b) {
  return a < b || (a == a && b != b);
}

// The positions of a line of elements in order.
template <class T>
Positions ordered(const std::vector<T>& line, bool descending) {
  Positions at(line.size());
  std::iota(at.begin(), at.end(), 0);
  const auto element = [&](std::int64_t i) { return line[static_cast<std::size_t>(i)]; };
  std::stable_sort(at.begin(), at.end(), [&](std::int64_t a, std::int64_t b) {
    return descending ? isLess(element(b), element(a)) : isLess(element(a), element(b));
  });
  return at;
}

// The order of TensorFlow 1's top_k with sorted=false: a heap of the first k + 1, whose front is then replaced.
template <class T>
Positions heaped(const std::vector<T>& line, std::size_t k, bool descending) {
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const T x = line[static_cast<std::size_t>(a)], y = line[static_cast<std::size_t>(b)];
    return descending ? isLess(y, x) || (!isLess(x, y) && a < b) : isLess(x, y) || (!isLess(y, x) && a < b);
  };
  Positions heap(k + 1);
  std::iota(heap.begin(), heap.end(), 0);
  std::make_heap(heap.begin(), heap.end(), before);
  std::pop_heap(heap.begin(), heap.end(), before);
  heap.pop_back();
  for (std::size_t i = k + 1; i < line.size(); ++i) {
    if (!before(static_cast<std::int64_t>(i), heap[0])) continue;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < k; child = 2 * hole + 1) {
      if (child + 1 < k && before(heap[child], heap[child + 1])) ++child;
      if (!before(static_cast<std::int64_t>(i), heap[child])) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = static_cast<std::int64_t>(i);
  }
  return heap;
}

Positions placesOf(std::uint32_t op, const Tensor& x, const std::vector<std::int64_t>& ints, const Shape& result) {
  const auto made = runOperator(op, {x.view()}, ints, Elem::i64, result);
  if (!made) return ADD_FAILURE() << made.error().text(), Positions();
  return elementsOf<std::int64_t>(made->view());
}

template <class T>
void checkLine(Elem elem, const std::vector<T>& line) {
  const auto n = static_cast<std::int64_t>(line.size());
  const Tensor x = tensorOf(elem, {n}, line);
  for (const bool descending : {false, true}) {
    const Positions all = ordered(line, descending);
    EXPECT_EQ(placesOf(op::argsort, x, {0, descending}, {n}), all) << n << " " << descending;
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}, n / 5, n / 2, n - 1}) {
      if (k < 1 || k >= n) continue;
      const auto count = static_cast<std::size_t>(k);
      EXPECT_EQ(placesOf(op::topPlaces, x, {0, descending, 1}, {k}),
                Positions(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)))
          << k << " of " << n;
      EXPECT_EQ(placesOf(op::topPlaces, x, {0, descending, 0}, {k}), heaped(line, count, descending))
          << k << " of " << n;
    }
  }
  const auto first = [&](bool least) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < line.size(); ++i)
      if (line[best] == line[best] && (line[i] != line[i] || (least ? line[i] < line[best] : line[best] < line[i])))
        best = i;
    return Positions{static_cast<std::int64_t>(best)};
  };
  EXPECT_EQ(placesOf(op::argMax, x, {0}, {}), first(false)) << n;
  EXPECT_EQ(placesOf(op::argMin, x, {0}, {}), first(true)) << n;
}

template <class T>
class Order : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t,
                               std::uint64_t>;
TYPED_TEST_SUITE(Order, Types);

template <class T>
constexpr Elem elemOf() {
  if constexpr (std::is_same_v<T, float>) return Elem::f32;
  if constexpr (std::is_same_v<T, double>) return Elem::f64;
  if constexpr (std::is_same_v<T, std::int8_t>) return Elem::i8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Elem::u8;
  if constexpr (std::is_same_v<T, std::int32_t>) return Elem::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Elem::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Elem::i64;
  return Elem::u64;
}

TYPED_TEST(Order, OfLongLines) {
  Draws draws(11);
  for (const std::int64_t n : {1, 2, 63, 255, 256, 257, 1000, 3000}) {
    std::vector<TypeParam> line = drawLine<TypeParam>(draws, n);
    checkLine(elemOf<TypeParam>(), line);
    if constexpr (std::is_floating_point_v<TypeParam>) {
      for (const std::int64_t at : {n / 3, n - 1})
        line[static_cast<std::size_t>(at)] = std::numeric_limits<TypeParam>::quiet_NaN();
      checkLine(elemOf<TypeParam>(), line);
    }
    if (this->HasFailure()) return;
  }
}

TEST(Order, OfHalves) {
  Draws draws(12);
  for (const Elem elem : {Elem::f16, Elem::bf16})
    for (const std::int64_t n : {5, 300, 2000}) {
      std::vector<float> wide = drawLine<float>(draws, n);
      wide[static_cast<std::size_t>(n / 2)] = NAN;
      std::vector<std::uint16_t> bits(wide.size());
      for (std::size_t i = 0; i < wide.size(); ++i) {
        bits[i] = elem == Elem::f16 ? f16FromF32(wide[i]) : bf16FromF32(wide[i]);
        wide[i] = elem == Elem::f16 ? f32FromF16(bits[i]) : f32FromBf16(bits[i]);
      }
      const Tensor x = tensorOf(elem, {n}, bits);
      for (const bool descending : {false, true})
        EXPECT_EQ(placesOf(op::argsort, x, {0, descending}, {n}), ordered(wide, descending)) << n;
    }
}

// Along an axis whose elements are not adjacent; threads divide the lines.
TEST(Order, OfColumns) {
  Draws draws(13);
  constexpr std::int64_t outer = 3, n = 300, inner = 5, k = 9;
  const std::vector<float> elements = drawLine<float>(draws, outer * n * inner);
  const Tensor x = tensorOf(Elem::f32, {outer, n, inner}, elements);
  const Positions sorted = placesOf(op::argsort, x, {1, 0}, {outer, n, inner}),
                  top = placesOf(op::topPlaces, x, {1, 1, 1}, {outer, k, inner}),
                  most = placesOf(op::argMax, x, {1}, {outer, inner});
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      std::vector<float> line;
      for (std::int64_t j = 0; j < n; ++j) line.push_back(elements[static_cast<std::size_t>((o * n + j) * inner + i)]);
      const Positions up = ordered(line, false), down = ordered(line, true);
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(sorted[static_cast<std::size_t>((o * n + j) * inner + i)], up[static_cast<std::size_t>(j)]);
      for (std::int64_t j = 0; j < k; ++j)
        ASSERT_EQ(top[static_cast<std::size_t>((o * k + j) * inner + i)], down[static_cast<std::size_t>(j)]);
      ASSERT_EQ(most[static_cast<std::size_t>(o * inner + i)], down[0]);
    }
}

}  // namespace
}  // namespace axle::runtime::test
