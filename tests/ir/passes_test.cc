// Checks what passes remove, fold and keep in hand-built graphs.
#include "ir/passes/pass.h"

#include <gtest/gtest.h>

#include "backend/evaluate.h"
#include "ir/dump.h"
#include "tests/ir/build_graph.h"

namespace axle::ir {
namespace {

PassContext folding() { return {runtimeEvaluator({}), false}; }

std::size_t countOf(const Graph& graph, Op op) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes) count += node.op == op;
  return count;
}

TEST(Prune, RemovesUnusedNodesAndKeepsInputs) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f), y = b.input(f);
  b.add(Op::exp, {x}, f);
  b.output(b.add(Op::neg, {x}, f));
  (void)y;
  ASSERT_TRUE(runPasses(b.model, {}));
  EXPECT_EQ(countOf(b.model.main(), Op::exp), 0u);
  EXPECT_EQ(countOf(b.model.main(), Op::neg), 1u);
  EXPECT_EQ(countOf(b.model.main(), Op::input), 2u);
}

// map(fn (e) { body of e and captures }, x), with captures a and c, of which the body reads only c.
struct Mapped {
  test::Builder b;
  OutletId x, a, c;
  Mapped() {
    Fact f = b.fact(Elem::f32, {4}), scalar = b.fact(Elem::f32, {});
    x = b.input(f);
    a = b.input(scalar);
    c = b.constant<float>(Elem::f32, {}, {2});
    b.model.graphs.emplace_back();
    OutletId e = b.input(scalar, 1);
    b.input(scalar, 1);
    OutletId inner = b.input(scalar, 1);
    b.output(b.add(Op::mul, {e, inner}, scalar, {}, 1), 1);
    OutletId out = b.add(Op::map, {x, a, c}, f, {1});
    Graph& g = b.model.graphs[0];
    g[g[out].node].bodies = {GraphId{1}};
    b.output(out);
  }
};

TEST(Prune, DropsUnreadCaptures) {
  Mapped m;
  ASSERT_EQ(verify(m.b.model), std::nullopt);
  ASSERT_TRUE(runPasses(m.b.model, {}, "prune"));
  const Graph& g = m.b.model.main();
  EXPECT_EQ(g.producer(g.outputs[0]).inputs, (std::vector<OutletId>{m.x, m.c}));
  EXPECT_EQ(m.b.model.graphs[1].inputs.size(), 2u);
}

TEST(Prune, OnePatchDropsTheUnreadCapturesOfAllOperators) {
  Mapped m;
  Fact f = m.b.fact(Elem::f32, {4}), scalar = m.b.fact(Elem::f32, {});
  constexpr std::uint32_t last = 40;
  for (std::uint32_t body = 2; body <= last; ++body) {
    m.b.model.graphs.emplace_back();
    OutletId e = m.b.input(scalar, body);
    m.b.input(scalar, body);
    m.b.output(m.b.add(Op::neg, {e}, scalar, {}, body), body);
    OutletId out = m.b.add(Op::map, {m.x, m.a}, f, {1});
    Graph& g = m.b.model.graphs[0];
    g[g[out].node].bodies = {GraphId{body}};
    m.b.output(out);
  }
  ASSERT_EQ(verify(m.b.model), std::nullopt);
  auto patch = pruneStep(m.b.model, {});
  ASSERT_TRUE(patch);
  EXPECT_TRUE(apply(m.b.model, *patch));
  for (std::uint32_t body = 2; body <= last; ++body) EXPECT_EQ(m.b.model.graphs[body].inputs.size(), 1u) << body;
  ASSERT_TRUE(runPasses(m.b.model, {}, "prune"));
  EXPECT_EQ(verify(m.b.model), std::nullopt);
}

TEST(Prune, ClearsBodiesOfRemovedOperators) {
  Mapped m;
  m.b.model.graphs[0].outputs = {m.x};
  ASSERT_TRUE(runPasses(m.b.model, {}, "prune"));
  EXPECT_TRUE(m.b.model.graphs[1].nodes.empty());
}

TEST(Fold, CopiesConstantCapturesIntoBodies) {
  Mapped m;
  ASSERT_TRUE(runPasses(m.b.model, folding(), "prune-folded"));
  const Graph& g = m.b.model.main();
  EXPECT_EQ(g.producer(g.outputs[0]).inputs, std::vector<OutletId>{m.x});
  EXPECT_EQ(countOf(m.b.model.graphs[1], Op::constant), 1u);
}

TEST(Fold, UsesTheRuntimesKernels) {
  test::Builder b;
  OutletId two = b.constant<float>(Elem::f32, {2}, {2, 3}), x = b.input(b.fact(Elem::f32, {2}));
  OutletId square = b.add(Op::mul, {two, two}, b.fact(Elem::f32, {2}));
  b.output(b.add(Op::add, {x, b.add(Op::neg, {square}, b.fact(Elem::f32, {2}))}, b.fact(Elem::f32, {2})));
  ASSERT_TRUE(runPasses(b.model, folding()));
  const Graph& g = b.model.main();
  const Node& folded = g.producer(g.producer(g.outputs[0]).inputs[1]);
  ASSERT_EQ(folded.op, Op::constant);
  std::vector<float> values(2);
  std::memcpy(values.data(), b.model[folded.constant].bytes->data(), 8);
  EXPECT_EQ(values, (std::vector<float>{-4, -9}));
  EXPECT_EQ(countOf(g, Op::mul), 0u);
}

