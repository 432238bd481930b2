// Tests sessions: load, bind, run, and the errors of binding.
#include "runtime/session.h"

#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

#include "runtime/program.h"
#endif
#include "tests/runtime/allocations.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

// x : f32 [n, 3], ids : i64 [n], y : f32 [m]; out = relu(x) and y + y
Maker threeInputs() {
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0), m = maker.symbol("m", 2, 0), three = maker.constantDim(3);
  auto& graph = maker.manifest.graph;
  const std::uint32_t x = maker.input("x", "f32 [n, 3]", Elem::f32, {n, three});
  maker.input("ids", "i64 [n]", Elem::i64, {n});
  const std::uint32_t y = maker.input("y", "f32 [m]", Elem::f32, {m});
  const std::uint32_t relu = Maker::value(graph, Elem::f32, {n, three}), sum = Maker::value(graph, Elem::f32, {m});
  Maker::node(graph, op::relu, {x}, {relu});
  maker.name("relu");
  Maker::node(graph, op::add, {y, y}, {sum});
  maker.name("sum");
  maker.output("out.0", "f32 [n, 3]", relu);
  maker.output("out.1", "f32 [m]", sum);
  return maker;
}

struct Inputs {
  Tensor x = tensorOf<float>(Elem::f32, {2, 3}, {1, -2, 3, -4, 5, -6});
  Tensor ids = tensorOf<std::int64_t>(Elem::i64, {2}, {0, 1});
  Tensor y = tensorOf<float>(Elem::f32, {4}, {1, 2, 3, 4});
};

TEST(Session, LoadsBindsAndRuns) {
  auto session = load(threeInputs().bundle());
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_EQ(session->inputs().size(), 3u);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->inputs()[0].type, "f32 [n, 3]");
  EXPECT_EQ(session->inputs()[0].sizes, (std::vector<std::optional<std::int64_t>>{std::nullopt, 3}));
  EXPECT_TRUE(session->coveredRanks().empty());
  Inputs in;
  auto bound = session->bind({{"x", in.x.view()}, {"ids", in.ids.view()}, {"y", in.y.view()}});
  ASSERT_TRUE(bound) << bound.error().text();
  ASSERT_TRUE(session->run());
  EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{1, 0, 3, 0, 5, 0}));
  EXPECT_EQ(elementsOf<float>(session->output(1)), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(session->output(0).shape, (Shape{2, 3}));
  EXPECT_EQ(session->boundSizes()[1].size, 4);
  // Other sizes, including 0.
  const Tensor none = tensorOf<float>(Elem::f32, {0, 3}, {}), noIds = tensorOf<std::int64_t>(Elem::i64, {0}, {});
  ASSERT_TRUE(session->bind({{"x", none.view()}, {"ids", noIds.view()}, {"y", in.y.view()}}));
  ASSERT_TRUE(session->run());
  EXPECT_EQ(session->output(0).shape, (Shape{0, 3}));
}

#ifdef __SANITIZE_ADDRESS__

// Counts the bytes behind the results of steps, and in results of earlier ones, that a step could use.
struct BytesOfOthers final : StepObserver {
  int ran = 0, open = 0;
  const std::byte* earlier = nullptr;

  bool run(Step& step, Fault& fault) override {
    const auto* result = step.out(0).as<std::byte>();
    ++ran;
    open += __asan_address_is_poisoned(result + step.out(0).bytes()) == 0;
    open += earlier != nullptr && __asan_address_is_poisoned(earlier) == 0;
    earlier = result;
    return step.kernel(step, fault);
  }
};

TEST(Session, LetsStepsUseTheirOwnMemoryAlone) {
  auto session = load(threeInputs().bundle());
  ASSERT_TRUE(session);
  Inputs in;
  ASSERT_TRUE(session->bind({{"x", in.x.view()}, {"ids", in.ids.view()}, {"y", in.y.view()}}));
  BytesOfOthers others;
  session->observe(&others);
  ASSERT_TRUE(session->run());
  EXPECT_EQ(others.ran, 2);
  EXPECT_EQ(others.open, 0);
  EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{1, 0, 3, 0, 5, 0}));
}

