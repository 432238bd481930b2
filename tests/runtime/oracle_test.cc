// Compares matrix products, convolutions and pools with Eigen on random geometries.
//
// Tolerance: a sum of k rounded products differs from the exact one by at most k*u*sum|products| in any order of
// addition, where u = epsilon/2 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1; terms in u^2 left
// out). Kernel and oracle may both round, and the kernel rounds its result: (k + 1)*epsilon*sum|products|. Maxima are
// exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "runtime/vector/groups.h"
#include "runtime/vector/product.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/draws.h"
#include "tests/runtime/eigen_oracle.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/one_operator.h"
#include "tests/sanitized.h"

namespace axle::runtime::test {
namespace {

constexpr int rounds = isSanitized ? 600 : 1500;

// Elements in [-1, 1), one in eight of them zero.
Tensor drawTensor(Draws& draws, Elem elem, const Shape& shape) {
  Tensor made = Tensor::make(elem, shape).value();
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const double x = draws.below(8) == 0 ? 0 : draws.fraction();
    if (elem == Elem::f64)
      made.view().as<double>()[i] = x;
    else
      made.view().as<float>()[i] = static_cast<float>(x);
  }
  return made;
}

// Returns the first element that differs by more than the tolerance; empty if there is none.
std::string difference(const Tensor& actual, const Expected& expected) {
  const double epsilon = actual.elem() == Elem::f64 ? std::numeric_limits<double>::epsilon()
                                                    : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Array computed = arrayOf(actual.view());
  for (Eigen::Index i = 0; i < expected.values.size(); ++i) {
    const double a = computed.elements[i], e = expected.values[i];
    const double tolerance = static_cast<double>(expected.terms + 1) * epsilon * expected.magnitudes[i];
    if (a != e && !(std::abs(a - e) <= tolerance))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(e) + " within " +
             std::to_string(tolerance);
  }
  return "";
}

void check(std::uint32_t op, const std::vector<TensorView>& inputs, const std::vector<std::int64_t>& ints,
           const Expected& expected) {
  const Elem elem = inputs[0].elem;
  const auto actual = runOperator(op, inputs, ints, elem, expected.shape);
  std::string about = std::to_string(op);
  for (const TensorView& input : inputs) about += " " + typeText(elem, input.shape);
  for (std::int64_t number : ints) about += " " + std::to_string(number);
  ASSERT_TRUE(actual) << about << " -> " << toText(expected.shape) << ": " << actual.error().text();
  EXPECT_EQ(difference(*actual, expected), "") << about;
}

// Returns a right factor or a filter in panels, with separate panels for each group's columns.
Tensor inPanels(const Tensor& from, std::int64_t groups) {
  const Shape& shape = from.shape();
  const std::int64_t columns = shape[shape.rank() - 1], width = columns / groups;
  Shape stored{groups * panelsOf(width)};
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank(); ++i) stored.push(shape[i]), rows *= shape[i];
  stored.push(panelWidth);
  Tensor made = Tensor::make(Elem::f32, stored).value();
  for (std::int64_t group = 0; group < groups; ++group)
    packPanels(from.view().as<float>() + group * width, columns, rows, width,
               made.view().as<float>() + group * panelsOf(width) * rows * panelWidth);
  return made;
}

// How often each edge case was drawn; a test must draw all of them.
using Seen = std::map<std::string, int>;

void expectAll(const Seen& seen) {
  for (const auto& [edge, count] : seen) EXPECT_GT(count, 0) << edge;
}

struct Geometry {
  Shape image;  // [n, ..sizes, channels]
  std::vector<WindowAxis> axes;
};