TEST(Fold, KeepsNamesOfReplacedNodes) {
  test::Builder b;
  OutletId two = b.constant<float>(Elem::f32, {}, {2}), y = b.add(Op::exp, {two}, b.fact(Elem::f32, {}));
  b.model.graphs[0][b.model.graphs[0][y].node].names = {"scale"};
  b.output(y);
  ASSERT_TRUE(runPasses(b.model, folding()));
  const Graph& g = b.model.main();
  EXPECT_EQ(g.producer(g.outputs[0]).op, Op::constant);
  EXPECT_EQ(g.producer(g.outputs[0]).names, std::vector<std::string>{"scale"});
}

TEST(Fold, DoesNotFoldLargeResults) {
  test::Builder b;
  OutletId zero = b.constant<float>(Elem::f32, {}, {0});
  OutletId zeros = b.add(Op::broadcast, {zero}, b.fact(Elem::f32, {1000000}));
  b.output(b.add(Op::add, {b.input(b.fact(Elem::f32, {1000000})), zeros}, b.fact(Elem::f32, {1000000})));
  ASSERT_TRUE(runPasses(b.model, folding(), "prune-folded"));
  EXPECT_EQ(countOf(b.model.main(), Op::broadcast), 1u);
}

TEST(Fold, DoesNotFoldOperatorsThatMayFail) {
  test::Builder b;
  OutletId one = b.constant<std::int32_t>(Elem::i32, {}, {1}), zero = b.constant<std::int32_t>(Elem::i32, {}, {0});
  OutletId table = b.constant<float>(Elem::f32, {3}, {1, 2, 3}), far = b.constant<std::int32_t>(Elem::i32, {1}, {7});
  b.output(b.add(Op::div, {one, zero}, b.fact(Elem::i32, {})));
  b.output(b.add(Op::mod, {one, zero}, b.fact(Elem::i32, {})));
  b.output(b.add(Op::gather, {table, far}, b.fact(Elem::f32, {1}), {0}));
  b.output(b.add(Op::slice, {table}, b.fact(Elem::f32, {2}), {0, 2, 1}));  // past the end of the tensor
  b.output(b.add(Op::slice, {table}, b.fact(Elem::f32, {2}), {0, 0, 2}));  // within the tensor
  ASSERT_TRUE(runPasses(b.model, folding()));
  const Graph& g = b.model.main();
  std::vector<Op> ops;
  for (OutletId output : g.outputs) ops.push_back(g.producer(output).op);
  EXPECT_EQ(ops, (std::vector<Op>{Op::div, Op::mod, Op::gather, Op::slice, Op::constant}));
}

// x * w, with a weight w of `count` elements that are all 1.
Model scaledByWeight(test::Builder& b, std::int64_t count) {
  Fact f = b.fact(Elem::f32, {4, count}), ofWeight = b.fact(Elem::f32, {count});
  OutletId x = b.input(f);
  b.model.weights.push_back({"scale", "scale", {}});
  b.model.constants.push_back({"scale", Elem::f32, {count}, 0, nullptr});
  ofWeight.value = ConstantId{static_cast<std::uint32_t>(b.model.constants.size() - 1)};
  OutletId w = b.add(Op::constant, {}, ofWeight);
  Graph& g = b.model.graphs[0];
  g[g[w].node].constant = std::get<ConstantId>(ofWeight.value);
  b.output(b.add(Op::mul, {x, w}, f));
  return b.model;
}

TEST(Fold, ReadsSmallWeightsSoThatRulesSeeTheirNumbers) {
  const std::vector<float> ones(17, 1.0F);
  for (std::int64_t count : {1, 16, 17}) {
    test::Builder b;
    Model model = scaledByWeight(b, count);
    ASSERT_EQ(verify(model), std::nullopt);
    const WeightBytes weights = [&](std::uint32_t, const Constant& constant) -> FileResult<TensorBytes> {
      return TensorBytes{nullptr,
                         std::as_bytes(std::span(ones)).first(4 * static_cast<std::size_t>(constant.shape[0]))};
    };
    ASSERT_TRUE(runPasses(model, {runtimeEvaluator(weights), true}));
    EXPECT_EQ(countOf(model.main(), Op::mul), count > 16 ? 1u : 0u) << count;  // at most 64 bytes are read
  }
}

TEST(Fold, LeavesWeightsThatAreNotGiven) {
  test::Builder b;
  Model model = scaledByWeight(b, 1);
  ASSERT_TRUE(runPasses(model, folding()));
  EXPECT_EQ(countOf(model.main(), Op::mul), 1u);
}

TEST(Patch, PatchesThatBreakAFactAreRejected) {
  test::Builder b;
  OutletId x = b.input(b.fact(Elem::f32, {2})), y = b.input(b.fact(Elem::i32, {2}));
  b.output(b.add(Op::exp, {x}, b.fact(Elem::f32, {2})));
  GraphEdit edit;
  edit.graph = GraphId{0};
  edit.replaced = {{x, y}};
  auto applied = apply(b.model, {"swap the inputs", {edit}});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error(), "swap the inputs: main, node 2 (EXP): output 0 is i32 [2], not f32 [2]");
}

}  // namespace
}  // namespace axle::ir