#endif

TEST(Session, RunAllocatesNothing) {
  auto session = load(threeInputs().bundle());
  Inputs in;
  ASSERT_TRUE(session->bind({{"x", in.x.view()}, {"ids", in.ids.view()}, {"y", in.y.view()}}));
  const std::size_t before = allocations();
  const bool ran = session->run().has_value();
  const std::size_t after = allocations();
  EXPECT_TRUE(ran);
  EXPECT_GT(before, 0u);
  EXPECT_EQ(after, before);
}

TEST(Session, RefusesInputsThatDoNotFit) {
  auto session = load(threeInputs().bundle());
  Inputs in;
  const auto bind = [&](const TensorView& x, const TensorView& ids) {
    return errorText(session->bind({{"x", x}, {"ids", ids}, {"y", in.y.view()}}));
  };
  const TensorView x = in.x.view(), ids = in.ids.view();
  EXPECT_EQ(errorText(session->bind({{"x", x}, {"ids", ids}})), "error[E0801]: input `y` : f32 [m] is missing\n");
  EXPECT_EQ(errorText(session->bind({{"x", x}, {"z", ids}})),
            "error[E0802]: there is no input `z`: inputs are `x`, `ids`, `y`\n");
  EXPECT_EQ(errorText(session->bind({{"x", x}, {"x", x}})), "error[E0802]: input `x` is given twice\n");
  EXPECT_EQ(bind({Elem::f32, {2, 3, 1}, x.data}, ids),
            "error[E0803]: input `x` has type f32 [2, 3, 1], expected f32 [n, 3]\n");
  EXPECT_EQ(bind({Elem::f32, {2, 4}, x.data}, ids),
            "error[E0803]: input `x` has type f32 [2, 4], expected f32 [n, 3]\n");
  EXPECT_EQ(bind({Elem::f16, {2, 3}, x.data}, ids),
            "error[E0803]: input `x` has type f16 [2, 3], expected f32 [n, 3]\n");
  EXPECT_EQ(bind(x, {Elem::i32, {2}, ids.data}), "error[E0803]: input `ids` has type i32 [2], expected i64 [n]\n");
  EXPECT_EQ(bind(x, {Elem::i64, {3}, ids.data}),
            "error[E0804]: `n` is 2 by input `x` and 3 by input `ids`\n"
            "  = note: `x` has type f32 [2, 3], expected f32 [n, 3]\n"
            "  = note: `ids` has type i64 [3], expected i64 [n]\n");
  EXPECT_EQ(bind({Elem::f32, {2, 3}, x.as<std::byte>() + 1}, ids),
            "error[E0803]: the elements of input `x` are not aligned for f32\n");
  EXPECT_EQ(errorText(session->run()), "error[E0810]: the session's inputs are not bound\n");
  EXPECT_EQ(bind({Elem::f32, {2, 3}, nullptr}, ids), "no error");
  EXPECT_EQ(errorText(session->run()), "error[E0810]: input `x` has sizes, but no elements\n");
  EXPECT_TRUE(session->setData(0, x.data));
  EXPECT_EQ(errorText(session->run()), "no error");
}

// x : f32 [t, d], bias : f32 [h, 1, d / h] where h >= 1, d % h == 0
Maker guarded() {
  Maker maker;
  const std::uint32_t t = maker.symbol("t", 0, 0), d = maker.symbol("d", 0, 1), h = maker.symbol("h", 1, 0);
  const std::uint32_t zero = maker.constantDim(0), one = maker.constantDim(1);
  const std::uint32_t quotient = maker.dim(DimOp::div, d, h);
  const std::uint32_t x = maker.input("x", "f32 [t, d]", Elem::f32, {t, d});
  maker.input("bias", "f32 [h, 1, d / h]", Elem::f32, {h, one, quotient});
  maker.guard(h, FactRelation::ge, one, "h >= 1");
  maker.guard(maker.dim(DimOp::mod, d, h), FactRelation::eq, zero, "d % h == 0");
  maker.output("out", "f32 [t, d]", x);
  return maker;
}

