// Compares pointwise operators, casts, reductions and scans of f16 and bf16 with those of f32 on the same numbers,
// rounded, in each instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "io/half.h"
#include "runtime/ops.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/network_maker.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

constexpr Elem halves[] = {Elem::f16, Elem::bf16};

float wideOf(Elem elem, std::uint16_t bits) { return elem == Elem::f16 ? f32FromF16(bits) : f32FromBf16(bits); }
std::uint16_t halfOf(Elem elem, float x) { return elem == Elem::f16 ? f16FromF32(x) : bf16FromF32(x); }

Tensor widened(const TensorView& x) {
  std::vector<float> wide;
  for (const std::uint16_t bits : elementsOf<std::uint16_t>(x)) wide.push_back(wideOf(x.elem, bits));
  return tensorOf(Elem::f32, x.shape, wide);
}
Tensor rounded(Elem elem, const TensorView& x) {
  std::vector<std::uint16_t> bits;
  for (const float each : elementsOf<float>(x)) bits.push_back(halfOf(elem, each));
  return tensorOf(elem, x.shape, bits);
}

// All numbers of the type, infinite ones, NaN and zeros included; from a drawn place on, once or more.
Tensor anyNumbers(std::mt19937& random, Elem elem, const Shape& shape) {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(shape.elements()));
  const auto first = static_cast<std::uint32_t>(random());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(first + 40503 * i);
  return tensorOf(elem, shape, bits);
}

// Numbers of which few sums are infinite.
Tensor smallNumbers(std::mt19937& random, Elem elem, const Shape& shape) {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(shape.elements()));
  for (std::uint16_t& x : bits) x = halfOf(elem, static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 700);
  return tensorOf(elem, shape, bits);
}

// Whether two tensors have the same bits; a NaN may be any.
void expectSameBits(const Result<Tensor>& expected, const Result<Tensor>& actual) {
  ASSERT_TRUE(expected && actual) << (expected ? actual.error().text() : expected.error().text());
  ASSERT_EQ(expected->elem(), actual->elem());
  const std::size_t size = info(expected->elem()).bytes, count = expected->bytes().size() / size;
  const auto isNan = [](const Tensor& tensor, std::size_t at) {
    if (tensor.elem() == Elem::f32) return std::isnan(tensor.view().as<float>()[at]);
    if (tensor.elem() == Elem::f64) return std::isnan(tensor.view().as<double>()[at]);
    const bool isHalf = tensor.elem() == Elem::f16 || tensor.elem() == Elem::bf16;
    return isHalf && std::isnan(wideOf(tensor.elem(), tensor.view().as<std::uint16_t>()[at]));
  };
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_TRUE(std::memcmp(expected->bytes().data() + i * size, actual->bytes().data() + i * size, size) == 0 ||
                (isNan(*expected, i) && isNan(*actual, i)))
        << i;
}

// The operator on widened operands, its result rounded if it is a number.
Result<Tensor> throughF32(std::uint32_t op, const std::vector<TensorView>& operands,
                          const std::vector<std::int64_t>& ints, Elem result, const Shape& shape) {
  std::vector<Tensor> wide;
  std::vector<TensorView> views;
  for (const TensorView& each : operands) wide.push_back(widened(each));
  for (const Tensor& each : wide) views.push_back(each.view());
  auto made = runOperator(op, views, ints, result == Elem::boolean ? result : Elem::f32, shape);
  if (!made || result == Elem::boolean) return made;
  return rounded(result, made->view());
}

// `isExact`: it has the same bits in all instruction sets.
struct HalfOperator {
  std::uint32_t op;
  bool isExact = true, givesBool = false;
};
constexpr HalfOperator unary[] = {
    {op::neg},   {op::exp, false}, {op::log},   {op::sqrt},  {op::tanh, false}, {op::sigmoid, false},
    {op::abs},   {op::erf},        {op::rsqrt}, {op::floor}, {op::ceil},        {op::round},
    {op::sign},  {op::relu},       {op::sin},   {op::cos},   {op::asin},        {op::acos},
    {op::atan},  {op::tan},        {op::sinh},  {op::cosh},  {op::asinh},       {op::acosh},
    {op::atanh}, {op::log1p},      {op::expm1}, {op::log2},  {op::exp2},        {op::cbrt},
    {op::trunc}, {op::hardSwish}};
