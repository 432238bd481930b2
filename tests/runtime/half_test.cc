// Compares products of f16 and bf16 by vector kernels with the plain one, in each instruction set and with several
// threads.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "io/half.h"
#include "runtime/ops.h"
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

TEST(Half, MixedElementTypesAreRefused) {
  const Tensor a = tensorOf<std::uint16_t>(Elem::f16, {1, 1}, {0}),
               b = tensorOf<std::uint16_t>(Elem::bf16, {1, 1}, {0});
  const auto made = runOperator(op::matmulVector, {a.view(), b.view()}, {}, Elem::f16, {1, 1});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("must have one element type"), std::string::npos) << made.error().text();
}

}  // namespace
}  // namespace axle::runtime::test