TEST(Session, ChecksGuardsBeforeAnythingRuns) {
  auto session = load(guarded().bundle());
  ASSERT_TRUE(session) << session.error().text();
  const auto bind = [&](const Shape& x, const Shape& bias) {
    return errorText(session->bind({{"x", {Elem::f32, x, nullptr}}, {"bias", {Elem::f32, bias, nullptr}}}));
  };
  EXPECT_EQ(bind({3, 8}, {2, 1, 4}), "no error");
  EXPECT_EQ(bind({3, 7}, {2, 1, 3}),
            "error[E0806]: guard `d % h == 0` does not hold: d = 7, h = 2\n"
            "  --> model.ax:3:8\n"
            "  = note: asked for by `where`\n");
  EXPECT_EQ(bind({3, 8}, {0, 1, 4}),
            "error[E0806]: guard `h >= 1` does not hold: h = 0\n"
            "  --> model.ax:3:8\n"
            "  = note: asked for by `where`\n");
  EXPECT_EQ(bind({3, 8}, {2, 1, 5}),
            "error[E0803]: input `bias` has type f32 [2, 1, 5], expected f32 [h, 1, d / h]: axis 2 must be 4 for d = "
            "8, h = 2\n");
  // An output may be an unchanged input.
  const Tensor x = tensorOf<float>(Elem::f32, {1, 2}, {1, 2}), bias = tensorOf<float>(Elem::f32, {2, 1, 1}, {1, 2});
  ASSERT_TRUE(session->bind({{"x", x.view()}, {"bias", bias.view()}}));
  ASSERT_TRUE(session->run());
  EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{1, 2}));
}

TEST(Session, SizesForGivenSymbols) {
  auto session = load(guarded().bundle());
  const std::vector<NamedSize> sizes = {{"t", 3}, {"d", 8}, {"h", 2}};
  auto shapes = session->inputShapes(sizes);
  ASSERT_TRUE(shapes) << shapes.error().text();
  EXPECT_EQ((*shapes)[1], (Shape{2, 1, 4}));
  EXPECT_EQ(session->inputShapes(std::span(sizes).first(2)).error().text(),
            "error[E0801]: the size `h` of input `bias` : f32 [h, 1, d / h] is not given\n");
  const std::vector<NamedSize> none = {{"t", 3}, {"d", 8}, {"h", 0}}, unknown = {{"q", 3}};
  EXPECT_EQ(session->inputShapes(none).error().text(),
            "error[E0805]: a size of input `bias` : f32 [h, 1, d / h] is not a number >= 0 for d = 8, h = 0\n");
  EXPECT_EQ(session->inputShapes(unknown).error().text(),
            "error[E0802]: there is no size `q`; the sizes are `t`, `d`, `h`\n");
}

TEST(Session, SymbolsAreComputedFromScaledAndShiftedSizes) {
  Maker maker;  // x : f32 [2*n + 1]
  const std::uint32_t one = maker.constantDim(1), two = maker.constantDim(2);
  maker.manifest.symbols.push_back({"n", 0, 0, one, two});
  const std::uint32_t n = maker.dim(DimOp::symbol, 0, 0);
  const std::uint32_t size = maker.dim(DimOp::add, maker.dim(DimOp::mul, two, n), one);
  maker.output("out", "f32 [2*n + 1]", maker.input("x", "f32 [2*n + 1]", Elem::f32, {size}));
  auto session = load(maker.bundle());
  ASSERT_TRUE(session) << session.error().text();
  const auto bind = [&](std::int64_t n) { return errorText(session->bind({{"x", {Elem::f32, {n}, nullptr}}})); };
  EXPECT_EQ(bind(7), "no error");
  EXPECT_EQ(session->boundSizes()[0].size, 3);
  EXPECT_EQ(
      bind(6),
      "error[E0803]: input `x` has type f32 [6], expected f32 [2*n + 1]: no `n` >= 0 gives the size 6 of axis 0\n");
  EXPECT_EQ(
      bind(0),
      "error[E0803]: input `x` has type f32 [0], expected f32 [2*n + 1]: no `n` >= 0 gives the size 0 of axis 0\n");
}

