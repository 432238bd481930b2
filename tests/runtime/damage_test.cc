// Bundles with each byte changed and truncated at each length: an error or an equal result, never a crash. With
// checksums off, this tests the other checks too.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "runtime/debug.h"
#include "runtime/vector/product.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/mutants.h"

// A damaged bundle may ask for huge sizes: the allocator must return null, as it does without the sanitizer.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace axle::runtime::test {
namespace {

// x : f32 [n, 3], ids : i64 [m]: a guard, a constant, a product, a gather, a loop with an if inside.
Maker specimen() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = maker.symbol("n", 0, 0), m = maker.symbol("m", 1, 0);
  const std::uint32_t zero = maker.constantDim(0), one = maker.constantDim(1), two = maker.constantDim(2),
                      three = maker.constantDim(3);
  const std::uint32_t twice = maker.dim(DimOp::mul, n, two);
  maker.manifest.producer = "test", maker.manifest.entry = "main",
  maker.manifest.entryType = "(f32 [n, 3], i64 [m]) -> f32 [m, 2]";
  const std::uint32_t x = maker.input("x", "f32 [n, 3]", Elem::f32, {n, three}),
                      ids = maker.input("ids", "i64 [m]", Elem::i64, {m});
  maker.guard(n, FactRelation::le, twice, "n <= 2*n");
  const float weights[6] = {1, 2, 3, 4, 5, 6};
  const std::uint32_t w = maker.constant(graph, Elem::f32, {3, 2}, weights);
  maker.debug.constants = {"w"};
  const std::uint32_t y = Maker::value(graph, Elem::f32, {n, two}), rows = Maker::value(graph, Elem::f32, {m, two});
  Maker::node(graph, op::matmul, {x, w}, {y});
  maker.name("product");
  Maker::node(graph, op::gather, {y, ids}, {rows}, {zero});
  maker.name("rows", {{"a.ax", 1, 2, 1, 4, ""}, {"a.ax", 3, 1, 4, 2, ""}, {"graph.pb", 0, 0, 0, 0, "rows"}});
  const float start[2] = {0, 0};
  const std::uint32_t init = maker.constant(graph, Elem::f32, {2}, start);
  const std::uint32_t last = Maker::value(graph, Elem::f32, {two}), sums = Maker::value(graph, Elem::f32, {m, two});
  Maker::node(graph, op::loop, {init, rows, ids}, {last, sums}, {one, two}, {0});
  maker.name("sums");
  manifest::Graph body, yes, no;
  const std::uint32_t s = Maker::value(body, Elem::f32, {two}), row = Maker::value(body, Elem::f32, {two});
  const std::uint32_t id = Maker::value(body, Elem::i64, {}), positive = Maker::value(body, Elem::boolean, {});
  const std::uint32_t none = maker.constant(body, Elem::i64, {}, start), next = Maker::value(body, Elem::f32, {two});
  Maker::node(body, op::greater, {id, none}, {positive});
  Maker::node(body, op::branch, {positive, s, row}, {next}, {}, {1, 2});
  body.inputs = {s, row, id}, body.outputs = {next, next};
  for (manifest::Graph* branch : {&yes, &no}) {
    for (int i = 0; i < 3; ++i) Maker::value(*branch, Elem::f32, {two});
    Maker::node(*branch, branch == &yes ? op::add : op::sub, {0, 1}, {2});
    branch->inputs = {0, 1}, branch->outputs = {2};
  }
  maker.manifest.bodies = {body, yes, no};
  maker.output("out.0", "f32 [m, 2]", sums);
  maker.output("out.1", "f32 [2]", last);
  return maker;
}

