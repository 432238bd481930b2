// Operators that copy or mix elements from computed places: gathers, resizing, and copies that threads divide. Elements
// of every width, more places than are read at once, and places that do not exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "io/half.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/draws.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

using Positions = std::vector<std::int64_t>;

struct Width {
  Elem elem;
  std::int64_t bytes;
};
constexpr Width widths[] = {{Elem::u8, 1}, {Elem::i16, 2}, {Elem::f32, 4}, {Elem::i64, 8}};

Tensor drawBytes(Draws& draws, Elem elem, const Shape& shape) {
  Tensor made = Tensor::make(elem, shape).value();
  for (std::byte& each : made.bytes()) each = static_cast<std::byte>(draws.below(256));
  return made;
}

Positions drawIds(Draws& draws, std::int64_t count, std::int64_t below) {
  Positions ids(static_cast<std::size_t>(count));
  for (std::int64_t& id : ids) id = draws.below(below);
  return ids;
}

// Whether element (or block) i of the result is element from(i) of x.
template <class From>
void expectCopied(const Result<Tensor>& made, const Tensor& x, std::int64_t bytes, From from) {
  ASSERT_TRUE(made) << made.error().text();
  const auto size = static_cast<std::size_t>(bytes);
  for (std::size_t i = 0; i < made->bytes().size() / size; ++i) {
    const auto at = static_cast<std::size_t>(from(static_cast<std::int64_t>(i)));
    ASSERT_EQ(std::memcmp(made->bytes().data() + i * size, x.bytes().data() + at * size, size), 0) << i;
  }
}

TEST(Copies, GatherBlocksOfAnySize) {
  Draws draws(21);
  constexpr std::int64_t n = 37;
  for (const auto& [elem, bytes] : widths)
    for (const std::int64_t inner : {1, 2, 3, 4, 5, 8, 16, 33})
      for (const std::int64_t outer : {1, 2, 9})
        for (const std::int64_t count : {1, 5, 700}) {
          const Tensor x = drawBytes(draws, elem, {outer, n, inner});
          const Positions ids = drawIds(draws, count, n);
          const Tensor at = tensorOf(Elem::i64, {count}, ids);
          expectCopied(runOperator(op::gather, {x.view(), at.view()}, {1}, elem, {outer, count, inner}), x,
                       bytes * inner,
                       [&](std::int64_t i) { return i / count * n + ids[static_cast<std::size_t>(i % count)]; });
          ASSERT_FALSE(HasFatalFailure()) << bytes << " " << inner << " " << outer << " " << count;
        }
}

TEST(Copies, GatherElementsAlongAnyAxis) {
  Draws draws(22);
  for (const auto& [elem, bytes] : widths)
    for (const Shape& shape : {Shape{5, 40, 3}, Shape{3, 7, 1}, Shape{1, 300, 1}, Shape{130, 2, 5}}) {
      const std::int64_t n = shape[1], inner = shape[2], k = 11;
      const Tensor x = drawBytes(draws, elem, shape);
      const Positions ids = drawIds(draws, shape[0] * k * inner, n);
      const Tensor at = tensorOf(Elem::i64, {shape[0], k, inner}, ids);
      expectCopied(
          runOperator(op::gatherElements, {x.view(), at.view()}, {1}, elem, at.shape()), x, bytes,
          [&](std::int64_t i) { return (i / inner / k * n + ids[static_cast<std::size_t>(i)]) * inner + i % inner; });
      ASSERT_FALSE(HasFatalFailure());
    }
}

TEST(Copies, GatherBlocksAtPositions) {
  Draws draws(23);
  constexpr std::int64_t sizes[] = {7, 5, 3};
  const Shape shape{sizes[0], sizes[1], sizes[2]};
  for (const auto& [elem, bytes] : widths)
    for (const int r : {0, 1, 2, 3})
      for (const std::int64_t rows : {1, 20, 200}) {
        const Tensor x = drawBytes(draws, elem, shape);
        Positions ids, places;
        for (std::int64_t row = 0; row < rows; ++row) {
          places.push_back(0);
          for (int axis = 0; axis < r; ++axis) {
            ids.push_back(draws.below(sizes[axis]));
            places.back() = places.back() * sizes[axis] + ids.back();
          }
        }
        Shape result{rows};
        std::int64_t block = 1;
        for (int axis = r; axis < 3; ++axis) result.push(sizes[axis]), block *= sizes[axis];
        const Tensor at = tensorOf(Elem::i64, {rows, r}, ids);
        expectCopied(runOperator(op::gatherNd, {x.view(), at.view()}, {}, elem, result), x, bytes * block,
                     [&](std::int64_t i) { return places[static_cast<std::size_t>(i)]; });
        ASSERT_FALSE(HasFatalFailure()) << bytes << " " << r << " " << rows;
      }
}

