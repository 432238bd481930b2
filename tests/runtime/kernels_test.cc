// Kernels where operands are not whole tensors, or longer than those that others compare them with.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/kernels/kernels.h"
#include "runtime/vector/product.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/draws.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/network_maker.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

using Sizes = NetworkMaker::Sizes;
constexpr auto f32 = static_cast<std::uint32_t>(Elem::f32);

// Sums of products of these are exact.
float drawElement(Draws& draws) { return static_cast<float>(draws.below(17) - 8) / 8; }

struct ProductSizes {
  std::int64_t batches, m, k, n;
};

// A product of columns from the second one on of two computed tensors, which are read where they lie, or copied.
std::vector<float> productOfColumns(std::uint32_t op, const ProductSizes& s, bool areViews) {
  NetworkMaker network;
  Draws draws(3);
  const auto columns = [&](const std::string& name, Sizes sizes) {
    const Sizes part = sizes;
    sizes[2] += 3;
    const std::uint32_t given = network.input(name, sizes, draws.numbers(elementsOf(sizes), drawElement)),
                        whole = network.add(op::chain, {given}, sizes);
    network.last().epilogue = {{op::neg, f32, {0}, 0}}, network.last().epilogueInputs = 1;
    const std::uint32_t slice = network.add(op::slice, {whole}, part, {2, 1, 1});
    network.last().alias = areViews;
    return slice;
  };
  const Sizes result{s.batches, s.m, s.n};
  const std::uint32_t a = columns("a", {s.batches, s.m, s.k}), b = columns("b", {s.batches, s.k, s.n});
  network.output(network.add(op, {a, b}, result), result);
  return network.run(false, 1).out;
}

TEST(Kernels, ProductsOfFactorsWhoseRowsAreApart) {
  inEachInstructionSet([](std::string_view name) {
    for (const ProductSizes& s :
         {ProductSizes{3, 1, 7, 5}, {2, 2, 20, 48}, {3, 5, 16, 33}, {2, 40, 33, 70}, {1, 30, 300, 17}})
      for (const std::uint32_t op : {op::matmul, op::matmulVector})
        EXPECT_EQ(productOfColumns(op, s, true), productOfColumns(op::matmul, s, false))
            << s.m << " " << s.n << " " << name;
  });
}

// A convolution with windows of one pixel, whose results have a bias, a sum with another tensor, and a lower limit.
struct Pixels {
  std::int64_t height, width, stride, depth, columns;
};

void expectPixels(const Pixels& p, Draws& draws) {
  const std::int64_t rows = (p.height + p.stride - 1) / p.stride, perRow = (p.width + p.stride - 1) / p.stride,
                     panels = panelsOf(p.columns);
  const Shape result{1, rows, perRow, p.columns};
  const std::vector<float> image = draws.numbers(p.height * p.width * p.depth, drawElement),
                           bias = draws.numbers(p.columns, drawElement),
                           other = draws.numbers(result.elements(), drawElement);
  std::vector<float> filter = draws.numbers(panels * p.depth * panelWidth, drawElement), expected = other;
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    const std::int64_t column = i % p.columns, pixel = i / p.columns,
                       from = pixel / perRow * p.stride * p.width + pixel % perRow * p.stride;
    float& sum = expected[static_cast<std::size_t>(i)];
    sum += bias[static_cast<std::size_t>(column)];
    const float* const x = image.data() + from * p.depth;
    const float* const w = filter.data() + column / panelWidth * p.depth * panelWidth + column % panelWidth;
    for (std::int64_t k = 0; k < p.depth; ++k) sum += x[k] * w[k * panelWidth];
    sum = std::max(sum, 0.0f);
  }
  const Tensor tensors[] = {tensorOf(Elem::f32, {1, p.height, p.width, p.depth}, image),
                            tensorOf(Elem::f32, {panels, 1, 1, p.depth, panelWidth}, filter),
                            tensorOf(Elem::f32, {p.columns}, bias), tensorOf(Elem::f32, result, other)};
  const Epilogue epilogue{{{op::add, f32, {4, 2}, 0}, {op::add, f32, {5, 3}, 0}, {op::relu, f32, {6}, 0}}, 2};
  const auto made =
      runOperator(op::convPanels, {tensors[0].view(), tensors[1].view(), tensors[2].view(), tensors[3].view()},
                  {p.stride, p.stride, 0, 0, 0, 0, 1, 1, 1, 1, 1}, Elem::f32, result, epilogue);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(elementsOf<float>(made->view()), expected) << p.height << " x " << p.width << " x " << p.depth;
}