constexpr HalfOperator binary[] = {{op::add},
                                   {op::sub},
                                   {op::mul},
                                   {op::div},
                                   {op::mod},
                                   {op::maximum},
                                   {op::minimum},
                                   {op::pow, false},
                                   {op::atan2},
                                   {op::less, true, true},
                                   {op::lessEqual, true, true},
                                   {op::greater, true, true},
                                   {op::greaterEqual, true, true},
                                   {op::equal, true, true},
                                   {op::notEqual, true, true}};

// In each instruction set the result is that of f32, and, if it is exact, that of the plain kernels.
void checkOperator(const HalfOperator& each, const std::vector<TensorView>& operands, const Shape& shape) {
  const Elem elem = operands[0].elem, result = each.givesBool ? Elem::boolean : elem;
  // 32-bit NEON takes denormals of f32 for 0, and so those of bf16.
  const bool isExact = each.isExact && (sizeof(void*) == 8 || elem == Elem::f16);
  std::optional<Result<Tensor>> plain;
  inEachInstructionSet([&](std::string_view) {
    const auto made = runOperator(each.op, operands, {}, result, shape);
    expectSameBits(throughF32(each.op, operands, {}, result, shape), made);
    if (!plain) plain = made ? Tensor::copyOf(made->view()) : tl::unexpected(made.error());
    if (isExact) expectSameBits(*plain, made);
  });
}

TEST(HalfRows, OperatorsOfOneOnAllNumbers) {
  std::mt19937 random(1);
  for (const Elem elem : halves)
    for (const HalfOperator& each : unary)
      for (const std::int64_t count : {1, 255, 256, 257, 65536}) {
        const Tensor x = anyNumbers(random, elem, {count});
        checkOperator(each, {x.view()}, {count});
        ASSERT_FALSE(HasFatalFailure()) << "operator " << each.op << ", " << count;
      }
}

struct Broadcast {
  Shape a, b, result;
};
const Broadcast broadcasts[] = {{{1}, {1}, {1}},
                                {{70000}, {70000}, {70000}},
                                {{}, {300}, {300}},
                                {{511}, {}, {511}},
                                {{9, 64}, {64}, {9, 64}},
                                {{9, 7}, {1, 7}, {9, 7}},
                                {{9, 1}, {9, 7}, {9, 7}},
                                {{5, 300}, {5, 1}, {5, 300}},
                                {{3, 1, 300}, {4, 300}, {3, 4, 300}},
                                {{2, 3, 16}, {2, 1, 16}, {2, 3, 16}}};

TEST(HalfRows, OperatorsOfTwo) {
  std::mt19937 random(2);
  for (const Elem elem : halves)
    for (const HalfOperator& each : binary)
      for (const Broadcast& sizes : broadcasts) {
        const Tensor a = anyNumbers(random, elem, sizes.a), b = anyNumbers(random, elem, sizes.b);
        checkOperator(each, {a.view(), b.view()}, sizes.result);
        ASSERT_FALSE(HasFatalFailure()) << "operator " << each.op << ", " << &sizes - broadcasts;
      }
}

// Each operator of a chain rounds its result, and each comparison reads rounded ones.
TEST(HalfRows, ChainsRoundEachResult) {
  std::mt19937 random(3);
  for (const Elem elem : halves)
    for (const Broadcast& sizes : broadcasts) {
      const Tensor a = anyNumbers(random, elem, sizes.a), b = anyNumbers(random, elem, sizes.b);
      const auto e = static_cast<std::uint32_t>(elem), boolean = static_cast<std::uint32_t>(Elem::boolean);
      const Epilogue chain{{{op::mul, e, {0, 1}, 0},
                            {op::add, e, {2, 0}, 0},
                            {op::sigmoid, e, {3}, 0},
                            {op::tanh, e, {2}, 0},
                            {op::mul, e, {4, 5}, 0},
                            {op::less, boolean, {6, 1}, 0},
                            {op::select, e, {7, 6, 3}, 0}},
                           2};
      inEachInstructionSet([&](std::string_view) {
        const auto made = runOperator(op::chain, {a.view(), b.view()}, {}, elem, sizes.result, chain);
        std::vector<Tensor> values;
        const auto add = [&](std::uint32_t op, std::vector<TensorView> operands, Elem result) {
          auto one = runOperator(op, operands, {}, result, sizes.result);
          ASSERT_TRUE(one) << one.error().text();
          values.push_back(std::move(*one));
        };
        const auto v = [&](std::size_t i) { return values[i].view(); };
        add(op::mul, {a.view(), b.view()}, elem);
        add(op::add, {v(0), a.view()}, elem);
        add(op::sigmoid, {v(1)}, elem);
        add(op::tanh, {v(0)}, elem);
        add(op::mul, {v(2), v(3)}, elem);
        add(op::less, {v(4), b.view()}, Elem::boolean);
        add(op::select, {v(5), v(4), v(1)}, elem);
        expectSameBits(Tensor::copyOf(v(6)), made);
      });
      ASSERT_FALSE(HasFatalFailure()) << &sizes - broadcasts;
    }
}