Geometry drawGeometry(Draws& draws, bool isPool, std::int64_t channels, Seen& seen) {
  Geometry geometry{{draws.oneOf({0, 1, 1, 1, 2, 3})}, {}};
  const std::int64_t rank = draws.oneOf({1, 2, 2, 3});
  const bool isPadded = draws.below(2) == 0, isDilated = !isPool && draws.below(3) == 0;
  const bool isSpread = !isPool && draws.below(3) == 0;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t size = draws.below(25) == 0 ? 0 : draws.oneOf({1, 2, 3, 5, 7, rank > 2 ? 4 : 13});
    WindowAxis axis;
    axis.size = draws.below(40) == 0 ? 0 : draws.oneOf({1, 1, 2, 3, 3, 5});
    axis.stride = draws.oneOf({1, 1, 2, 3, 7});
    if (isPadded) axis.before = draws.below(6) - 2, axis.after = draws.below(6) - 2;
    if (isDilated) axis.dilation = draws.oneOf({2, 3});
    if (isSpread) axis.spread = draws.oneOf({2, 3, 5});
    geometry.image.push(size);
    geometry.axes.push_back(axis);
    seen["size 1"] += size == 1;
    seen["stride larger than the window"] += axis.stride > axis.size;
    seen["window larger than the image"] += axis.size > size;
    seen["negative padding"] += axis.before < 0 || axis.after < 0;
    seen["padding larger than the window"] += axis.before > axis.size;
    seen["empty window"] += axis.size == 0;
    if (!isPool) {
      seen["dilation"] += axis.dilation > 1;
      seen["dilation and spread"] += axis.dilation > 1 && axis.spread > 1;
      seen["spread and stride"] += axis.spread > 1 && axis.stride > 1;
    }
  }
  geometry.image.push(channels);
  return geometry;
}

void noteShapes(const Shape& image, const Shape& result, Seen& seen) {
  seen["no image"] += image[0] == 0;
  seen["no element of the input"] += image.elements() == 0 && result.elements() > 0;
  seen["no position"] += result.elements() == 0 && image.elements() > 0;
  seen["several positions"] += result.elements() > 4 * result[result.rank() - 1];
}

std::vector<std::int64_t> convInts(const std::vector<WindowAxis>& axes, std::int64_t groups) {
  std::vector<std::int64_t> ints;
  for (const WindowAxis& axis : axes) ints.push_back(axis.stride);
  for (const WindowAxis& axis : axes) ints.insert(ints.end(), {axis.before, axis.after});
  for (const WindowAxis& axis : axes) ints.push_back(axis.dilation);
  for (const WindowAxis& axis : axes) ints.push_back(axis.spread);
  ints.push_back(groups);
  return ints;
}

std::vector<std::int64_t> poolInts(const std::vector<WindowAxis>& axes) {
  std::vector<std::int64_t> ints;
  for (const WindowAxis& axis : axes) ints.push_back(axis.size);
  for (const WindowAxis& axis : axes) ints.push_back(axis.stride);
  for (const WindowAxis& axis : axes) ints.insert(ints.end(), {axis.before, axis.after});
  return ints;
}

class Oracle : public testing::TestWithParam<Elem> {};

TEST_P(Oracle, MatrixProducts) {
  Draws draws(1);
  Seen seen;
  const auto size = [&] { return draws.below(20) == 0 ? 0 : draws.oneOf({1, 1, 2, 3, 4, 5, 7, 13, 31, 64}); };
  for (int round = 0; round < rounds; ++round) {
    Shape a, b;
    for (std::int64_t i = draws.below(3); i > 0; --i) {
      a.push(draws.oneOf({0, 1, 1, 2, 3, 5}));
      b.push(a[a.rank() - 1]);
    }
    const std::int64_t k = draws.below(10) == 0 ? 257 : size(), n = draws.below(10) == 0 ? 131 : size();
    seen["batches"] += a.rank() > 1;
    seen["no batch"] += a.elements() == 0;
    seen["empty sums"] += k == 0 && n > 0;
    a.push(size()), a.push(k), b.push(k), b.push(n);
    const Tensor left = drawTensor(draws, GetParam(), a), right = drawTensor(draws, GetParam(), b);
    seen["vectors"] += a[a.rank() - 2] == 1 || n == 1;
    const Expected expected = matrixProduct(arrayOf(left.view()), arrayOf(right.view()));
    check(op::matmul, {left.view(), right.view()}, {}, expected);
    if (GetParam() == Elem::f32)
      inEachInstructionSet([&](std::string_view) {
        check(op::matmulVector, {left.view(), right.view()}, {}, expected);
        const bool hasBatches = std::any_of(b.begin(), b.end() - 2, [](std::int64_t size) { return size != 1; });
        if (!hasBatches) check(op::matmulPanels, {left.view(), inPanels(right, 1).view()}, {}, expected);
      });
    if (HasFailure()) return;
  }
  expectAll(seen);
}