// The first id that is out of range is reported, for any number of threads.
TEST(Copies, PlacesThatDoNotExist) {
  constexpr std::int64_t count = 1500;
  const Tensor x = Tensor::make(Elem::f32, {4, 9}).value();
  const auto problem = [&](std::uint32_t op, const std::vector<std::int64_t>& ints, const Positions& ids,
                           const Shape& shape, const Shape& result) {
    const Tensor at = tensorOf(Elem::i64, shape, ids);
    const auto made = runOperator(op, {x.view(), at.view()}, ints, Elem::f32, result);
    return made ? "none" : made.error().text();
  };
  Positions ids(count, 3);
  ids[1200] = 9, ids[1400] = -1;
  EXPECT_NE(problem(op::gather, {1}, ids, {count}, {4, count}).find("index 9 is out of range for an axis of size 9"),
            std::string::npos);
  EXPECT_NE(problem(op::gatherElements, {1}, ids, {4, count / 4}, {4, count / 4})
                .find("index 9 is out of range for an axis of size 9"),
            std::string::npos);
  ids[1200] = 4;
  EXPECT_NE(
      problem(op::gatherNd, {}, ids, {count / 2, 2}, {count / 2}).find("index 4 is out of range for an axis of size 4"),
      std::string::npos);
  ids[1200] = 3;
  EXPECT_NE(problem(op::gatherNd, {}, ids, {count / 2, 2}, {count / 2})
                .find("index -1 is out of range for an axis of size 4"),
            std::string::npos);
}

TEST(Copies, PixelsThatRepeat) {
  Draws draws(24);
  for (const auto& [elem, bytes] : widths)
    for (const std::int64_t channels : {1, 3, 4, 16, 21}) {
      constexpr std::int64_t images = 2, height = 5, width = 7, down = 3, across = 2;
      const Tensor x = drawBytes(draws, elem, {images, height, width, channels});
      const Shape result{images, height * down, width * across, channels};
      const auto from = [&](std::int64_t i) {
        const std::int64_t column = i % result[2] / across, row = i / result[2] % result[1] / down;
        return (i / result[2] / result[1] * height + row) * width + column;
      };
      expectCopied(runOperator(op::upsample, {x.view()}, {down, across}, elem, result), x, bytes * channels, from);
      // The nearest pixels, counted from the top left, are the same.
      expectCopied(runOperator(op::resize, {x.view()}, {0, 2}, elem, result), x, bytes * channels, from);
      ASSERT_FALSE(HasFatalFailure()) << bytes << " " << channels;
    }
}

// Threads divide the outermost long loop.
TEST(Copies, AreDivided) {
  Draws draws(25);
  for (const auto& [elem, bytes] : widths)
    for (const Shape& s :
         {Shape{1, 2, 40, 19}, Shape{9, 5, 3, 2}, Shape{2, 1, 1, 70}, Shape{1, 1, 70, 67}, Shape{1, 1, 1, 1}}) {
      const Tensor x = drawBytes(draws, elem, s);
      const auto at = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
        return ((a * s[1] + b) * s[2] + c) * s[3] + d;
      };
      expectCopied(runOperator(op::transpose, {x.view()}, {3, 1, 0, 2}, elem, {s[3], s[1], s[0], s[2]}), x, bytes,
                   [&](std::int64_t i) {
                     return at(i / s[2] % s[0], i / s[2] / s[0] % s[1], i % s[2], i / s[2] / s[0] / s[1]);
                   });
      expectCopied(runOperator(op::reverse, {x.view()}, {2}, elem, s), x, bytes, [&](std::int64_t i) {
        return at(i / s[3] / s[2] / s[1], i / s[3] / s[2] % s[1], s[2] - 1 - i / s[3] % s[2], i % s[3]);
      });
      expectCopied(runOperator(op::broadcast, {x.view()}, {}, elem, {6, s[0], s[1], s[2], s[3]}), x, bytes,
                   [&](std::int64_t i) { return i % s.elements(); });
      expectCopied(runOperator(op::concat, {x.view(), x.view()}, {2}, elem, {s[0], s[1], 2 * s[2], s[3]}), x, bytes,
                   [&](std::int64_t i) {
                     return at(i / s[3] / (2 * s[2]) / s[1], i / s[3] / (2 * s[2]) % s[1], i / s[3] % s[2], i % s[3]);
                   });
      ASSERT_FALSE(HasFatalFailure()) << bytes << " " << s[0];
    }
}