// With enough pixels the depth is divided into pieces; their pointers are prepared unless there are too many.
TEST(Kernels, ProductsOfDeepPixels) {
  Draws draws(4);
  inEachInstructionSet([&](std::string_view) {
    for (const Pixels& p : {Pixels{5, 5, 1, 192, 16},
                            {7, 7, 1, 320, 70},
                            {13, 9, 1, 513, 33},
                            {1, 40, 1, 400, 131},
                            {11, 14, 2, 384, 40},
                            {70, 60, 1, 192, 20}})
      expectPixels(p, draws);
  });
}

// Pointwise operators alone, over results of one strip and of several, with an operand of the same shape or of one row.
TEST(Kernels, ChainsOfAnyLength) {
  inEachInstructionSet([](std::string_view name) {
    for (const std::int64_t length : {1, 3, 64, 257, 5000})
      for (const std::int64_t otherRows : {1, 3}) {
        constexpr std::int64_t rows = 3;
        NetworkMaker network;
        Draws draws(9);
        const std::vector<float> elements = draws.numbers(rows * length, drawElement),
                                 others = draws.numbers(otherRows * length, drawElement);
        const std::uint32_t x = network.input("x", {rows, length}, elements),
                            y = network.input("y", {otherRows, length}, others);
        const std::uint32_t made = network.add(op::chain, {x, y}, {rows, length});
        network.last().epilogue = {{op::add, f32, {0, 1}, 0}, {op::mul, f32, {2, 0}, 0}};
        network.last().epilogueInputs = 2;
        network.output(made, {rows, length});
        std::vector<float> expected = elements;
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= elements[i] + others[i % others.size()];
        EXPECT_EQ(network.run(false, 1).out, expected) << length << " " << otherRows << " " << name;
      }
  });
}

// Sums of rows in chunks and in blocks of them.
TEST(Kernels, RowsOfAnyLength) {
  inEachInstructionSet([](std::string_view name) {
    for (const std::int64_t length : {1, 127, 129, 5000, 16384, 16385, 40000})
      for (const std::int64_t rows : {1, 3}) {
        NetworkMaker network;
        Draws draws(5);
        const std::vector<float> elements = draws.numbers(rows * length, drawElement);
        const std::uint32_t x = network.input("x", {rows, length}, elements), zero = network.constant({}, {0.0f});
        const std::uint32_t y = network.add(op::rows, {x, zero}, {rows, length});
        network.last().epilogue = {{op::reduceSum, f32, {0, 1}, 0}, {op::sub, f32, {0, 2}, 0}};
        network.last().epilogueInputs = 2;
        network.output(y, {rows, length});
        std::vector<float> expected = elements;
        for (auto row = expected.begin(); row != expected.end(); row += length) {
          const float sum = std::accumulate(row, row + length, 0.0f);
          std::for_each(row, row + length, [&](float& element) { element -= sum; });
        }
        EXPECT_EQ(network.run(false, 1).out, expected) << rows << " x " << length << " " << name;
      }
  });
}

