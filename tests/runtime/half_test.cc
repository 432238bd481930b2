// Compares products, convolutions and pools of f16 and bf16 by vector kernels with the plain ones, in each instruction
// set and with several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "io/half.h"
#include "runtime/ops.h"
#include "runtime/vector/product_block.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

// Sums of products of these elements are exact in f32, so that their order does not matter.
Tensor drawn(std::mt19937& random, Elem elem, const Shape& shape) {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(shape.elements()));
  for (std::uint16_t& x : bits) {
    const float value = static_cast<float>(static_cast<int>(random() % 33) - 16) / 8;
    x = elem == Elem::f16 ? f16FromF32(value) : bf16FromF32(value);
  }
  return tensorOf(elem, shape, bits);
}

struct Sizes {
  std::int64_t batches, m, k, n;
};
constexpr Sizes sizes[] = {{1, 1, 1, 1},     {1, 1, 300, 33},  {2, 7, 5, 16},    {1, 8, 17, 31},
                           {3, 33, 64, 100}, {1, 70, 9, 48},   {1, 2, 600, 40},  {1, 1, 100, 1100},
                           {3, 3, 9, 520},   {2, 40, 300, 17}, {1, 65, 7, 1000}, {1, 3, 0, 20}};

TEST(Half, ProductsAreThoseOfThePlainKernel) {
  inEachInstructionSet([](std::string_view name) {
    std::mt19937 random(5);
    for (const Elem elem : {Elem::f16, Elem::bf16})
      for (const auto& [batches, m, k, n] : sizes) {
        const Tensor a = drawn(random, elem, {batches, m, k}), b = drawn(random, elem, {batches, k, n});
        const auto plain = runOperator(op::matmul, {a.view(), b.view()}, {}, elem, {batches, m, n}),
                   vector = runOperator(op::matmulVector, {a.view(), b.view()}, {}, elem, {batches, m, n});
        ASSERT_TRUE(plain && vector) << (plain ? vector.error().text() : plain.error().text());
        EXPECT_EQ(elementsOf<std::uint16_t>(plain->view()), elementsOf<std::uint16_t>(vector->view()))
            << name << " " << m << " x " << k << " x " << n;
      }
  });
}

// A convolution; its result's sizes follow.
struct Conv {
  Shape image, filter;
  std::vector<std::int64_t> strides, padding, dilations;
  std::int64_t groups = 1;

  std::vector<std::int64_t> ints() const {
    std::vector<std::int64_t> made = strides;
    made.insert(made.end(), padding.begin(), padding.end());
    made.insert(made.end(), dilations.begin(), dilations.end());
    made.insert(made.end(), strides.size(), 1);  // spreads
    made.push_back(groups);
    return made;
  }
  Shape result() const {
    Shape made{image[0]};
    for (int i = 0; i < static_cast<int>(strides.size()); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int64_t padded = image[i + 1] + padding[2 * k] + padding[2 * k + 1],
                         reach = (filter[i] - 1) * dilations[k] + 1;
      made.push(padded < reach ? 0 : (padded - reach) / strides[k] + 1);
    }
    made.push(filter[filter.rank() - 1]);
    return made;
  }
};

