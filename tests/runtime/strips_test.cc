// Checks that products which run in strips of rows compute the same as separate calls, in less memory, with the same
// bits for any number of threads.
#include "runtime/strips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/runtime/instruction_sets.h"
#include "tests/runtime/network_maker.h"

namespace axle::runtime::test {
namespace {

constexpr auto f32 = static_cast<std::uint32_t>(Elem::f32);

struct Geometry {
  std::int64_t batches, queries, keys, depth, width;
  int middle;  // the calls of rows: 0 a softmax, 1 a masked softmax after a reshape, 2 two calls of rows, 3 none
};

// softmax(q k) v, where k is [depth, keys]; its scores are 256 KiB or more.
class Attention : public NetworkMaker {
 public:
  explicit Attention(const Geometry& geometry) : g(geometry) {
    const Sizes matrix{g.batches, g.queries, g.keys};
    const std::uint32_t q = drawnInput("q", {g.batches, g.queries, g.depth}),
                        k = drawnInput("k", {g.batches, g.depth, g.keys}),
                        v = drawnInput("v", {g.batches, g.keys, g.width});
    const float numbers[] = {-std::numeric_limits<float>::infinity(), 0, 0.375f};
    lowest_ = constant({}, {numbers[0]}), zero_ = constant({}, {numbers[1]}), scale_ = constant({}, {numbers[2]});
    std::uint32_t rows = product(q, k, matrix);
    // An epilogue that is not in registers.
    auto& node = last();
    node.inputs.push_back(scale_), node.epilogueInputs = 1;
    node.epilogue = {{op::mul, f32, {3, 2}, 0}};
    if (g.middle == 1)
      rows = masked(reshaped(rows, {1, g.batches, g.queries, g.keys}), {1, g.batches, g.queries, g.keys});
    if (g.middle == 1) rows = reshaped(rows, matrix);
    if (g.middle == 0 || g.middle == 2) rows = softmax(rows, matrix);
    if (g.middle == 2) rows = softmax(rows, matrix);
    const std::uint32_t out = product(rows, v, {g.batches, g.queries, g.width});
    output(out, {g.batches, g.queries, g.width});
  }

 private:
  std::uint32_t drawnInput(const std::string& name, const Sizes& sizes) {
    std::vector<float> elements(static_cast<std::size_t>(elementsOf(sizes)));
    for (float& x : elements) x = static_cast<float>(static_cast<int>(random_() % 2001) - 1000) / 500;
    return input(name, sizes, elements);
  }
  std::uint32_t product(std::uint32_t a, std::uint32_t b, const Sizes& sizes) {
    return add(op::matmulVector, {a, b}, sizes);
  }
  std::uint32_t reshaped(std::uint32_t x, const Sizes& sizes) {
    const std::uint32_t to = add(op::reshape, {x}, sizes);
    last().alias = true;
    return to;
  }
  std::uint32_t softmax(std::uint32_t x, const Sizes& sizes) {
    const std::uint32_t to = add(op::rows, {x, lowest_, zero_}, sizes);
    auto& node = last();
    node.epilogueInputs = 3;
    node.epilogue = {{op::reduceMax, f32, {0, 1}, 0},
                     {op::sub, f32, {0, 3}, 0},
                     {op::exp, f32, {4}, 0},
                     {op::reduceSum, f32, {5, 2}, 0},
                     {op::div, f32, {5, 6}, 0}};
    return to;
  }
  // The scores are the second operand, and one row of a bias is added to all.
  std::uint32_t masked(std::uint32_t x, const Sizes& sizes) {
    const std::uint32_t bias = drawnInput("bias", {g.batches, 1, g.keys});
    const std::uint32_t to = add(op::rows, {bias, x, lowest_, zero_}, sizes);
    auto& node = last();
    node.epilogueInputs = 4;
    node.epilogue = {{op::add, f32, {0, 1}, 0}, {op::reduceMax, f32, {4, 2}, 0}, {op::sub, f32, {4, 5}, 0},
                     {op::exp, f32, {6}, 0},    {op::reduceSum, f32, {7, 3}, 0}, {op::div, f32, {7, 8}, 0}};
    return to;
  }

  const Geometry g;
  std::mt19937 random_{7};
  std::uint32_t lowest_ = 0, zero_ = 0, scale_ = 0;
};

// Rounding of sums of up to 5,000 products with values up to 2, in two orders, of weights that add up to 1, or of
// scores that are sums of `depth` products themselves.
float toleranceOf(const Geometry& g) { return 2e-6f * static_cast<float>(g.middle == 3 ? g.keys * g.depth : 1); }

float farthest(const std::vector<float>& a, const std::vector<float>& b) {
  float most = a.size() == b.size() ? 0 : std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::isnan(a[i] - b[i]) ? most + 1 : std::abs(a[i] - b[i]));
  return most;
}

constexpr Geometry geometries[] = {
    {1, 300, 301, 8, 16, 0}, {3, 70, 500, 5, 33, 0},  {2, 257, 400, 1, 1, 1},
    {4, 300, 60, 16, 7, 1},  {1, 1000, 70, 3, 40, 2}, {5, 65, 1024, 4, 16, 1},
    {1, 100, 5000, 2, 3, 0}, {700, 1, 128, 2, 8, 0},  {2, 300, 301, 8, 16, 3},
};

TEST(Strips, GiveTheSameElementsInLessMemory) {
  inEachInstructionSet([&](std::string_view name) {
    for (const Geometry& g : geometries) {
      Attention attention(g);
      const Ran whole = attention.run(false, 1), strips = attention.run(true, 1);
      EXPECT_LE(farthest(whole.out, strips.out), toleranceOf(g)) << g.keys << " " << name;
      EXPECT_EQ(whole.macs, strips.macs) << g.keys;
      EXPECT_LT(strips.arenaBytes, whole.arenaBytes) << g.keys;
      EXPECT_EQ(strips.out, attention.run(true, 3).out) << g.keys << " " << name;
    }
  });
}

// Steps of a marked bundle must not run together if something else reads the matrix.
TEST(Strips, AreNotTakenWhereTheMatrixIsReadTwice) {
  Attention attention({1, 300, 301, 8, 301, 0});
  auto& graph = attention.maker.manifest.graph;
  graph.nodes.back().inputs.push_back(graph.nodes[0].outputs[0]);  // the scores are added to the result
  graph.nodes.back().epilogueInputs = 1;
  graph.nodes.back().epilogue = {{op::add, f32, {3, 2}, 0}};
  EXPECT_EQ(attention.run(false, 1).out, attention.run(true, 1).out);
  EXPECT_EQ(attention.run(false, 1).arenaBytes, attention.run(true, 1).arenaBytes);
}

}  // namespace
}  // namespace axle::runtime::test