TEST(HalfRows, Casts) {
  std::mt19937 random(4);
  const Shape shape{70000};
  inEachInstructionSet([&](std::string_view) {
    for (const Elem elem : halves) {
      const Tensor x = anyNumbers(random, elem, shape), wide = widened(x.view());
      for (const Elem other : {Elem::f32, Elem::f64, Elem::i8, Elem::i16, Elem::i32, Elem::i64, Elem::u8, Elem::u16,
                               Elem::u32, Elem::u64, Elem::boolean}) {
        const auto expected = runOperator(op::cast, {wide.view()}, {}, other, shape);
        expectSameBits(expected, runOperator(op::cast, {x.view()}, {}, other, shape));
        const auto back = runOperator(op::cast, {expected->view()}, {}, Elem::f32, shape);
        expectSameBits(rounded(elem, back->view()), runOperator(op::cast, {expected->view()}, {}, elem, shape));
        ASSERT_FALSE(HasFatalFailure()) << "from or to " << static_cast<int>(other);
      }
      const Elem second = elem == Elem::f16 ? Elem::bf16 : Elem::f16;
      expectSameBits(rounded(second, wide.view()), runOperator(op::cast, {x.view()}, {}, second, shape));
    }
  });
}

// Rounded to f32 first, these would be in the middle between two numbers of the type.
TEST(HalfRows, CastsOfF64RoundOnce) {
  for (const Elem elem : halves) {
    const double middle = 1 + std::ldexp(1.0, elem == Elem::f16 ? -11 : -8), little = 0x1p-40;
    const Tensor x = tensorOf<double>(Elem::f64, {4}, {middle - little, middle, middle + little, -middle - little});
    const std::uint16_t one = halfOf(elem, 1), next = one + 1;
    expectSameBits(tensorOf<std::uint16_t>(elem, {4}, {one, one, next, static_cast<std::uint16_t>(next | 0x8000)}),
                   runOperator(op::cast, {x.view()}, {}, elem, {4}));
  }
}

// Casts to and from these types, of columns from the second one on of a computed tensor, which are read where they lie.
TEST(HalfRows, CastsOfRowsThatAreApart) {
  constexpr std::int64_t rows = 5;
  inEachInstructionSet([](std::string_view) {
    for (const Elem elem : halves)
      for (const std::int64_t columns : {1, 3, 70, 700, 3000}) {
        const NetworkMaker::Sizes whole{rows, columns + 2}, part{rows, columns};
        std::vector<float> x, expected;
        for (std::int64_t i = 0; i < rows * (columns + 2); ++i) {
          x.push_back(static_cast<float>(i * 37 % 101 - 50) / 2);
          if (const std::int64_t column = i % (columns + 2); column > 0 && column <= columns)
            expected.push_back(-x.back());
        }
        NetworkMaker network;
        const auto negated = [&](std::uint32_t of, Elem type) {
          const std::uint32_t made = network.add(op::chain, {of}, whole, {}, type);
          network.last().epilogue = {{op::neg, static_cast<std::uint32_t>(type), {0}, 0}};
          network.last().epilogueInputs = 1;
          return made;
        };
        const auto columnsOf = [&](std::uint32_t of, Elem type) {
          const std::uint32_t made = network.add(op::slice, {of}, part, {1, 1, 1}, type);
          network.last().alias = true;
          return made;
        };
        // To the type from columns, and from columns of the type.
        const std::uint32_t wide = network.input("x", whole, x);
        const std::uint32_t once =
            network.add(op::cast, {columnsOf(negated(wide, Elem::f32), Elem::f32)}, part, {}, elem);
        const std::uint32_t narrow = network.add(op::cast, {wide}, whole, {}, elem);
        const std::uint32_t again = network.add(op::cast, {columnsOf(negated(narrow, elem), elem)}, part);
        const std::uint32_t first = network.add(op::cast, {once}, part);
        const std::uint32_t both = network.add(op::concat, {first, again}, {2 * rows, columns}, {0});
        network.output(both, {2 * rows, columns});
        expected.insert(expected.end(), expected.begin(), expected.end());
        EXPECT_EQ(network.run(false, 1).out, expected) << columns;
      }
  });
}