TEST_P(Oracle, Convolutions) {
  Draws draws(2);
  Seen seen;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t groups = draws.oneOf({1, 1, 1, 2, 3, 7});
    const std::int64_t depth = draws.below(40) == 0 ? 0 : draws.oneOf({1, 1, 2, 3, 5, 16, 19});
    const std::int64_t width = draws.below(40) == 0 ? 0 : draws.below(12) == 0 ? 131 : draws.oneOf({1, 1, 2, 3, 7});
    const auto [shape, axes] = drawGeometry(draws, false, groups * depth, seen);
    Shape window;
    for (const WindowAxis& axis : axes) window.push(axis.size);
    window.push(depth), window.push(groups * width);
    seen["a filter for each channel"] += groups > 1 && depth == 1 && width == 1;
    seen["groups"] += groups > 1 && depth > 1 && width > 1;
    const Tensor image = drawTensor(draws, GetParam(), shape), filter = drawTensor(draws, GetParam(), window);
    const Expected expected = convolution(arrayOf(image.view()), arrayOf(filter.view()), axes, groups);
    noteShapes(shape, expected.shape, seen);
    const std::vector<std::int64_t> ints = convInts(axes, groups);
    check(op::conv, {image.view(), filter.view()}, ints, expected);
    const bool isSpread =
        std::any_of(axes.begin(), axes.end(), [](const WindowAxis& axis) { return axis.spread != 1; });
    seen["indirect"] += !isSpread && depth >= 16 && expected.values.size() > 0;
    if (GetParam() == Elem::f32 && !isSpread)
      inEachInstructionSet([&](std::string_view) {
        check(op::convPanels, {image.view(), inPanels(filter, groups).view()}, ints, expected);
        if (depth == 1 && width == 1) check(op::convDepthwise, {image.view(), filter.view()}, ints, expected);
      });
    if (HasFailure()) return;
  }
  expectAll(seen);
}

double rootMeanSquare(const Eigen::ArrayXd& x) { return std::sqrt(x.square().mean()); }

// `rms`: the largest error of a result that a form may have, relative to the results; the squares' means are compared.
struct WinogradForm {
  std::uint32_t op;
  std::int64_t tile;
  double rms;
};
constexpr WinogradForm winogradForms[] = {
    {op::convWinogradF2, 2, 1e-6}, {op::convWinogradF4, 4, 5e-6}, {op::convWinogradF6, 6, 1e-5}};

void checkWinograd(const WinogradForm& form, const std::vector<TensorView>& inputs, const std::vector<WindowAxis>& axes,
                   const Expected& expected) {
  const auto actual = runOperator(form.op, inputs, convInts(axes, 1), Elem::f32, expected.shape);
  ASSERT_TRUE(actual) << actual.error().text();
  if (expected.values.size() == 0) return;
  const Eigen::ArrayXd error = arrayOf(actual->view()).elements - expected.values;
  EXPECT_LE(rootMeanSquare(error), form.rms * rootMeanSquare(expected.values)) << form.tile;
  EXPECT_LE(error.abs().maxCoeff(), 2 * form.rms * expected.magnitudes.maxCoeff()) << form.tile;
}

TEST(Convolutions, ByWinogradsAlgorithm) {
  Draws draws(5);
  Seen seen;
  for (int round = 0; round < 200; ++round) {
    const bool isDeep = round % 50 == 0;
    const std::int64_t channels = isDeep ? 256 : draws.oneOf({0, 1, 3, 16, 19, 33, 70}),
                       columns = draws.oneOf({1, 7, 16, 20, 70});
    Shape image{draws.oneOf({1, 1, 2})};
    std::vector<WindowAxis> axes;
    for (int i = 0; i < 2; ++i) {
      WindowAxis axis{3, 1, draws.below(6) - 2, draws.below(6) - 2};
      image.push(draws.oneOf({3, 4, 5, 9, 13, isDeep ? 16 : 55}));
      seen["negative padding"] += axis.before < 0;
      seen["wide padding"] += axis.before > 2;
      axes.push_back(axis);
    }
    image.push(channels);
    const Tensor x = drawTensor(draws, Elem::f32, image),
                 filter = drawTensor(draws, Elem::f32, {3, 3, channels, columns}), panels = inPanels(filter, 1);
    const Expected expected = convolution(arrayOf(x.view()), arrayOf(filter.view()), axes, 1);
    seen["no position"] += expected.values.size() == 0;
    const bool hasBlocksOfTiles = expected.shape[0] * expected.shape[1] * expected.shape[2] > 80 * 36;
    seen["several blocks of tiles, of one block of the filter"] += hasBlocksOfTiles && channels <= 64 && columns <= 64;
    seen["several blocks of tiles and of the filter"] += hasBlocksOfTiles && channels > 64;
    seen["several groups of panels"] += columns > 64;
    inEachInstructionSet([&](std::string_view) {
      for (const WinogradForm& form : winogradForms) checkWinograd(form, {x.view(), panels.view()}, axes, expected);
    });
    ASSERT_FALSE(HasFailure()) << toText(image) << " " << columns;
  }
  expectAll(seen);
}

