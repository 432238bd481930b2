// Tests sizes that nodes compute in the run, and row splits: planning, checks and errors.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/run_sizes.h"
#include "tests/runtime/allocations.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

// x : f32 [n]; out.0 = nonzero(x) [k, 1], out.1 = the elements at these positions, squared; with a guard k >= 2.
Maker squaresOfNonzero() {
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0), one = maker.constantDim(1), zero = maker.constantDim(0);
  const std::uint32_t k = maker.found("k", n);
  auto& graph = maker.manifest.graph;
  const std::uint32_t x = maker.input("x", "f32 [n]", Elem::f32, {n});
  const std::uint32_t at = Maker::value(graph, Elem::i64, {k, one}), ids = Maker::value(graph, Elem::i64, {k});
  const std::uint32_t y = Maker::value(graph, Elem::f32, {k}), square = Maker::value(graph, Elem::f32, {k});
  Maker::node(graph, op::nonzero, {x}, {at});
  graph.nodes.back().finds = {static_cast<std::uint32_t>(maker.manifest.symbols.size())};
  Maker::node(graph, op::reshape, {at}, {ids});
  Maker::node(graph, op::gather, {x, ids}, {y}, {zero});
  Maker::node(graph, op::mul, {y, y}, {square});
  maker.output("out.0", "i64 [?k, 1]", at);
  maker.output("out.1", "f32 [?k]", square);
  maker.guard(k, FactRelation::ge, maker.constantDim(2), "?k >= 2");
  return maker;
}

