// Checks that products around a softmax are adjacent calls, marked to run in strips of rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/program.h"
#include "runtime/ops.h"
#include "tests/ir/build_graph.h"

namespace axle {
namespace {

using ir::Op, ir::OutletId;

class Attention {
 public:
  // Adds the softmax of the products of 40 queries and 50 keys, for a batch of 2.
  OutletId weights(OutletId q) {
    const OutletId scores = b.add(Op::matmul, {q, b.input(b.fact(Elem::f32, {2, 8, 50}))}, matrix_);
    const OutletId zero = b.constant<float>(Elem::f32, {}, {0});
    const auto column = [&](Op op, OutletId of) {
      return b.add(Op::reshape, {b.add(op, {of, zero}, b.fact(Elem::f32, {2, 40}), {2})},
                   b.fact(Elem::f32, {2, 40, 1}));
    };
    const OutletId powers = b.add(Op::exp, {b.add(Op::sub, {scores, column(Op::reduceMax, scores)}, matrix_)}, matrix_);
    return b.add(Op::div, {powers, column(Op::reduceSum, powers)}, matrix_);
  }
  OutletId values(OutletId weights) {
    return b.add(Op::matmul, {weights, b.input(b.fact(Elem::f32, {2, 50, 8}))}, queries_);
  }
  OutletId queries() { return b.input(queries_); }

  test::Builder b;

 private:
  const ir::Fact matrix_ = b.fact(Elem::f32, {2, 40, 50}), queries_ = b.fact(Elem::f32, {2, 40, 8});
};

// Counts the marked calls. The next call reads the result of each.
std::size_t markedOf(const Calls& calls) {
  std::size_t marked = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].byRows) continue;
    ++marked;
    EXPECT_LT(i + 1, calls.size());
    EXPECT_EQ(std::ranges::count(calls[i + 1].inputs, calls[i].outputs[0]), 1) << i;
    EXPECT_EQ(calls[i + 1].inPlace, 0u);
  }
  return marked;
}

std::size_t nodesOf(const Calls& calls) {
  std::size_t nodes = 0;
  for (const Call& call : calls) nodes += call.from.size();
  return nodes;
}

TEST(Strips, ProductsThatWaitForOthersKeepTheirCalls) {
  Attention a;
  a.b.output(a.values(a.weights(a.values(a.weights(a.queries())))));
  const auto plain = plainProgram(a.b.model), fused = fusedProgram(a.b.model);
  ASSERT_TRUE(plain && fused);
  EXPECT_EQ(nodesOf(fused->graphs[0]), nodesOf(plain->graphs[0]));
  EXPECT_EQ(markedOf(fused->graphs[0]), 5u);  // all but the last product
}

TEST(Strips, WeightsThatAreAnOutputAreNotMarked) {
  Attention a;
  const OutletId weights = a.weights(a.queries());
  a.b.output(weights);
  a.b.output(a.values(weights));
  const auto fused = fusedProgram(a.b.model);
  ASSERT_TRUE(fused);
  EXPECT_EQ(markedOf(fused->graphs[0]), 0u);
}

}  // namespace
}  // namespace axle