TEST(Session, AxesOfOneInputMayContradict) {
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0);
  maker.output("out", "f32 [n, n]", maker.input("x", "f32 [n, n]", Elem::f32, {n, n}));
  auto session = load(maker.bundle());
  EXPECT_EQ(errorText(session->bind({{"x", {Elem::f32, {2, 3}, nullptr}}})),
            "error[E0804]: `n` is 2 by axis 0 and 3 by axis 1 of input `x`\n"
            "  = note: `x` has type f32 [2, 3], expected f32 [n, n]\n");
}

TEST(Session, ImpossibleSizes) {
  Maker maker;  // out : f32 [n*n*n*n] from x : f32 [n]; y : f32 [n - 5]
  const std::uint32_t n = maker.symbol("n", 0, 0), square = maker.dim(DimOp::mul, n, n);
  const std::uint32_t fourth = maker.dim(DimOp::mul, square, square);
  auto& graph = maker.manifest.graph;
  const std::uint32_t x = maker.input("x", "f32 [0, n]", Elem::f32, {maker.constantDim(0), n});
  maker.manifest.symbols[0].axis = 1;
  const std::uint32_t big = Maker::value(graph, Elem::f32, {fourth, maker.constantDim(0)});
  Maker::node(graph, op::reshape, {x}, {big});
  maker.name("flat");
  const std::uint32_t small =
      Maker::value(graph, Elem::f32, {maker.constantDim(0), maker.dim(DimOp::sub, n, maker.constantDim(5))});
  Maker::node(graph, op::reshape, {x}, {small});
  maker.name("less");
  maker.output("out", "f32 [n*n*n*n, 0]", big);
  auto session = load(maker.bundle());
  ASSERT_TRUE(session) << session.error().text();
  const auto bind = [&](std::int64_t n) { return errorText(session->bind({{"x", {Elem::f32, {0, n}, nullptr}}})); };
  EXPECT_EQ(bind(10), "no error");
  EXPECT_EQ(bind(100000), "error[E0805]: a size of the result of `flat` overflows 64 bits\n");
  EXPECT_EQ(bind(4), "error[E0805]: a size of the result of `less` is negative\n");
}

TEST(Session, RunErrorsNameTheNode) {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const auto two = maker.constantDims({2});
  const std::uint32_t x = maker.input("x", "i32 [2]", Elem::i32, two), y = maker.input("y", "i32 [2]", Elem::i32, two);
  const std::uint32_t quotient = Maker::value(graph, Elem::i32, two), rows = Maker::value(graph, Elem::i32, two);
  Maker::node(graph, op::div, {x, y}, {quotient});
  maker.name("q", {{"model.ax", 1, 9, 1, 14, ""}});
  Maker::node(graph, op::gather, {x, y}, {rows}, {maker.constantDim(0)});
  maker.name("rows");
  maker.output("out.0", "i32 [2]", quotient);
  maker.output("out.1", "i32 [2]", rows);
  auto session = load(maker.bundle());
  const Tensor a = tensorOf<std::int32_t>(Elem::i32, {2}, {7, -7}),
               zero = tensorOf<std::int32_t>(Elem::i32, {2}, {1, 0});
  const Tensor far = tensorOf<std::int32_t>(Elem::i32, {2}, {1, 7}),
               least = tensorOf<std::int32_t>(Elem::i32, {2}, {1, -1});
  ASSERT_TRUE(session->bind({{"x", a.view()}, {"y", zero.view()}}));
  EXPECT_EQ(errorText(session->run()), "error[E0807]: an integer is divided by zero in `q`\n  --> model.ax:1:9\n");
  ASSERT_TRUE(session->setData(1, far.view().data));
  EXPECT_EQ(errorText(session->run()), "error[E0808]: index 7 is out of range for an axis of size 2 in `rows`\n");
  ASSERT_TRUE(session->setData(1, least.view().data));
  EXPECT_EQ(errorText(session->run()), "error[E0808]: index -1 is out of range for an axis of size 2 in `rows`\n");
  EXPECT_EQ(session->run().error().exitCode(), 3);
}