// x : f32 [n, 8], r : f32 [n, 6]: chains, a product with an epilogue in the memory of its operand, views of its result,
// and two products in the memory of their concatenation. `planned`: n = 4, with offsets.
Maker sharedMemory(bool planned) {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = planned ? maker.constantDim(4) : maker.symbol("n", 0, 0);
  const std::uint32_t zero = maker.constantDim(0), one = maker.constantDim(1), two = maker.constantDim(2),
                      three = maker.constantDim(3), six = maker.constantDim(6), eight = maker.constantDim(8);
  const auto value = [&](const std::vector<std::uint32_t>& dims) { return Maker::value(graph, Elem::f32, dims); };
  const auto link = [](std::uint32_t op, std::vector<std::uint32_t> args) {
    return manifest::Pointwise{op, static_cast<std::uint32_t>(Elem::f32), std::move(args), 0};
  };
  const auto add = [&](std::uint32_t op, const std::vector<std::uint32_t>& inputs, std::uint32_t output,
                       const char* name) -> manifest::Node& {
    Maker::node(graph, op, inputs, {output});
    maker.name(name, {{"shared.ax", static_cast<std::uint32_t>(graph.nodes.size()), 1, 9, 4, ""}});
    return graph.nodes.back();
  };
  std::vector<float> numbers(48);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  maker.guard(n, FactRelation::ge, one, "n >= 1");
  const std::uint32_t x = maker.input("x", "f32 [n, 8]", Elem::f32, {n, eight}),
                      r = maker.input("r", "f32 [n, 6]", Elem::f32, {n, six});
  const std::uint32_t wide = maker.constant(graph, Elem::f32, {8, 6}, numbers.data()),
                      narrow = maker.constant(graph, Elem::f32, {8, 3}, numbers.data()),
                      bias = maker.constant(graph, Elem::f32, {6}, numbers.data());
  const std::uint32_t negated = value({n, six}), sum = value({n, six}), part = value({n, three}),
                      cubes = value({n, two, three}), first = value({n, three}), second = value({n, three}),
                      both = value({n, six}), result = value({n, two, three});
  manifest::Node& start = add(op::chain, {r}, negated, "negated");
  start.epilogue = {link(op::neg, {0}), link(op::exp, {1})}, start.epilogueInputs = 1;
  manifest::Node& product = add(op::matmul, {x, wide, bias, negated}, sum, "product");
  product.epilogue = {link(op::add, {4, 2}), link(op::add, {5, 3}), link(op::relu, {6})};
  product.epilogueInputs = 2, product.inPlace = 4;
  manifest::Node& slice = add(op::slice, {sum}, part, "part");
  slice.ints = {one, zero, one}, slice.alias = true;
  add(op::reshape, {sum}, cubes, "cubes").alias = true;
  manifest::Node& squares = add(op::chain, {part}, first, "squares");
  squares.epilogue = {link(op::mul, {0, 0})}, squares.epilogueInputs = 1;
  add(op::matmul, {x, narrow}, second, "second");
  manifest::Node& concat = add(op::concat, {first, second}, both, "both");
  concat.ints = {one}, concat.alias = true;
  manifest::Node& last = add(op::chain, {cubes}, result, "result");
  last.epilogue = {link(op::tanh, {0})}, last.epilogueInputs = 1, last.inPlace = 1;
  maker.output("out.0", "f32 [n, 6]", both);
  maker.output("out.1", "f32 [n, 2, 3]", result);
  for (std::uint32_t i = 0; planned && i < graph.values.size(); ++i) graph.offsets.push_back(1 + 8 * i);
  return maker;
}

// x : f32 [n, 6, 7, 4]: a convolution by Winograd's algorithm, then a depthwise one.
Maker convolutions() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = maker.symbol("n", 0, 0);
  const auto sizes = [&](std::int64_t channels) {
    return std::vector<std::uint32_t>{n, maker.constantDim(6), maker.constantDim(7), maker.constantDim(channels)};
  };
  maker.manifest.producer = "test", maker.manifest.entry = "main";
  maker.manifest.entryType = "(f32 [n, 6, 7, 4]) -> f32 [n, 6, 7, 16]";
  std::vector<float> numbers(3 * 3 * 4 * 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  const std::uint32_t x = maker.input("x", "f32 [n, 6, 7, 4]", Elem::f32, sizes(4));
  const std::uint32_t inPanels = maker.constant(graph, Elem::f32, {1, 3, 3, 4, 16}, numbers.data()),
                      filter = maker.constant(graph, Elem::f32, {3, 3, 1, 16}, numbers.data());
  const std::uint32_t wide = Maker::value(graph, Elem::f32, sizes(16)), out = Maker::value(graph, Elem::f32, sizes(16));
  const auto ints = [&](std::int64_t groups) { return maker.constantDims({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, groups}); };
  Maker::node(graph, op::convWinogradF4, {x, inPanels}, {wide}, ints(1));
  maker.name("winograd");
  Maker::node(graph, op::convDepthwise, {wide, filter}, {out}, ints(16));
  maker.name("depthwise");
  maker.output("out", "f32 [n, 6, 7, 16]", out);
  return maker;
}