const Conv convs[] = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 9, 11, 3}, {3, 3, 3, 20}, {2, 2}, {1, 0, 1, 0}, {1, 1}},
    {{2, 41, 19, 17}, {3, 3, 17, 33}, {1, 1}, {1, 1, 1, 1}, {1, 1}},  // several bands of each image
    {{1, 23, 30, 5}, {3, 2, 5, 7}, {3, 1}, {-2, 4, 3, -1}, {2, 3}},   // negative padding, dilation
    {{1, 14, 14, 24}, {1, 1, 24, 40}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 13, 12, 12}, {3, 3, 4, 51}, {1, 2}, {1, 1, 2, 2}, {1, 1}, 3},  // groups
    {{2, 300, 7}, {5, 7, 18}, {1}, {8, 0}, {2}},                        // along time
    {{1, 1, 700, 5}, {1, 7, 5, 18}, {1, 1}, {0, 0, 6, 0}, {1, 1}},      // the same as 2-D
    {{2, 1, 300, 4}, {3, 3, 4, 9}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {{1, 6, 7, 8, 3}, {2, 3, 2, 3, 9}, {1, 2, 1}, {1, 0, 1, 1, 0, 1}, {2, 1, 1}},
    {{1, 4, 4, 400}, {3, 3, 400, 100}, {1, 1}, {1, 1, 1, 1}, {1, 1}},  // several blocks of panels
    {{1, 5, 300, 2}, {3, 3, 2, 4}, {1, 1}, {20, 20, 1, 1}, {1, 1}},    // bands outside of the image
    {{1, 0, 6, 2}, {1, 1, 2, 4}, {1, 1}, {2, 2, 0, 0}, {1, 1}},        // an image without elements
    {{1, 6, 6, 0}, {1, 1, 0, 4}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
};

const Conv depthwiseConvs[] = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1},
    {{2, 40, 21, 70}, {3, 3, 1, 70}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 70},
    {{1, 41, 40, 150}, {3, 3, 1, 150}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 150},  // several bands
    {{1, 33, 30, 150}, {3, 3, 1, 150}, {2, 2}, {0, 1, 0, 1}, {1, 1}, 150},
    {{1, 17, 16, 9}, {5, 4, 1, 9}, {1, 3}, {3, 2, -1, 5}, {3, 1}, 9},
    {{1, 3000, 20}, {7, 1, 20}, {1}, {12, 0}, {2}, 20},
    {{1, 9, 8, 7, 11}, {3, 1, 2, 1, 11}, {2, 1, 1}, {1, 1, 0, 0, 1, 0}, {1, 1, 2}, 11},
};

const Conv convsInGroups[] = {
    {{2, 40, 21, 96}, {3, 3, 4, 96}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 24},
    {{1, 33, 30, 160}, {3, 3, 8, 160}, {2, 2}, {0, 1, 0, 1}, {1, 1}, 20},  // several bands
    {{1, 17, 16, 32}, {1, 1, 2, 32}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 16},
    {{1, 300, 16}, {7, 1, 64}, {1}, {12, 0}, {2}, 16},
    {{1, 9, 8, 7, 16}, {3, 1, 2, 1, 32}, {2, 1, 1}, {1, 1, 0, 0, 1, 0}, {1, 1, 2}, 16},
};

// The filter as [groups * panels, ..window, depth, panelWidth].
Tensor inPanels(const Tensor& filter, std::int64_t groups) {
  const Shape& shape = filter.shape();
  const std::int64_t columns = shape[shape.rank() - 1], width = columns / groups, panels = panelsOf(width);
  Shape stored{groups * panels};
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank(); ++i) stored.push(shape[i]), rows *= shape[i];
  stored.push(panelWidth);
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(stored.elements()));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t panel = column / width * panels + column % width / panelWidth;
      bits[static_cast<std::size_t>((panel * rows + row) * panelWidth + column % width % panelWidth)] =
          filter.view().as<std::uint16_t>()[row * columns + column];
    }
  return tensorOf(filter.elem(), stored, bits);
}

// Elements that are no numbers, infinite or zero among the others.
void setSpecial(std::mt19937& random, Tensor& tensor) {
  auto* const bits = tensor.view().as<std::uint16_t>();
  constexpr float special[] = {-0.0f, 0.0f, INFINITY, -INFINITY, NAN};
  for (std::int64_t i = static_cast<std::int64_t>(random() % 7); i < tensor.shape().elements(); i += 41) {
    const float value = special[random() % std::size(special)];
    bits[i] = tensor.elem() == Elem::f16 ? f16FromF32(value) : bf16FromF32(value);
  }
}

// Whether the results are the same numbers; a NaN may be any.
void expectSame(const Result<Tensor>& expected, const Result<Tensor>& actual) {
  ASSERT_TRUE(expected && actual) << (expected ? actual.error().text() : expected.error().text());
  const auto a = elementsOf<std::uint16_t>(expected->view()), b = elementsOf<std::uint16_t>(actual->view());
  const auto isNan = [&](std::uint16_t x) {
    return std::isnan(expected->elem() == Elem::f16 ? f32FromF16(x) : f32FromBf16(x));
  };
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(a[i] == b[i] || (isNan(a[i]) && isNan(b[i]))) << i << ": " << a[i] << ", not " << b[i];
}