// As the window of a local response normalisation reads them.
TEST(Kernels, RowsPlusTheirShiftedElements) {
  for (const std::int64_t length : {1, 2, 5, 64, 130})
    for (const std::int64_t shift : {-200, -3, -2, -1, 0, 1, 2, 3, 200}) {
      constexpr std::int64_t rows = 3;
      NetworkMaker network;
      Draws draws(6);
      const std::vector<float> elements = draws.numbers(rows * length, drawElement);
      const std::uint32_t x = network.input("x", {rows, length}, elements);
      const std::uint32_t y = network.add(op::rows, {x}, {rows, length});
      network.last().epilogue = {{op::shift, f32, {0}, shift}, {op::add, f32, {0, 1}, 0}};
      network.last().epilogueInputs = 1;
      network.output(y, {rows, length});
      std::vector<float> expected = elements;
      for (std::int64_t i = 0; i < rows * length; ++i)
        if (const std::int64_t from = i % length + shift; from >= 0 && from < length)
          expected[static_cast<std::size_t>(i)] += elements[static_cast<std::size_t>(i + shift)];
      EXPECT_EQ(network.run(false, 1).out, expected) << length << " " << shift;
    }
}

// Reductions and running sums along each axis, of more columns than are computed at once.
TEST(Kernels, SumsAlongAnyAxis) {
  Draws draws(8);
  for (const Shape& shape : {Shape{3, 5, 300}, Shape{4, 130, 7}, Shape{260, 2, 3}}) {
    std::vector<float> elements(static_cast<std::size_t>(shape.elements()));
    for (float& x : elements) x = drawElement(draws);
    const Tensor x = tensorOf(Elem::f32, shape, elements), zero = tensorOf<float>(Elem::f32, {}, {0.0f});
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t inner = 1;
      for (int i = axis + 1; i < 3; ++i) inner *= shape[i];
      std::vector<float> sums(elements.size() / static_cast<std::size_t>(shape[axis])), running = elements;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i), line = at / inner / shape[axis];
        sums[static_cast<std::size_t>(line * inner + at % inner)] += elements[i];
        if (at / inner % shape[axis] > 0) running[i] += running[i - static_cast<std::size_t>(inner)];
      }
      const auto sum = runOperator(op::reduceSum, {x.view(), zero.view()}, {axis}, Elem::f32, shape.withoutAxis(axis)),
                 scan = runOperator(op::cumSum, {x.view()}, {axis, 0, 0}, Elem::f32, shape);
      ASSERT_TRUE(sum && scan) << (sum ? scan.error().text() : sum.error().text());
      EXPECT_EQ(elementsOf<float>(sum->view()), sums) << axis;
      EXPECT_EQ(elementsOf<float>(scan->view()), running) << axis;
    }
  }
}

// More positions than are read at once.
TEST(Kernels, GatherManyPositions) {
  for (const std::int64_t count : {63, 64, 65, 200, 1000}) {
    Draws draws(7);
    constexpr std::int64_t size = 300;
    const std::vector<float> numbers = draws.numbers(size, [](Draws& d) { return static_cast<float>(d.below(1000)); });
    std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
    std::vector<float> expected;
    for (std::int64_t& id : ids) expected.push_back(numbers[static_cast<std::size_t>(id = draws.below(size))]);
    const Tensor x = tensorOf(Elem::f32, {size}, numbers), at = tensorOf(Elem::i64, {count}, ids),
                 places = tensorOf(Elem::i64, {count, 1}, ids);
    const auto expectGathered = [&](std::uint32_t op, const Tensor& positions, const Sizes& attributes) {
      const auto made = runOperator(op, {x.view(), positions.view()}, attributes, Elem::f32, {count});
      ASSERT_TRUE(made) << made.error().text();
      EXPECT_EQ(elementsOf<float>(made->view()), expected) << count;
    };
    expectGathered(op::gather, at, {0});
    expectGathered(op::gatherElements, at, {0});
    expectGathered(op::gatherNd, places, {});
  }
}

