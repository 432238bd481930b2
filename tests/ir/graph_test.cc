// Graphs: order, successors, liveness, verification.
#include <gtest/gtest.h>

#include "ir/passes/liveness.h"
#include "ir/passes/patch.h"
#include "tests/ir/build_graph.h"

namespace axle::ir {
namespace {

TEST(Graph, OrderPutsProducersFirst) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f), y = b.add(Op::exp, {x}, f), z = b.add(Op::neg, {y}, f);
  b.output(z);
  Graph& g = b.model.graphs[0];
  g[g[y].node].inputs = {b.add(Op::tanh, {x}, f)};  // a node that comes later in the list
  auto order = topologicalOrder(g);
  ASSERT_TRUE(order);
  std::vector<Op> ops;
  for (NodeId id : *order) ops.push_back(g[id].op);
  EXPECT_EQ(ops, (std::vector<Op>{Op::input, Op::tanh, Op::exp, Op::neg}));
}

TEST(Graph, OrderOmitsUnusedNodes) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f);
  b.add(Op::exp, {x}, f);
  b.output(x);
  EXPECT_EQ(topologicalOrder(b.model.graphs[0])->size(), 1u);
}

TEST(Graph, CyclesAndInvalidIdsHaveNoOrder) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f), y = b.add(Op::add, {x, x}, f);
  b.output(y);
  Graph& g = b.model.graphs[0];
  g[g[y].node].inputs[1] = y;
  EXPECT_FALSE(topologicalOrder(g));
  g[g[y].node].inputs[1] = OutletId{99};
  EXPECT_FALSE(topologicalOrder(g));
  EXPECT_TRUE(verify(b.model));
}

TEST(Graph, SuccessorsCountEveryUse) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f), y = b.add(Op::add, {x, x}, f);
  b.output(y);
  auto readers = successors(b.model.graphs[0]);
  EXPECT_EQ(readers[x.index].size(), 2u);
  EXPECT_TRUE(readers[y.index].empty());
}

TEST(Graph, VerificationNamesTheInvalidNode) {
  test::Builder b;
  OutletId x = b.input(b.fact(Elem::f32, {2, 3})), y = b.input(b.fact(Elem::f32, {4, 5}));
  b.output(b.add(Op::matmul, {x, y}, b.fact(Elem::f32, {2, 5})));
  EXPECT_EQ(verify(b.model), "main, node 2 (MATMUL): inner sizes differ");
  Graph& g = b.model.graphs[0];
  g[y].fact = b.fact(Elem::f32, {3, 5});
  EXPECT_EQ(verify(b.model), std::nullopt);
  g[g.outputs[0]].fact = b.fact(Elem::f32, {2, 6});
  EXPECT_EQ(verify(b.model), "main, node 2 (MATMUL): output 0 is f32 [2, 5], not f32 [2, 6]");
}

TEST(Graph, SymbolicSizesDifferOnlyIfNoValueMakesThemEqual) {
  test::Builder b;
  Dim n = b.dims.variable(b.dims.newVariable("n")), m = b.dims.variable(b.dims.newVariable("m"));
  OutletId x = b.input({Elem::f32, {n}, {}}), y = b.input({Elem::f32, {m}, {}});
  b.output(b.add(Op::add, {x, y}, {Elem::f32, {n}, {}}));
  EXPECT_EQ(verify(b.model), std::nullopt);  // a guard may state that n == m
  b.model.graphs[0][y].fact.shape = {b.dims.add(n, b.dims.constant(1))};
  EXPECT_EQ(verify(b.model), "main, node 2 (ADD): sizes n and n + 1 do not broadcast");
}

TEST(Graph, LivenessEndsWithTheLastReader) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f), a = b.add(Op::exp, {x}, f), c = b.add(Op::neg, {a}, f), d = b.add(Op::add, {a, c}, f);
  b.output(d);
  auto live = liveness(b.model, b.model.main());
  ASSERT_TRUE(live);
  auto at = [&](OutletId id) { return std::pair(live->outlets[id.index].begin, live->outlets[id.index].end); };
  EXPECT_EQ(at(a), (std::pair<std::size_t, std::size_t>(1, 3)));
  EXPECT_EQ(at(c), (std::pair<std::size_t, std::size_t>(2, 3)));
  EXPECT_EQ(at(d), (std::pair<std::size_t, std::size_t>(3, 4)));
  EXPECT_EQ(live->peakBytes, 48u);  // a, c and d, of 16 bytes each, are alive at the sum
}

TEST(Graph, SymbolicSizesHaveNoPeak) {
  test::Builder b;
  Fact f{Elem::f32, {b.dims.variable(b.dims.newVariable("n"))}, {}};
  b.output(b.add(Op::exp, {b.input(f)}, f));
  EXPECT_EQ(liveness(b.model, b.model.main())->peakBytes, std::nullopt);
}

}  // namespace
}  // namespace axle::ir