// A result that reads a NaN or an infinity is not finite, and neither may be others of its tile. Those of other tiles
// have the same bits.
TEST(Convolutions, ByWinogradsAlgorithmOfNaN) {
  constexpr std::int64_t size = 20, channels = 19, columns = 18, row = 9, column = 13;
  Draws draws(16);
  const std::vector<WindowAxis> axes(2, {3, 1, 1, 1});
  const Shape shape{1, size, size, columns};
  Tensor image = drawTensor(draws, Elem::f32, {1, size, size, channels});
  const Tensor filter = drawTensor(draws, Elem::f32, {3, 3, channels, columns}), panels = inPanels(filter, 1);
  float& pixel = image.view().as<float>()[(row * size + column) * channels + channels - 1];
  const auto run = [&](std::uint32_t op, float x) {
    pixel = x;
    return runOperator(op, {image.view(), panels.view()}, convInts(axes, 1), Elem::f32, shape).value();
  };
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (const auto& [op, tile, rms] : winogradForms)
      inEachInstructionSet([&, op = op, tile = tile](std::string_view) {
        const Tensor finite = run(op, 0), spread = run(op, special);
        for (std::int64_t i = 0; i < shape.elements(); ++i) {
          const std::int64_t y = i / columns / size, x = i / columns % size;
          const float expected = finite.view().as<float>()[i], actual = spread.view().as<float>()[i];
          const auto readsTile = [tile](std::int64_t at, std::int64_t read) {
            return at / tile * tile - 1 <= read && read <= at / tile * tile + tile;
          };
          if (std::abs(y - row) <= 1 && std::abs(x - column) <= 1) {
            ASSERT_FALSE(std::isfinite(actual)) << tile << " " << y << ", " << x;
          } else if (!readsTile(y, row) || !readsTile(x, column)) {
            ASSERT_EQ(actual, expected) << tile << " " << y << ", " << x;
          }
        }
      });
}

// With so many channels, neighbouring blocks of pixels form a band; parts of threads begin and end inside rows.
TEST(Convolutions, DepthwiseOfManyChannels) {
  Draws draws(6);
  for (int round = 0; round < 60; ++round) {
    const std::int64_t channels = draws.oneOf({33, 130, 300});
    Shape image{draws.oneOf({1, 2})};
    std::vector<WindowAxis> axes;
    for (int i = 0; i < 2; ++i) {
      axes.push_back({draws.oneOf({1, 3, 3, 3, 5}), draws.oneOf({1, 2, 3}), draws.below(3), draws.below(3)});
      image.push(draws.oneOf({5, 8, 13, 21, 37}));
    }
    image.push(channels);
    const Tensor x = drawTensor(draws, Elem::f32, image),
                 filter = drawTensor(draws, Elem::f32, {axes[0].size, axes[1].size, 1, channels});
    const Expected expected = convolution(arrayOf(x.view()), arrayOf(filter.view()), axes, channels);
    inEachInstructionSet([&](std::string_view) {
      check(op::convDepthwise, {x.view(), filter.view()}, convInts(axes, channels), expected);
    });
    if (HasFailure()) return;
  }
}