// Convolutions that are computed row by row, except the last.
Maker convolutionsByRows() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = maker.symbol("n", 0, 0);
  const std::vector<std::uint32_t> image{n, maker.constantDim(6), maker.constantDim(7), maker.constantDim(16)};
  maker.manifest.producer = "test", maker.manifest.entry = "main";
  maker.manifest.entryType = "(f32 [n, 6, 7, 16]) -> f32 [n, 6, 7, 16]";
  std::vector<float> numbers(static_cast<std::size_t>(panelsOf(16) * panelWidth * 16));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  std::uint32_t at = maker.input("x", "f32 [n, 6, 7, 16]", Elem::f32, image);
  const std::uint32_t window = maker.constant(graph, Elem::f32, {3, 3, 1, 16}, numbers.data()),
                      pixel = maker.constant(graph, Elem::f32, {panelsOf(16), 1, 1, 16, panelWidth}, numbers.data());
  const auto add = [&](std::uint32_t op, std::uint32_t filter, std::int64_t padding, std::int64_t groups) {
    const std::uint32_t to = Maker::value(graph, Elem::f32, image);
    Maker::node(graph, op, {at, filter}, {to},
                maker.constantDims({1, 1, padding, padding, padding, padding, 1, 1, 1, 1, groups}));
    maker.name("convolution");
    graph.nodes.back().byRows = true;
    at = to;
  };
  add(op::convDepthwise, window, 1, 16);
  add(op::convPanels, pixel, 0, 1);
  add(op::convDepthwise, window, 1, 16);
  graph.nodes.back().byRows = false;
  maker.output("out", "f32 [n, 6, 7, 16]", at);
  return maker;
}

// Products with a softmax in between, whose matrix of 288 KB for n = 3 is computed in strips.
Maker productsInStrips() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  constexpr auto f32 = static_cast<std::uint32_t>(Elem::f32);
  const std::uint32_t n = maker.symbol("n", 0, 0), queries = maker.constantDim(300), keys = maker.constantDim(80),
                      depth = maker.constantDim(4);
  maker.manifest.producer = "test", maker.manifest.entry = "main";
  maker.manifest.entryType = "(f32 [n, 300, 4], f32 [n, 4, 80], f32 [n, 80, 4]) -> f32 [n, 300, 4]";
  const std::uint32_t q = maker.input("q", "f32 [n, 300, 4]", Elem::f32, {n, queries, depth}),
                      k = maker.input("k", "f32 [n, 4, 80]", Elem::f32, {n, depth, keys}),
                      v = maker.input("v", "f32 [n, 80, 4]", Elem::f32, {n, keys, depth});
  const float numbers[] = {-1000, 0};
  const std::uint32_t lowest = maker.constant(graph, Elem::f32, {}, numbers),
                      zero = maker.constant(graph, Elem::f32, {}, numbers + 1);
  const auto add = [&](std::uint32_t op, const std::vector<std::uint32_t>& operands, std::uint32_t columns) {
    const std::uint32_t to = Maker::value(graph, Elem::f32, {n, queries, columns});
    Maker::node(graph, op, operands, {to}, {});
    maker.name("call");
    graph.nodes.back().byRows = columns == keys;
    return to;
  };
  const std::uint32_t scores = add(op::matmulVector, {q, k}, keys),
                      weights = add(op::rows, {scores, lowest, zero}, keys);
  graph.nodes.back().epilogueInputs = 3;
  graph.nodes.back().epilogue = {{op::reduceMax, f32, {0, 1}, 0},
                                 {op::sub, f32, {0, 3}, 0},
                                 {op::exp, f32, {4}, 0},
                                 {op::reduceSum, f32, {5, 2}, 0},
                                 {op::div, f32, {5, 6}, 0}};
  maker.output("out", "f32 [n, 300, 4]", add(op::matmulVector, {weights, v}, depth));
  return maker;
}