TEST(RunSizes, SetResultShapesInEachRun) {
  auto session = load(squaresOfNonzero().bundle());
  ASSERT_TRUE(session) << session.error().text();
  Tensor x = tensorOf<float>(Elem::f32, {4}, {0, 3, 0, -2}), y = tensorOf<float>(Elem::f32, {4}, {1, 2, 0, 3});
  ASSERT_EQ(errorText(session->bind({{"x", x.view()}})), "no error");
  EXPECT_EQ(session->output(1).shape, (Shape{4}));  // an upper bound
  ASSERT_EQ(errorText(session->run()), "no error");
  EXPECT_EQ(elementsOf<std::int64_t>(session->output(0)), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(elementsOf<float>(session->output(1)), (std::vector<float>{9, 4}));
  ASSERT_TRUE(session->setData(0, y.view().data));
  const std::size_t before = allocations();
  const bool ran = session->run().has_value();
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(ran);
  EXPECT_EQ(elementsOf<float>(session->output(1)), (std::vector<float>{1, 4, 9}));
}

TEST(RunSizes, AreCheckedWhenTheyAreKnown) {
  auto session = load(squaresOfNonzero().bundle());
  Tensor x = tensorOf<float>(Elem::f32, {4}, {0, 3, 0, 0});
  ASSERT_EQ(errorText(session->bind({{"x", x.view()}})), "no error");
  const auto ran = session->run();
  EXPECT_EQ(errorText(ran),
            "error[E0806]: guard `?k >= 2` does not hold: k = 1\n  --> model.ax:3:8\n  = note: asked for by `where`\n");
  EXPECT_EQ(ran.error().exitCode(), 3);
}

TEST(RunSizes, InconsistentBundlesAreRejected) {
  const auto loads = [](const std::function<void(Maker&)>& damage) {
    Maker maker = squaresOfNonzero();
    damage(maker);
    auto session = load(maker.bundle());
    return session ? "no error" : session.error().text();
  };
  EXPECT_NE(loads([](Maker& m) { m.manifest.graph.nodes[1].finds = {2}; }).find("finds a size that it cannot"),
            std::string::npos);
  EXPECT_NE(loads([](Maker& m) { m.manifest.graph.nodes[0].finds = {1}; }).find("finds a size that it cannot"),
            std::string::npos);
  EXPECT_NE(loads([](Maker& m) { m.manifest.symbols[1].most = 99; }).find("is at most a dimension"), std::string::npos);
  EXPECT_NE(loads([](Maker& m) {
              m.manifest.graph.values[0].shape = m.manifest.graph.values[2].shape;
            }).find("only found in the run"),
            std::string::npos);
  // A size that no node computes is unknown when it is needed.
  Maker maker = squaresOfNonzero();
  maker.manifest.graph.nodes[0].finds.clear();
  auto session = load(maker.bundle());
  Tensor x = tensorOf<float>(Elem::f32, {4}, {0, 3, 0, -2});
  ASSERT_TRUE(session && session->bind({{"x", x.view()}}));
  EXPECT_NE(errorText(session->run()).find("is not found yet"), std::string::npos);
}

TEST(RunSizes, AreWithinTheirBounds) {
  const DimValue two{2, DimState::known}, nine{9, DimState::known};
  const std::vector<DimNode> dims = {{DimOp::symbol, 0, 0, 0}, {DimOp::constant, 3, 0, 0}, {DimOp::sub, 0, 1, 0},
                                     {DimOp::mul, 0, 2, 2},    {DimOp::div, 0, 0, 1},      {DimOp::mod, 0, 0, 1},
                                     {DimOp::div, 0, 1, 2}};
  std::vector<DimRange> symbols{{two, nine}}, ranges(dims.size());
  evaluateRanges(dims, symbols, ranges);
  const auto range = [&](std::size_t i) { return std::pair(ranges[i].low.value, ranges[i].high.value); };
  EXPECT_EQ(range(2), std::pair(std::int64_t{-6}, std::int64_t{1}));
  EXPECT_EQ(range(4), std::pair(std::int64_t{0}, std::int64_t{3}));
  EXPECT_EQ(range(5), std::pair(std::int64_t{0}, std::int64_t{2}));
  EXPECT_EQ(ranges[6].high.state, DimState::undefined);
}

// x : f32 [b, *l] as rows and splits; the result is the rows.
Maker raggedRows() {
  Maker maker;
  const std::uint32_t l = maker.symbol("l", 0, 0), one = maker.constantDim(1);
  maker.manifest.symbols.push_back({"b", 1, 0, one, one, false, 0});
  const std::uint32_t b = maker.symbolDim(1);
  auto& graph = maker.manifest.graph;
  const std::uint32_t x = maker.input("x", "f32 [b, *l]", Elem::f32, {l}), y = Maker::value(graph, Elem::f32, {l});
  maker.input("x.splits", "i64, the row splits of x", Elem::i64, {maker.dim(DimOp::add, b, one)});
  maker.manifest.inputs[1].splitsOf = 1;
  maker.manifest.inputs[1].rows = l;
  Maker::node(graph, op::neg, {x}, {y});
  maker.output("out", "f32 [b, *l]", y);
  return maker;
}

TEST(RowSplits, AreCheckedWithoutAllocation) {
  auto session = load(raggedRows().bundle());
  Tensor x = tensorOf<float>(Elem::f32, {3}, {1, 2, 3}), splits = tensorOf<std::int64_t>(Elem::i64, {3}, {0, 1, 3});
  ASSERT_TRUE(session->bind({{"x", x.view()}, {"x.splits", splits.view()}}));
  const std::size_t before = allocations();
  const bool ran = session->run().has_value();
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(ran);
}

TEST(RowSplits, MustFitTheirRows) {
  auto session = load(raggedRows().bundle());
  ASSERT_TRUE(session) << session.error().text();
  Tensor x = tensorOf<float>(Elem::f32, {3}, {1, 2, 3});
  const auto run = [&](std::vector<std::int64_t> splits) {
    Tensor s = tensorOf<std::int64_t>(Elem::i64, {static_cast<std::int64_t>(splits.size())}, splits);
    auto bound = session->bind({{"x", x.view()}, {"x.splits", s.view()}});
    const auto ran = bound ? session->run() : bound;
    EXPECT_EQ(ran ? 3 : ran.error().exitCode(), 3);
    return errorText(ran);
  };
  EXPECT_EQ(run({0, 1, 1, 3}), "no error");
  EXPECT_EQ(run({1, 3}), "error[E0811]: row splits of input `x` do not begin with 0\n");
  EXPECT_EQ(run({0, 2, 1, 3}), "error[E0811]: row splits of input `x` decrease: 2, then 1 at 2\n");
  EXPECT_EQ(run({0, 2}), "error[E0811]: row splits of input `x` end with 2, but there are 3 rows\n");
  EXPECT_NE(run({}).find("input `x.splits`"), std::string::npos);
}

}  // namespace
}  // namespace axle::runtime::test