// Vectors hold the results of several groups; a block has one pixel or as many as fit into registers.
TEST(Convolutions, InGroupsOfFewChannels) {
  Draws draws(9);
  for (int round = 0; round < 120; ++round) {
    const GroupForm form = groupForms[draws.below(static_cast<std::int64_t>(std::size(groupForms)))];
    const std::int64_t channels = groupedChannels * draws.oneOf({1, 2, 3, 9, 10}), groups = channels / form.depth;
    const int rank = static_cast<int>(draws.oneOf({1, 2, 2, 3}));
    Shape image{draws.oneOf({1, 2})}, window;
    std::vector<WindowAxis> axes;
    for (int i = 0; i < rank; ++i) {
      axes.push_back({draws.oneOf({1, 2, 3, 3, 5}), draws.oneOf({1, 1, 2, 3}), draws.below(4) - 1, draws.below(4) - 1,
                      draws.oneOf({1, 1, 2})});
      image.push(draws.oneOf({9, 10, 13, rank == 1 ? 200 : 21}));
      window.push(axes.back().size);
    }
    image.push(channels), window.push(form.depth), window.push(channels * form.multiplier);
    const Tensor x = drawTensor(draws, Elem::f32, image), filter = drawTensor(draws, Elem::f32, window);
    const Expected expected = convolution(arrayOf(x.view()), arrayOf(filter.view()), axes, groups);
    inEachInstructionSet(
        [&](std::string_view) { check(op::convGroups, {x.view(), filter.view()}, convInts(axes, groups), expected); });
    if (HasFailure()) return;
  }
}

// Groups with panels share the pointers to many rows, and the depth of each may be divided into pieces.
TEST(Convolutions, InGroupsWithPanels) {
  Draws draws(10);
  for (const std::int64_t depth : {3, 19, 300})
    for (const std::int64_t width : {5, 40, 70})
      for (const std::int64_t size : {1, 3}) {
        const std::int64_t groups = 3;
        const std::vector<WindowAxis> axes{{size, 1, size / 2, size / 2}, {size, 1, size, size / 2, 1 + size / 2}};
        const Tensor image = drawTensor(draws, Elem::f32, {2, 9, 13, groups * depth}),
                     filter = drawTensor(draws, Elem::f32, {size, size, depth, groups * width});
        const Expected expected = convolution(arrayOf(image.view()), arrayOf(filter.view()), axes, groups);
        inEachInstructionSet([&](std::string_view) {
          check(op::convPanels, {image.view(), inPanels(filter, groups).view()}, convInts(axes, groups), expected);
        });
        if (HasFailure()) return;
      }
}

// Panels are so long that blocks of many rows have fewer of them.
TEST(Products, OfLongRows) {
  Draws draws(7);
  for (const std::int64_t rows : {1, 9, 40})
    for (const std::int64_t columns : {80, 150}) {
      const Tensor left = drawTensor(draws, Elem::f32, {rows, 5000}),
                   right = drawTensor(draws, Elem::f32, {5000, columns});
      const Expected expected = matrixProduct(arrayOf(left.view()), arrayOf(right.view()));
      inEachInstructionSet(
          [&](std::string_view) { check(op::matmulPanels, {left.view(), inPanels(right, 1).view()}, {}, expected); });
    }
}

// The right factor is packed by pieces of the depth and by ranges of columns, or is read in place if it is small. Up to
// four columns after the whole panels are stored column by column.
TEST(Products, OfComputedFactors) {
  Draws draws(8);
  for (const std::int64_t rows : {1, 24, 133})
    for (const auto& [k, columns] :
         {std::pair{100, 100}, {300, 40}, {300, 530}, {700, 70}, {1, 3000}, {16, 3}, {15, 3}, {40, 17}, {900, 20}}) {
      const Tensor left = drawTensor(draws, Elem::f32, {rows, k}), right = drawTensor(draws, Elem::f32, {k, columns});
      const Expected expected = matrixProduct(arrayOf(left.view()), arrayOf(right.view()));
      inEachInstructionSet(
          [&](std::string_view) { check(op::matmulVector, {left.view(), right.view()}, {}, expected); });
    }
}

// In an image without elements, other axes may be so long that the offsets of taps overflow.
TEST(Convolutions, OfAnEmptyImageAreZero) {
  constexpr std::int64_t longAxis = std::int64_t{1} << 20, dilation = std::int64_t{1} << 29, channels = 16;
  const Tensor image = Tensor::make(Elem::f32, {1, 0, longAxis, longAxis, channels}).value();
  const Tensor filter = Tensor::make(Elem::f32, {1, 2, 1, 1, channels, panelWidth}).value();
  const auto result = runOperator(op::convPanels, {image.view(), filter.view()},
                                  {1, longAxis, longAxis, 1, dilation, 0, 0, 0, 0, dilation, 1, 1, 1, 1, 1, 1},
                                  Elem::f32, {1, 1, 1, 1, channels});
  ASSERT_TRUE(result) << result.error().text();
  for (std::int64_t i = 0; i < channels; ++i) EXPECT_EQ(result->view().as<float>()[i], 0.0f);
}