// Returns the text of the error, or the outputs' elements.
std::string outcome(const std::vector<std::byte>& bundle, bool verifyChecksums) {
  auto session = load(bundle, {verifyChecksums, 1u << 22});
  if (!session) return session.error().text();
  const Tensor x = tensorOf<float>(Elem::f32, {2, 3}, {1, 2, 3, 4, 5, 6}),
               ids = tensorOf<std::int64_t>(Elem::i64, {3}, {1, 0, 1});
  if (session->inputs().size() != 2) return "another number of inputs";
  const NamedTensor inputs[] = {{session->inputs()[0].name, x.view()}, {session->inputs()[1].name, ids.view()}};
  session->info();
  if (auto bound = session->bind(inputs); !bound) return bound.error().text();
  if (auto ran = session->run(); !ran) return ran.error().text();
  std::string text = "ran:";
  for (std::size_t i = 0; i < session->outputs().size(); ++i) {
    const TensorView view = session->output(i);
    text += " " + typeText(view.elem, view.shape);
    for (std::size_t at = 0; at < view.bytes(); ++at) text += " " + std::to_string(view.as<std::uint8_t>()[at]);
  }
  return text;
}

TEST(Damage, TheUndamagedBundleRuns) {
  const std::string text = outcome(specimen().bundle(), true);
  EXPECT_EQ(text.rfind("ran: f32 [3, 2]", 0), 0u) << text;
}

TEST(Damage, AnyChangedByteIsAnErrorOrChangesNothing) {
  const std::vector<std::byte> whole = specimen().bundle();
  const std::string right = outcome(whole, true);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
      std::vector<std::byte> bundle = whole;
      bundle[i] ^= static_cast<std::byte>(flip);
      const std::string text = outcome(bundle, true);
      if (text == right) continue;
      ++errors;
      EXPECT_EQ(text.rfind("error[E07", 0), 0u) << "byte " << i << ": " << text;
    }
  EXPECT_GT(errors, 2 * whole.size());
}

TEST(Damage, AnyChangedByteWithoutChecksumsIsHarmless) {
  const std::vector<std::byte> whole = specimen().bundle();
  std::size_t errors = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const unsigned flip : {0x01u, 0x02u, 0x04u, 0x08u, 0x10u, 0x20u, 0x40u, 0x80u, 0x7Fu, 0xFFu}) {
      std::vector<std::byte> bundle = whole;
      bundle[i] ^= static_cast<std::byte>(flip);
      const std::string text = outcome(bundle, false);
      EXPECT_FALSE(text.empty());
      if (text.rfind("error", 0) == 0) ++errors;
    }
  EXPECT_GT(errors, whole.size());
}

TEST(Damage, AnyChangedByteOfVariantsIsHarmless) {
  const std::vector<std::byte> whole = openRanks().bundle();
  const Tensor x = tensorOf<float>(Elem::f32, {1, 2}, {1, 2});
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const unsigned flip : {0x01u, 0x02u, 0x08u, 0x40u, 0x80u, 0xFFu}) {
      std::vector<std::byte> bundle = whole;
      bundle[i] ^= static_cast<std::byte>(flip);
      auto session = load(bundle, {false, 1u << 22});
      refused += !session;
      if (!session) continue;
      session->info();
      for (const NamedSize& size : {NamedSize{"n", 2}, NamedSize{"s0", 2}}) {
        const auto shapes = session->inputShapes({&size, 1});
        EXPECT_EQ(shapes ? shapes->size() : 1, session->inputs().size());
      }
      if (session->bind({{"x", x.view()}})) session->run();
    }
  EXPECT_GT(refused, whole.size());
}

TEST(Damage, AnyTruncationIsAnError) {
  const std::vector<std::byte> whole = specimen().bundle();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(outcome(cut, true).rfind("error[E07", 0), 0u) << length;
    EXPECT_EQ(outcome(cut, false).rfind("error[E07", 0), 0u) << length;
  }
}