// Zeros of both signs, infinities, NaN, denormals (which 32-bit ARM's vectors take as 0) and ordinary numbers.
std::vector<float> specialNumbers() {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> made{0.0f, -0.0f, infinity, -infinity, nan, -nan, 1.5f, -2.0f, 3e38f, -3e38f, 1e-30f, 7.0f, -3.0f};
  if constexpr (sizeof(void*) == 8) made.insert(made.end(), {1e-45f, -1e-45f, 1e-40f, 0x1p-126f});
  return made;
}

bool areSameBits(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Operators with one rounding, and those that round each of their steps, also tell zeros apart by their sign.
TEST(Kernels, OperatorsOfOneRoundingHaveTheSameBitsInEachInstructionSet) {
  const std::vector<float> special = specialNumbers();
  std::vector<float> a, b;
  for (const float x : special)
    for (const float y : special) a.push_back(x), b.push_back(y);
  const Elem elems[] = {Elem::f32, Elem::f32};
  const auto areSame = [](ChooseRow* choose, float x, float y) {
    const bool mayTakeEitherZero = choose == rowMaximum || choose == rowMinimum;
    return areSameBits(x, y) || (mayTakeEitherZero && x == 0 && y == 0);
  };
  ChooseRow* const operators[] = {rowAdd, rowSub, rowMul,  rowDiv,  rowMaximum,  rowMinimum,
                                  rowNeg, rowAbs, rowRelu, rowSqrt, rowHardSwish};
  for (std::size_t number = 0; number < std::size(operators); ++number) {
    ChooseRow* const choose = operators[number];
    const auto results = [&] {
      std::vector<float> made(a.size());
      const RowKernel kernel = choose(elems, Elem::f32).kernel;
      kernel({{a.data(), b.data(), nullptr}, {true, true, false}, made.data(), static_cast<std::int64_t>(a.size())});
      return made;
    };
    useInstructionSet("plain");
    const std::vector<float> plain = results();
    inEachInstructionSet([&](std::string_view name) {
      const std::vector<float> made = results();
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(areSame(choose, made[i], plain[i])) << "operator " << number << " of " << a[i] << " and " << b[i]
                                                        << ": " << made[i] << ", not " << plain[i] << " " << name;
    });
  }
}

// An operand of one element for the whole row gives the results of a row of it, of the types with plain kernels.
template <class T>
void expectStayingOperands(ChooseRow* choose, Elem elem) {
  const Elem elems[] = {elem, elem};
  const RowKernel kernel = choose(elems, elem).kernel;
  ASSERT_NE(kernel, nullptr);
  for (const std::int64_t count : {1, 2, 3, 16, 37})
    for (const bool aMoves : {false, true})
      for (const bool bMoves : {false, true}) {
        const auto size = static_cast<std::size_t>(count);
        std::vector<T> a(size), b(size), made(size + 1, T{7}), expected = made;
        for (std::size_t i = 0; i < size; ++i)
          a[i] = static_cast<T>(aMoves ? 3 * i + 5 : 5), b[i] = static_cast<T>(bMoves ? i + 2 : 2);
        ASSERT_TRUE(kernel({{a.data(), b.data(), nullptr}, {true, true, false}, expected.data(), count}));
        ASSERT_TRUE(kernel({{a.data(), b.data(), nullptr}, {aMoves, bMoves, false}, made.data(), count}));
        EXPECT_EQ(made, expected) << count << " " << aMoves << bMoves << " " << info(elem).name;
      }
}

TEST(Kernels, OperandsOfOneElement) {
  for (ChooseRow* choose : {rowAdd, rowSub, rowMul, rowDiv, rowMod, rowMaximum, rowMinimum, rowPow}) {
    expectStayingOperands<std::int32_t>(choose, Elem::i32);
    expectStayingOperands<std::uint8_t>(choose, Elem::u8);
    expectStayingOperands<double>(choose, Elem::f64);
  }
  for (ChooseRow* choose : {rowBitAnd, rowBitOr, rowBitXor, rowShiftLeft, rowShiftRight})
    expectStayingOperands<std::int64_t>(choose, Elem::i64);
}

}  // namespace
}  // namespace axle::runtime::test