// One result of a resized image, of pixels given by at(row, column).
template <class At>
double mixed(std::int64_t i, std::int64_t j, const Shape& x, const Shape& y, std::int64_t method, At at) {
  const auto weigh = [&](std::int64_t place, std::int64_t from, std::int64_t to, auto each) {
    const double position =
                     (static_cast<double>(place) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5,
                 whole = std::floor(position);
    const auto keys = [](double t) {
      t = std::abs(t);
      return t < 1 ? 1.5 * t * t * t - 2.5 * t * t + 1 : t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2 : 0.0;
    };
    double total = 0, sum = 0;
    for (int tap = method == 1 ? 0 : -1; tap <= (method == 1 ? 1 : 2); ++tap) {
      const std::int64_t element = static_cast<std::int64_t>(whole) + tap;
      if (method == 2 && (element < 0 || element >= from)) continue;
      const double fraction = position - whole,
                   weight = method == 1 ? (tap == 0 ? 1 - fraction : fraction) : keys(fraction - tap);
      total += weight;
      sum += weight * each(std::clamp<std::int64_t>(element, 0, from - 1));
    }
    return sum / total;
  };
  return weigh(i, x[1], y[1], [&](std::int64_t row) {
    return weigh(j, x[2], y[2], [&](std::int64_t column) { return at(row, column); });
  });
}

void compareMixed(const Tensor& x, const Shape& y, std::int64_t method, double tolerance, double (*wide)(const void*)) {
  const Shape& s = x.shape();
  const std::size_t bytes = info(x.elem()).bytes;
  const auto made = runOperator(op::resize, {x.view()}, {method, 0}, x.elem(), y);
  ASSERT_TRUE(made) << made.error().text();
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    const std::int64_t channel = i % y[3], column = i / y[3] % y[2], row = i / y[3] / y[2] % y[1],
                       image = i / y[3] / y[2] / y[1];
    const double expected = mixed(row, column, s, y, method, [&](std::int64_t r, std::int64_t c) {
      return wide(x.bytes().data() +
                  static_cast<std::size_t>(((image * s[1] + r) * s[2] + c) * s[3] + channel) * bytes);
    });
    const double actual = wide(made->bytes().data() + static_cast<std::size_t>(i) * bytes);
    if (std::isfinite(expected))
      ASSERT_NEAR(actual, expected, tolerance) << i;
    else
      ASSERT_FALSE(std::isfinite(actual)) << i;
  }
}

template <class T>
double number(const void* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
double ofF16(const void* from) { return f32FromF16(static_cast<std::uint16_t>(number<std::uint16_t>(from))); }
double ofBf16(const void* from) { return f32FromBf16(static_cast<std::uint16_t>(number<std::uint16_t>(from))); }

template <class T>
std::vector<T> convertedTo(const std::vector<float>& from, T (*convert)(float)) {
  std::vector<T> made(from.size());
  std::transform(from.begin(), from.end(), made.begin(), convert);
  return made;
}

TEST(Resize, MixesPixelsInEachInstructionSet) {
  inEachInstructionSet([](std::string_view) {
    Draws draws(26);
    for (const std::int64_t channels : {1, 3, 16, 21, 40})
      for (const auto& [h, w, oh, ow] :
           {std::array<std::int64_t, 4>{1, 1, 3, 2}, {5, 7, 9, 13}, {11, 8, 4, 3}, {4, 4, 4, 9}})
        for (const std::int64_t method : {1, 2}) {
          const Shape shape{2, h, w, channels}, result{2, oh, ow, channels};
          std::vector<float> elements =
              draws.numbers(shape.elements(), [](Draws& d) { return static_cast<float>(d.fraction()); });
          compareMixed(tensorOf(Elem::f32, shape, elements), result, method, 1e-5, number<float>);
          compareMixed(tensorOf(Elem::f64, shape, convertedTo<double>(elements, [](float x) { return double{x}; })),
                       result, method, 1e-12, number<double>);
          compareMixed(tensorOf(Elem::f16, shape, convertedTo<std::uint16_t>(elements, f16FromF32)), result, method,
                       2e-3, ofF16);
          compareMixed(tensorOf(Elem::bf16, shape, convertedTo<std::uint16_t>(elements, bf16FromF32)), result, method,
                       1.6e-2, ofBf16);
          elements[elements.size() / 2] = NAN, elements[0] = INFINITY;
          compareMixed(tensorOf(Elem::f32, shape, elements), result, method, 1e-5, number<float>);
          ASSERT_FALSE(HasFatalFailure()) << channels << " " << h << " " << method;
        }
  });
}

}  // namespace
}  // namespace axle::runtime::test