// A truncated manifest in a valid frame.
TEST(Damage, ATruncatedManifestIsHarmless) {
  const Maker maker = specimen();
  const std::string message = encodeManifest(maker.manifest), debug = encodeDebug(maker.debug);
  for (std::size_t length = 0; length < message.size(); ++length)
    EXPECT_FALSE(outcome(makeFile(message.substr(0, length), debug, maker.weights), true).empty());
}

// With any debug section the bundle runs, and errors still have their node.
TEST(Damage, ADamagedDebugSectionTakesOnlyNames) {
  const Maker maker = specimen();
  const std::string message = encodeManifest(maker.manifest), debug = encodeDebug(maker.debug);
  const std::string right = outcome(maker.bundle(), true);
  std::size_t changed = 0;
  const auto check = [&](const std::string& section) {
    const std::vector<std::byte> bundle = makeFile(message, section, maker.weights);
    EXPECT_EQ(outcome(bundle, true), right);
    auto session = load(bundle);
    ASSERT_TRUE(session);
    ASSERT_EQ(session->guards().size(), 1u);
    EXPECT_FALSE(session->guards()[0].text.empty());
    const NodeText node = describeNode({{reinterpret_cast<const std::byte*>(section.data()), section.size()}, 0}, 1);
    changed += node.name != "rows" || node.places.size() != 3;
  };
  for (std::size_t length = 0; length < debug.size(); ++length) check(debug.substr(0, length));
  for (std::size_t i = 0; i < debug.size(); ++i)
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::string section = debug;
      section[i] = static_cast<char>(value);
      check(section);
    }
  EXPECT_GT(changed, debug.size());
}

// A few bytes cannot ask for much memory or time.
TEST(Damage, TextsOfADebugSectionAreLimited) {
  Maker maker = specimen();
  maker.debug.guards[0].text.assign(maxDebugText / 4, 'x');
  maker.debug.nodes[1].places.assign(16, {maker.debug.guards[0].text, 1, 1, 1, 1, ""});
  auto session = load(maker.bundle());
  ASSERT_TRUE(session);
  EXPECT_EQ(session->guards()[0].text.size(), maxDebugText / 4);
  const std::string section = encodeDebug(maker.debug);
  const NodeText node = describeNode({{reinterpret_cast<const std::byte*>(section.data()), section.size()}, 0}, 1);
  ASSERT_EQ(node.places.size(), 16u);
  EXPECT_EQ(node.places[2].file.size(), maxDebugText / 4);
  EXPECT_EQ(node.places[15].file, "");
}

TEST(Damage, SharedMemoryIsUsedAsTheBundleSays) {
  for (const bool planned : {false, true}) {
    auto session = load(sharedMemory(planned).bundle());
    ASSERT_TRUE(session) << session.error().text();
    const auto bound = session->bind({{"x", {Elem::f32, {4, 8}, nullptr}}, {"r", {Elem::f32, {4, 6}, nullptr}}});
    ASSERT_TRUE(bound) << bound.error().text();
    std::size_t calls = 0;
    for (const OperatorCount& count : session->info().calls) calls += count.count;
    EXPECT_EQ(calls, 5u);
  }
}

TEST(Damage, MutantsAreRefusedOrRun) {
  std::vector<std::vector<std::byte>> bundles = {
      sharedMemory(false).bundle(), sharedMemory(true).bundle(), sharedMemory(true).strippedBundle(),
      openRanks().bundle(),         convolutions().bundle(),     convolutionsByRows().bundle(),
      productsInStrips().bundle()};
  MutantCounts all;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const MutantCounts counts = runMutants(bundles[i], mutantsOf(3000), static_cast<unsigned>(i));
    EXPECT_GT(counts.refusedAtLoad, 0u);
    EXPECT_GT(counts.refusedAtBind, 0u);
    EXPECT_GT(counts.ran, 0u);
    all.refusedAtLoad += counts.refusedAtLoad, all.refusedAtBind += counts.refusedAtBind;
    all.stopped += counts.stopped, all.ran += counts.ran;
  }
  std::printf("%zu mutants: %zu refused at load, %zu at bind, %zu stopped, %zu ran\n", all.all(), all.refusedAtLoad,
              all.refusedAtBind, all.stopped, all.ran);
}

struct Sharing {
  const char* text;  // of the error
  std::function<void(manifest::Graph&)> change;
};