// The kernel with each of these epilogues: none, operators that it applies itself, and more than those.
void compareConv(std::mt19937& random, const Conv& conv, Elem elem, std::uint32_t vector) {
  const Shape y = conv.result();
  Tensor image = drawn(random, elem, conv.image);
  const Tensor filter = drawn(random, elem, conv.filter), panels = inPanels(filter, conv.groups);
  Tensor bias = drawn(random, elem, {y[y.rank() - 1]}), residual = drawn(random, elem, y);
  const Tensor most = tensorOf<std::uint16_t>(elem, {}, {elem == Elem::f16 ? f16FromF32(6) : bf16FromF32(6)});
  const auto e = static_cast<std::uint32_t>(elem);
  const Epilogue epilogues[] = {
      {},
      {{{op::mul, e, {5, 2}, 0}, {op::add, e, {6, 2}, 0}, {op::relu, e, {7}, 0}}, 3},
      {{{op::add, e, {5, 3}, 0}, {op::add, e, {6, 2}, 0}, {op::maximum, e, {7, 2}, 0}, {op::minimum, e, {8, 4}, 0}}, 3},
      {{{op::maximum, e, {5, 2}, 0}, {op::minimum, e, {6, 3}, 0}}, 3},
      {{{op::maximum, e, {2, 5}, 0}, {op::neg, e, {6}, 0}, {op::mul, e, {7, 4}, 0}}, 3}};
  for (const bool special : {false, true}) {
    if (special) setSpecial(random, image), setSpecial(random, bias), setSpecial(random, residual);
    for (const Epilogue& epilogue : epilogues) {
      std::vector<TensorView> operands{image.view(), filter.view()};
      if (epilogue.inputs > 0) operands.insert(operands.end(), {bias.view(), residual.view(), most.view()});
      const auto expected = runOperator(op::conv, operands, conv.ints(), elem, y, epilogue);
      if (vector == op::convPanelsHalf) operands[1] = panels.view();
      inEachInstructionSet([&](std::string_view) {
        expectSame(expected, runOperator(vector, operands, conv.ints(), elem, y, epilogue));
      });
    }
  }
}

TEST(Half, ConvolutionsAreThoseOfThePlainKernel) {
  std::mt19937 random(6);
  for (const Elem elem : {Elem::f16, Elem::bf16}) {
    for (const Conv& conv : convs) {
      compareConv(random, conv, elem, op::convPanelsHalf);
      ASSERT_FALSE(HasFatalFailure()) << "convolution " << &conv - convs;
    }
    for (const Conv& conv : depthwiseConvs) {
      compareConv(random, conv, elem, op::convDepthwiseHalf);
      ASSERT_FALSE(HasFatalFailure()) << "depthwise convolution " << &conv - depthwiseConvs;
    }
    for (const Conv& conv : convsInGroups) {
      compareConv(random, conv, elem, op::convGroups);
      ASSERT_FALSE(HasFatalFailure()) << "convolution in groups " << &conv - convsInGroups;
    }
  }
}