// Returns the tensor with its axes in another order.
Tensor permuted(const Tensor& tensor, const std::vector<int>& perm) {
  const Shape& from = tensor.shape();
  Shape to;
  for (int axis : perm) to.push(from[axis]);
  Tensor made = Tensor::make(tensor.elem(), to).value();
  const std::size_t bytes = info(tensor.elem()).bytes;
  for (std::int64_t i = 0; i < to.elements(); ++i) {
    std::vector<std::int64_t> at(perm.size());
    for (std::int64_t axis = to.rank() - 1, rest = i; axis >= 0; --axis) {
      at[static_cast<std::size_t>(perm[static_cast<std::size_t>(axis)])] = rest % to[static_cast<int>(axis)];
      rest /= to[static_cast<int>(axis)];
    }
    std::int64_t source = 0;
    for (int axis = 0; axis < from.rank(); ++axis) source = source * from[axis] + at[static_cast<std::size_t>(axis)];
    std::memcpy(made.bytes().data() + static_cast<std::size_t>(i) * bytes,
                tensor.bytes().data() + static_cast<std::size_t>(source) * bytes, bytes);
  }
  return made;
}

TEST_P(Oracle, ConvolutionsWithChannelsFirst) {
  Draws draws(3);
  for (int round = 0; round < rounds / 4; ++round) {
    const Shape shape{draws.below(3), draws.oneOf({1, 2, 3, 7}), draws.oneOf({1, 3, 5}), draws.oneOf({0, 3, 7, 131})};
    const Shape window{draws.oneOf({1, 2, 5}), shape[1], draws.oneOf({1, 2, 3}), draws.oneOf({1, 2, 3})};
    const Tensor image = drawTensor(draws, GetParam(), shape), filter = drawTensor(draws, GetParam(), window);
    const Tensor last = permuted(image, {0, 2, 3, 1}), filterLast = permuted(filter, {2, 3, 1, 0});
    const std::vector<WindowAxis> axes{{.size = window[2]}, {.size = window[3]}};
    const Expected expected = convolution(arrayOf(last.view()), arrayOf(filterLast.view()), axes, 1);
    const Shape& y = expected.shape;
    const Shape result{y[0], y[3], y[1], y[2]};
    const auto actual = runOperator(op::convNchw, {image.view(), filter.view()}, {}, GetParam(), result);
    ASSERT_TRUE(actual) << toText(shape) << toText(window) << ": " << actual.error().text();
    ASSERT_EQ(difference(permuted(*actual, {0, 2, 3, 1}), expected), "") << toText(shape) << toText(window);
  }
}

TEST_P(Oracle, Pools) {
  Draws draws(4);
  Seen seen;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t channels = draws.below(40) == 0 ? 0 : draws.below(12) == 0 ? 131 : draws.oneOf({1, 2, 3, 5, 7});
    const auto [shape, axes] = drawGeometry(draws, true, channels, seen);
    const Tensor image = drawTensor(draws, GetParam(), shape);
    const Expected greatest = maxPool(arrayOf(image.view()), axes), average = averagePool(arrayOf(image.view()), axes);
    noteShapes(shape, greatest.shape, seen);
    seen["window without an element"] += greatest.values.size() > 0 && std::isinf(greatest.values.minCoeff());
    check(op::maxPool, {image.view()}, poolInts(axes), greatest);
    check(op::avgPool, {image.view()}, poolInts(axes), average);
    if (HasFailure()) return;
  }
  expectAll(seen);
}

// Pools along rows of one channel, which compute many results at a time.
TEST_P(Oracle, PoolsAlongRows) {
  Draws draws(5);
  for (int round = 0; round < rounds / 4; ++round) {
    const std::int64_t size = draws.oneOf({1, 2, 5, 70}), length = size + draws.oneOf({0, 1, 7, 95, 3000});
    const Tensor image = drawTensor(draws, GetParam(), {draws.oneOf({0, 1, 3}), length, 1});
    const std::vector<WindowAxis> axes{{.size = size}};
    check(op::maxPool, {image.view()}, poolInts(axes), maxPool(arrayOf(image.view()), axes));
    check(op::avgPool, {image.view()}, poolInts(axes), averagePool(arrayOf(image.view()), axes));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Elems, Oracle, testing::Values(Elem::f32, Elem::f64),
                         [](const auto& tested) { return std::string(axle::info(tested.param).name); });

}  // namespace
}  // namespace axle::runtime::test