// Results of three channels are stored in blocks of rows: the last block is not full, and its last element fails.
TEST(Session, EpiloguesRunOnBlocksOfRows) {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const auto sizes = maker.constantDims({1, 1, 100, 3});
  const std::int32_t factors[] = {1, 10, 100}, more = 7;
  const std::uint32_t x = maker.input("x", "i32 [1, 1, 100, 3]", Elem::i32, sizes),
                      y = maker.input("y", "i32 [1, 1, 100, 3]", Elem::i32, sizes),
                      channels = maker.constant(graph, Elem::i32, {3}, factors),
                      scalar = maker.constant(graph, Elem::i32, {}, &more);
  const std::uint32_t out = Maker::value(graph, Elem::i32, sizes), zero = maker.constantDim(0),
                      one = maker.constantDim(1);
  Maker::node(graph, op::maxPool, {x, channels, y, scalar}, {out}, {one, one, one, one, zero, zero, zero, zero});
  maker.name("pooled");
  const auto link = [](std::uint32_t op, std::vector<std::uint32_t> args) {
    return manifest::Pointwise{op, static_cast<std::uint32_t>(Elem::i32), std::move(args)};
  };
  graph.nodes.back().epilogue = {link(op::mul, {4, 1}), link(op::div, {5, 2}), link(op::add, {6, 3})};
  graph.nodes.back().epilogueInputs = 3;
  maker.output("out", "i32 [1, 1, 100, 3]", out);
  auto session = load(maker.bundle());
  ASSERT_TRUE(session) << session.error().text();
  std::vector<std::int32_t> image(300), divisors(300), expected(300);
  for (std::size_t i = 0; i < 300; ++i) {
    image[i] = static_cast<std::int32_t>(i * i % 97), divisors[i] = static_cast<std::int32_t>(i % 5 + 1);
    expected[i] = image[i] * factors[i % 3] / divisors[i] + more;
  }
  const Tensor a = tensorOf<std::int32_t>(Elem::i32, {1, 1, 100, 3}, image);
  const Tensor good = tensorOf<std::int32_t>(Elem::i32, {1, 1, 100, 3}, divisors);
  divisors[299] = 0;
  const Tensor bad = tensorOf<std::int32_t>(Elem::i32, {1, 1, 100, 3}, divisors);
  ASSERT_TRUE(session->bind({{"x", a.view()}, {"y", good.view()}}));
  EXPECT_EQ(errorText(session->run()), "no error");
  EXPECT_EQ(elementsOf<std::int32_t>(session->output(0)), expected);
  ASSERT_TRUE(session->setData(1, bad.view().data));
  EXPECT_EQ(errorText(session->run()), "error[E0807]: an integer is divided by zero in `pooled`\n");
}