TEST(HalfRows, ReductionsAndScansRoundOnce) {
  std::mt19937 random(5);
  struct Case {
    Shape x;
    std::int64_t axis;
  };
  const Case cases[] = {{{1}, 0}, {{700}, 0}, {{9, 130}, 0}, {{300, 5}, 0}, {{3, 257}, 1}, {{2, 150, 3}, 1}};
  inEachInstructionSet([&](std::string_view) {
    for (const Elem elem : halves)
      for (const auto& [shape, axis] : cases) {
        const Tensor x = smallNumbers(random, elem, shape), any = anyNumbers(random, elem, shape),
                     start = smallNumbers(random, elem, {});
        const Shape result = shape.withoutAxis(static_cast<int>(axis));
        for (const Tensor* const each : {&x, &any}) {
          for (const std::uint32_t op : {op::reduceSum, op::reduceProd, op::reduceMax, op::reduceMin})
            expectSameBits(throughF32(op, {each->view(), start.view()}, {axis}, elem, result),
                           runOperator(op, {each->view(), start.view()}, {axis}, elem, result));
          for (const std::uint32_t op : {op::cumSum, op::cumProd, op::cumMax, op::cumMin})
            for (const std::int64_t exclusive : {0, 1})
              for (const std::int64_t backwards : {0, 1})
                expectSameBits(throughF32(op, {each->view()}, {axis, exclusive, backwards}, elem, shape),
                               runOperator(op, {each->view()}, {axis, exclusive, backwards}, elem, shape));
        }
        ASSERT_FALSE(HasFatalFailure()) << &shape - &cases[0].x;
      }
  });
}

// The operators of a softmax as a call over rows, and one after another.
TEST(HalfRows, RowsRoundEachResult) {
  std::mt19937 random(6);
  const auto run = [](std::uint32_t op, const std::vector<TensorView>& operands, std::vector<std::int64_t> ints,
                      const Tensor& like, const Shape& shape) {
    auto made = runOperator(op, operands, ints, like.elem(), shape);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
  };
  inEachInstructionSet([&](std::string_view) {
    for (const Elem elem : halves)
      for (const std::int64_t columns : {1, 3, 64, 129, 1000}) {
        const Shape shape{5, columns}, ofRows{5, 1};
        const Tensor x = smallNumbers(random, elem, shape),
                     least = tensorOf<std::uint16_t>(elem, {}, {halfOf(elem, -9)}),
                     zero = tensorOf<std::uint16_t>(elem, {}, {0});
        const auto e = static_cast<std::uint32_t>(elem);
        const Epilogue rows{{{op::reduceMax, e, {0, 1}, 0},
                             {op::sub, e, {0, 3}, 0},
                             {op::exp, e, {4}, 0},
                             {op::reduceSum, e, {5, 2}, 0},
                             {op::div, e, {5, 6}, 0}},
                            3};
        const auto made = runOperator(op::rows, {x.view(), least.view(), zero.view()}, {}, elem, shape, rows);
        const Tensor most = run(op::reduceMax, {x.view(), least.view()}, {1}, x, ofRows),
                     less = run(op::sub, {x.view(), most.view()}, {}, x, shape),
                     powers = run(op::exp, {less.view()}, {}, x, shape),
                     sum = run(op::reduceSum, {powers.view(), zero.view()}, {1}, x, ofRows);
        expectSameBits(run(op::div, {powers.view(), sum.view()}, {}, x, shape), made);
        ASSERT_FALSE(HasFatalFailure()) << columns;
      }
  });
}

}  // namespace
}  // namespace axle::runtime::test