// Sums by Winograd's algorithm are rounded differently, so they are compared within a rounding of the element type.
TEST(Half, ConvolutionsByWinogradsAlgorithm) {
  const Conv winograd[] = {{{1, 9, 13, 17}, {3, 3, 17, 20}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
                           {{2, 37, 37, 70}, {3, 3, 70, 70}, {1, 1}, {0, 1, 3, -2}, {1, 1}},
                           {{1, 5, 4, 3}, {3, 3, 3, 7}, {1, 1}, {4, 4, -1, 0}, {1, 1}}};
  std::mt19937 random(7);
  for (const Elem elem : {Elem::f16, Elem::bf16})
    for (const Conv& conv : winograd) {
      const Shape y = conv.result();
      const Tensor image = drawn(random, elem, conv.image), filter = drawn(random, elem, conv.filter),
                   bias = drawn(random, elem, {y[3]}), panels = inPanels(filter, 1);
      const Epilogue epilogue{{{op::add, static_cast<std::uint32_t>(elem), {3, 2}, 0}}, 1};
      const auto plain =
          runOperator(op::conv, {image.view(), filter.view(), bias.view()}, conv.ints(), elem, y, epilogue);
      ASSERT_TRUE(plain) << plain.error().text();
      const auto wide = [elem](std::uint16_t x) { return elem == Elem::f16 ? f32FromF16(x) : f32FromBf16(x); };
      const float rounding = elem == Elem::f16 ? 0x1p-10f : 0x1p-7f;
      for (const std::uint32_t form : {op::convWinogradHalfF2, op::convWinogradHalfF4, op::convWinogradHalfF6})
        inEachInstructionSet([&](std::string_view name) {
          const auto vector =
              runOperator(form, {image.view(), panels.view(), bias.view()}, conv.ints(), elem, y, epilogue);
          ASSERT_TRUE(vector) << vector.error().text();
          const auto a = elementsOf<std::uint16_t>(plain->view()), b = elementsOf<std::uint16_t>(vector->view());
          for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_NEAR(wide(a[i]), wide(b[i]), 2 * rounding * std::abs(wide(a[i])) + 1e-3f) << name << " " << i;
        });
    }
}

// Pools compute in f32 and round once.
TEST(Half, PoolsAreThoseOfF32) {
  inEachInstructionSet([](std::string_view name) {
    std::mt19937 random(8);
    for (const Elem elem : {Elem::f16, Elem::bf16})
      for (const std::int64_t channels : {1, 3, 130}) {
        const Shape image{2, 9, 10, channels};
        Tensor x = drawn(random, elem, image);
        setSpecial(random, x);
        std::vector<float> wide;
        for (const std::uint16_t bits : elementsOf<std::uint16_t>(x.view()))
          wide.push_back(elem == Elem::f16 ? f32FromF16(bits) : f32FromBf16(bits));
        const Tensor widened = tensorOf(Elem::f32, image, wide);
        for (const std::uint32_t op : {op::maxPool, op::avgPool})
          for (const bool isLarge : {false, true}) {
            const auto ints = isLarge ? std::vector<std::int64_t>{5, 4, 2, 3, 1, 1, 0, 1}
                                      : std::vector<std::int64_t>{3, 2, 2, 3, 1, 1, 0, 1};
            const Shape result = isLarge ? Shape{2, 4, 3, channels} : Shape{2, 5, 4, channels};
            const auto expected = runOperator(op, {widened.view()}, ints, Elem::f32, result);
            ASSERT_TRUE(expected) << expected.error().text();
            std::vector<std::uint16_t> bits;
            for (const float each : elementsOf<float>(expected->view()))
              bits.push_back(elem == Elem::f16 ? f16FromF32(each) : bf16FromF32(each));
            expectSame(tensorOf(elem, result, bits), runOperator(op, {x.view()}, ints, elem, result));
            ASSERT_FALSE(HasFatalFailure()) << name << " " << channels;
          }
      }
  });
}

TEST(Half, MixedElementTypesAreRefused) {
  const Tensor a = tensorOf<std::uint16_t>(Elem::f16, {1, 1}, {0}),
               b = tensorOf<std::uint16_t>(Elem::bf16, {1, 1}, {0});
  const auto made = runOperator(op::matmulVector, {a.view(), b.view()}, {}, Elem::f16, {1, 1});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("must have one element type"), std::string::npos) << made.error().text();
  const Tensor image = tensorOf<std::uint16_t>(Elem::f16, {1, 1, 1}, {0}),
               filter = tensorOf<std::uint16_t>(Elem::bf16, {1, 1, 1}, {0});
  const auto conv =
      runOperator(op::convDepthwiseHalf, {image.view(), filter.view()}, {1, 0, 0, 1, 1, 1}, Elem::f16, {1, 1, 1});
  ASSERT_FALSE(conv);
  EXPECT_NE(conv.error().text().find("must have one element type"), std::string::npos) << conv.error().text();
}

}  // namespace
}  // namespace axle::runtime::test