TEST(Session, InputRanksChooseTheProgram) {
  auto session = load(openRanks().bundle());
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->coveredRanks(), (std::vector<std::vector<std::size_t>>{{1}, {2}}));
  EXPECT_EQ(session->inputs()[0].type, "f32 s @ [n]");
  EXPECT_FALSE(session->inputs()[0].sizes);
  EXPECT_EQ(session->symbols()[0], "n");
  EXPECT_EQ(session->info().entryType, "(f32 s @ [n]) -> f32 s @ [n]");
  const Tensor row = tensorOf<float>(Elem::f32, {2}, {1, 2}), table = tensorOf<float>(Elem::f32, {1, 2}, {1, 2});
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(session->bind({{"x", row.view()}}));
    ASSERT_TRUE(session->run());
    EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{2, 4}));
    EXPECT_EQ(session->inputs()[0].type, "f32 [n]");
    ASSERT_TRUE(session->bind({{"x", table.view()}}));
    ASSERT_TRUE(session->run());
    EXPECT_EQ(session->output(0).shape, (Shape{1, 2}));
    EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{20, 40}));
    EXPECT_EQ(session->boundSizes().size(), 2u);
  }
  EXPECT_EQ(errorText(session->bind({{"x", {Elem::f32, {}, row.view().data}}})),
            "error[E0803]: input `x` has type f32 [], expected f32 s @ [n]\n"
            "  = note: the bundle covers rank 1 to 2 of `x`\n");
  EXPECT_EQ(errorText(session->bind({{"x", {Elem::i32, {2}, row.view().data}}})),
            "error[E0803]: input `x` has type i32 [2], expected f32 s @ [n]\n");
  EXPECT_EQ(errorText(session->run()), "error[E0810]: the session's inputs are not bound\n");
}

TEST(Session, GivenSizesChooseTheRankOfDrawnInputs) {
  auto session = load(openRanks().bundle());
  EXPECT_EQ(session->inputShapes(std::vector<NamedSize>{{"n", 3}})->front(), (Shape{3}));
  EXPECT_EQ(session->inputShapes(std::vector<NamedSize>{{"s0", 2}, {"n", 3}})->front(), (Shape{2, 3}));
  EXPECT_EQ(session->inputShapes({}).error().message, "the size `n` of input `x` : f32 [n] is not given");
  EXPECT_EQ(session->inputShapes(std::vector<NamedSize>{{"s0", 2}}).error().message,
            "the size `n` of input `x` : f32 [s0, n] is not given");
  EXPECT_EQ(session->inputShapes(std::vector<NamedSize>{{"m", 2}}).error().message,
            "there is no size `m`; the sizes are `s0`, `n`");
}

TEST(Session, VariantsDifferInRanksOnly) {
  const std::pair<const char*, void (*)(manifest::Manifest&)> wrongs[] = {
      {"bundle: its variants differ in more than ranks",
       [](manifest::Manifest& m) { m.variants[1].inputs[0].name = "y"; }},
      {"bundle: its variants have other inputs or outputs than their entry",
       [](manifest::Manifest& m) { m.outputs.clear(); }},
      {"bundle: names and values of its inputs or outputs differ in number",
       [](manifest::Manifest& m) { m.variants.clear(); }},
      {"bundle: the graph: an input is out of range or made twice",
       [](manifest::Manifest& m) { m.variants[1].graph.inputs[0] = 9; }},
  };
  for (const auto& [message, change] : wrongs) {
    Maker maker = openRanks();
    change(maker.manifest);
    auto session = load(maker.bundle());
    ASSERT_FALSE(session) << message;
    EXPECT_EQ(session.error().message, message);
  }
}

TEST(Errors, TheTableIsInOrder) {
  std::string_view last = "E0700";
  for (const ErrorRow& row : errorTable()) {
    EXPECT_LT(last, row.code);
    EXPECT_EQ(row.code.size(), 5u);
    EXPECT_FALSE(row.title.empty());
    EXPECT_EQ(row.kind == ErrorKind::bundle, row.code < "E0800") << row.code;
    last = row.code;
  }
}

}  // namespace
}  // namespace axle::runtime::test