// Each broken rule of shared memory has a message, and nothing runs.
TEST(Damage, WhatSharesMemoryWronglyIsRefused) {
  using manifest::Graph;
  const Sharing wrongs[] = {
      {"`part`: SLICE of f32 [4, 6] to f32 [4, 3]: ",
       [](Graph& g) { std::swap(g.nodes[2].ints[0], g.nodes[2].ints[1]); }},
      {"`product`: MATMUL: its result is in memory that is still needed",
       [](Graph& g) { g.outputs[0] = g.nodes[0].outputs[0]; }},
      {"`product`: MATMUL: its result is in no such operand", [](Graph& g) { g.nodes[1].inPlace = 1; }},
      {"`product`: MATMUL: its result is in memory that is not the program's",
       [](Graph& g) { g.nodes[1].inPlace = 3; }},
      {"`negated`: CHAIN: its result is in memory that is not the program's", [](Graph& g) { g.nodes[0].inPlace = 1; }},
      {"`both`: CONCAT: a part is not computed in this graph", [](Graph& g) { g.nodes[6].inputs = {g.inputs[1]}; }},
      {"the graph, node 1 `product` is in an operand that does not exist", [](Graph& g) { g.nodes[1].inPlace = 9; }},
      {"the graph, node 5 `second` cannot be a view", [](Graph& g) { g.nodes[5].alias = true; }},
      {"the graph, node 2 `part` is a view that runs", [](Graph& g) { g.nodes[2].inPlace = 1; }},
      {"the graph, node 2 `part`: its operator has no epilogue",
       [](Graph& g) { g.nodes[2].alias = false, g.nodes[2].epilogue = g.nodes[0].epilogue; }},
      {"its memory plan has another number of offsets", [](Graph& g) { g.offsets.pop_back(); }},
      {"its memory plan does not fit its tensors", [](Graph& g) { g.offsets.assign(g.offsets.size(), 1); }},
      {"its memory plan does not fit its tensors", [](Graph& g) { g.offsets.assign(g.offsets.size(), 0); }},
      {"an operator of its epilogue uses a result before it is made",
       [](Graph& g) { g.nodes[1].epilogue[2].args[0] = 7; }},
      {"an operator of its epilogue has another number of operands",
       [](Graph& g) { g.nodes[1].epilogue[2].args.clear(); }},
      {"an operator of its epilogue is not pointwise", [](Graph& g) { g.nodes[1].epilogue[1].op = op::matmul; }},
      {"an operator of its epilogue is not pointwise", [](Graph& g) { g.nodes[4].epilogue[0].op = op::shift; }},
      {"`squares`: ROWS of f32 [4, 3] to f32 [4, 3]: a shift to another element type",
       [](Graph& g) {
         g.nodes[4].op = op::rows, g.nodes[4].epilogue[0] = {op::shift, static_cast<std::uint32_t>(Elem::i32), {0}, 1};
       }},
      {"`squares`: ROWS of f32 [4, 3] to f32 [4, 3]: a shift is too far",
       [](Graph& g) {
         g.nodes[4].op = op::rows;
         g.nodes[4].epilogue[0] = {op::shift, static_cast<std::uint32_t>(Elem::f32), {0}, INT64_MIN};
       }},
      {"`second`: SHIFT of f32 [4, 8] to f32 [4, 3]: it is no call of its own",
       [](Graph& g) { g.nodes[5].op = op::shift, g.nodes[5].inputs = {g.inputs[0]}; }},
      {"the operands do not stretch to the result's shape", [](Graph& g) { g.nodes[1].inputs[2] = g.inputs[0]; }},
  };
  for (const Sharing& wrong : wrongs) {
    Maker maker = sharedMemory(true);
    wrong.change(maker.manifest.graph);
    auto session = load(maker.bundle());
    const std::string text =
        !session ? session.error().text()
                 : errorText(session->bind({{"x", {Elem::f32, {4, 8}, nullptr}}, {"r", {Elem::f32, {4, 6}, nullptr}}}));
    EXPECT_NE(text.find(wrong.text), std::string::npos) << wrong.text << " is not in " << text;
  }
}

}  // namespace
}  // namespace axle::runtime::test
