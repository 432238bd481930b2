// Tests the parts of a session: dimension evaluator, arena, frame, checks of a manifest, element types.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include "runtime/arena.h"
#include "runtime/bundle_format.h"
#include "runtime/check.h"
#include "runtime/kernels/elements.h"
#include "runtime/plan.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

DimValue known(std::int64_t value) { return {value, DimState::known}; }
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();

TEST(Dims, DivisionFloorsAndCeildivRoundsUp) {
  for (std::int64_t a = -7; a <= 7; ++a)
    for (std::int64_t b : {-3, -2, -1, 1, 2, 3}) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      const auto floored = static_cast<std::int64_t>(std::floor(quotient));
      EXPECT_EQ(apply(DimOp::div, known(a), known(b)).value, floored) << a << " / " << b;
      EXPECT_EQ(apply(DimOp::mod, known(a), known(b)).value, a - floored * b) << a << " % " << b;
      EXPECT_EQ(apply(DimOp::ceildiv, known(a), known(b)).value, static_cast<std::int64_t>(std::ceil(quotient)))
          << a << " " << b;
    }
  EXPECT_EQ(apply(DimOp::max, known(-2), known(1)).value, 1);
  EXPECT_EQ(apply(DimOp::min, known(-2), known(1)).value, -2);
}

TEST(Dims, OverflowAndDivisionByZeroAreStates) {
  const auto state = [](DimOp op, std::int64_t a, std::int64_t b) { return apply(op, known(a), known(b)).state; };
  EXPECT_EQ(state(DimOp::add, most, 1), DimState::overflow);
  EXPECT_EQ(state(DimOp::sub, least, 1), DimState::overflow);
  EXPECT_EQ(state(DimOp::mul, most, 2), DimState::overflow);
  EXPECT_EQ(state(DimOp::div, least, -1), DimState::overflow);
  EXPECT_EQ(state(DimOp::ceildiv, least, -1), DimState::overflow);
  EXPECT_EQ(state(DimOp::mod, least, -1), DimState::known);
  for (DimOp op : {DimOp::div, DimOp::mod, DimOp::ceildiv}) EXPECT_EQ(state(op, 5, 0), DimState::undefined);
  const DimValue undefined{0, DimState::undefined}, unbound{};
  EXPECT_EQ(apply(DimOp::add, undefined, known(1)).state, DimState::undefined);
  EXPECT_EQ(apply(DimOp::add, unbound, known(1)).state, DimState::unbound);
  EXPECT_EQ(apply(DimOp::add, unbound, undefined).state, DimState::undefined);
  for (std::uint32_t r = 0; r < factRelationCount; ++r)
    EXPECT_FALSE(related(undefined, static_cast<FactRelation>(r), undefined));
}

TEST(Dims, AreEvaluatedInOneForwardPass) {
  const DimNode dims[] = {
      {DimOp::constant, 3, 0, 0}, {DimOp::symbol, 0, 0, 0}, {DimOp::mul, 0, 0, 1}, {DimOp::sub, 0, 2, 0}};
  const DimValue symbols[] = {known(5)};
  DimValue values[4];
  evaluateDims(dims, symbols, values);
  EXPECT_EQ(values[3].value, 12);
  EXPECT_TRUE(related(values[3], FactRelation::gt, values[1]));
  EXPECT_FALSE(related(values[3], FactRelation::eq, values[1]));
}

std::vector<Block> randomBlocks(std::mt19937& random) {
  std::vector<Block> blocks;
  std::uint32_t first = 0;
  for (int i = 0; i < 40; ++i) {
    first += random() % 2;
    const std::uint64_t bytes = random() % 5 == 0 ? 0 : random() % 1000;
    blocks.push_back({bytes, first, static_cast<std::uint32_t>(first + random() % 6), 0});
  }
  return blocks;
}

bool overlap(const Block& a, const Block& b) {
  if (a.bytes == 0 || b.bytes == 0 || a.last < b.first || b.last < a.first) return false;
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

bool anyOverlap(const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(blocks[i], blocks[j])) return true;
  return false;
}

TEST(Arena, BlocksLiveAtTheSameTimeDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks = randomBlocks(random);
    const std::uint32_t first = blocks.back().first;
    std::vector<std::uint64_t> live(first + 8);
    std::uint64_t total = 0, peak = 0;
    for (const Block& block : blocks) {
      total += alignUp(block.bytes);
      for (std::uint32_t at = block.first; at <= block.last; ++at) live[at] += alignUp(block.bytes);
    }
    for (std::uint64_t bytes : live) peak = std::max(peak, bytes);
    const auto arena = planArena(blocks);
    ASSERT_TRUE(arena);
    EXPECT_GE(*arena, peak);
    EXPECT_LE(*arena, 2 * peak) << "of " << total;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(blocks[i].offset % 64, 0u);
      EXPECT_LE(blocks[i].offset + blocks[i].bytes, *arena);
    }
    EXPECT_FALSE(anyOverlap(blocks)) << round;
  }
}

// Blocks of a single step, such as workspaces, fit between the blocks of a plan.
TEST(Arena, APlanIsCompletedInTheSameMemory) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks = randomBlocks(random);
    const auto arena = planArena(blocks);
    ASSERT_TRUE(arena);
    std::set<std::uint32_t> steps;
    for (Block& block : blocks) {
      block.isGiven = block.first != block.last || !steps.insert(block.first).second;
      if (!block.isGiven) block.offset = 1;
    }
    const auto completed = completeArena(blocks);
    ASSERT_TRUE(completed) << round;
    EXPECT_LE(*completed, *arena);
    EXPECT_FALSE(anyOverlap(blocks)) << round;
    for (const Block& block : blocks)
      if (block.bytes > 0) {
        EXPECT_LE(block.offset + block.bytes, *completed);
      }
  }
}

TEST(Arena, AWrongPlanIsRefused) {
  std::mt19937 random(13);
  int refused = 0, taken = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Block> blocks = randomBlocks(random);
    const auto arena = planArena(blocks);
    ASSERT_TRUE(arena);
    for (Block& block : blocks) block.isGiven = true;
    blocks[random() % blocks.size()].offset = random() % (*arena / 64 + 4) * 64;
    const bool isWrong = anyOverlap(blocks);
    EXPECT_EQ(completeArena(blocks).has_value(), !isWrong) << round;
    ++(isWrong ? refused : taken);
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(taken, 200);
  Block uneven[] = {{100, 0, 1, 32, true}}, outside[] = {{100, 0, 1, std::uint64_t{1} << 63, true}};
  EXPECT_FALSE(completeArena(uneven));
  EXPECT_FALSE(completeArena(outside));
}

// Layers of a convolution over time, with workspaces. In each greedy order a block keeps the place that its successor
// needs.
TEST(Arena, CorrectedOrdersReachTheLowerBound) {
  Block layers[] = {
      {896, 1, 1},    {104448, 1, 3},  {104448, 3, 4}, {1216, 4, 4},    {102400, 4, 5},  {102400, 5, 6},
      {106496, 6, 8}, {106496, 8, 10}, {960, 10, 10},  {93184, 10, 12}, {93184, 12, 15}, {89088, 15, 16},
      {704, 16, 16},  {89088, 16, 17}, {704, 17, 17},  {89088, 17, 18}, {704, 18, 18},   {3480, 18, 1000},
  };
  EXPECT_EQ(planArena(layers), 2 * 106496u);
  EXPECT_EQ(liveBytes(layers), 2 * 106496u);
  EXPECT_FALSE(anyOverlap(std::vector(std::begin(layers), std::end(layers))));
}

TEST(Arena, ReusesDeadBlocksAndRejectsUnaddressableSizes) {
  Block chain[] = {{100, 0, 1, 0}, {100, 1, 2, 0}, {100, 2, 3, 0}, {100, 3, 4, 0}};
  EXPECT_EQ(planArena(chain), 256u);
  Block huge[] = {{std::uint64_t{1} << 63, 0, 0, 0}};
  EXPECT_FALSE(planArena(huge));
  const auto half = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 2;
  Block two[] = {{half, 0, 1, 0}, {half, 0, 1, 0}, {half, 1, 1, 0}};
  EXPECT_FALSE(planArena(two));
}

TEST(Frame, ChecksumIsTheCommonOne) {
  const char text[] = "123456789";
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(text), 9);
  EXPECT_EQ(crc32(bytes), 0xCBF43926u);
  for (std::size_t cut = 0; cut <= 9; ++cut) EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), 0xCBF43926u);
}

TEST(Frame, ReportsWhatIsWrong) {
  std::vector<std::byte> bundle = makeBundle(Maker().manifest);
  EXPECT_TRUE(load(bundle));
  const auto text = [](const std::vector<std::byte>& bytes) { return load(bytes).error().text(); };
  EXPECT_EQ(text({}), "error[E0702]: not a bundle: it does not begin with AXB1\n");
  std::vector<std::byte> changed = bundle;
  changed[4] = std::byte{4};
  EXPECT_EQ(
      text(changed),
      "error[E0703]: the bundle has version 4, this runtime reads 3: take a newer runtime, or rebuild the bundle\n");
  changed[4] = std::byte{1};
  EXPECT_EQ(text(changed), "error[E0703]: this bundle has version 1; rebuild it with this axc (axc build)\n");
  changed = bundle;
  changed.pop_back();
  EXPECT_EQ(text(changed), "error[E0704]: the bundle should have " + std::to_string(bundle.size()) +
                               " bytes, and has " + std::to_string(bundle.size() - 1) + "\n");
  changed = bundle;
  changed[bundleHeaderBytes] ^= std::byte{1};
  EXPECT_EQ(text(changed),
            "error[E0705]: the checksum of the bundle's manifest does not match: the file is damaged, copy or build it "
            "again\n");
  EXPECT_EQ(Session::fromFile("tests").error().text(), "error[E0701]: tests: is a folder\n");
}

// The error for each change of a valid manifest.
struct Wrong {
  const char* text;
  std::function<void(manifest::Manifest&)> change;
};

Maker right() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const std::uint32_t n = maker.symbol("n", 0, 0), two = maker.constantDim(2);
  const float one[2] = {1, 2};
  const std::uint32_t x = maker.input("x", "f32 [n, 2]", Elem::f32, {n, two});
  const std::uint32_t c = maker.constant(graph, Elem::f32, {2}, one), y = Maker::value(graph, Elem::f32, {n, two});
  Maker::node(graph, op::add, {x, c}, {y});
  maker.name("sum");
  maker.guard(n, FactRelation::ge, two, "n >= 2");
  maker.output("out", "f32 [n, 2]", y);
  return maker;
}

TEST(Check, EachContradictionHasItsMessage) {
  using manifest::Manifest;
  const Wrong wrongs[] = {
      {"error[E0707]: bundle: dimension 2 names a symbol that does not exist\n",
       [](Manifest& m) { m.dims[2].value = 1; }},
      {"error[E0707]: bundle: dimension 2 names a symbol that does not exist\n",
       [](Manifest& m) { m.dims[2].value = -1; }},
      {"error[E0707]: bundle: dimension 3 has an unknown operator\n",
       [](Manifest& m) { m.dims[3].op = static_cast<DimOp>(dimOpCount); }},
      {"error[E0707]: bundle: dimension 3 uses a later one\n", [](Manifest& m) { m.dims[3] = {DimOp::add, 0, 0, 3}; }},
      {"error[E0707]: bundle: constant 0 has a shape that does not fit its bytes\n",
       [](Manifest& m) { m.constants[0].bytes = 4; }},
      {"error[E0707]: bundle: constant 0 has an element type that tensors do not have\n",
       [](Manifest& m) { m.constants[0].elem = 13; }},
      {"error[E0707]: bundle: constant 0 has a shape that no tensor has\n",
       [](Manifest& m) { m.constants[0].shape.resize(17, 1); }},
      {"error[E0707]: bundle: constant 0 lies outside of the weights\n",
       [](Manifest& m) { m.constants[0].offset = 64; }},
      {"error[E0707]: bundle: constant 0 lies outside of the weights\n",
       [](Manifest& m) { m.constants[0].offset = 4; }},
      {"error[E0707]: bundle: the graph: an input is out of range or made twice\n",
       [](Manifest& m) { m.graph.inputs[0] = 1; }},
      {"error[E0707]: bundle: the graph, value 2 has a dimension that does not exist\n",
       [](Manifest& m) { m.graph.values[2].shape[0] = 99; }},
      {"error[E0709]: bundle: the graph, value 2 has rank 17, the limit is 16\n",
       [](Manifest& m) { m.graph.values[2].shape.resize(17); }},
      {"error[E0708]: bundle: the graph, value 2 is a string: that needs a newer runtime\n",
       [](Manifest& m) { m.graph.values[2].elem = 13; }},
      {"error[E0707]: bundle: the graph, value 2 has an unknown element type\n",
       [](Manifest& m) { m.graph.values[2].elem = 14; }},
      {"error[E0707]: bundle: the graph, value 1 names a constant that does not exist\n",
       [](Manifest& m) { m.graph.values[1].constant = 1; }},
      {"error[E0707]: bundle: the graph, value 1 and its constant differ in type\n",
       [](Manifest& m) { m.graph.values[1].elem = 0; }},
      {"error[E0708]: bundle: the graph, node 0 `sum`: operator 89 needs a newer runtime\n",
       [](Manifest& m) { m.graph.nodes[0].op = 89; }},
      {"error[E0708]: bundle: the graph, node 0 `sum`: operator 9999 needs a newer runtime\n",
       [](Manifest& m) { m.graph.nodes[0].op = 9999; }},
      {"error[E0707]: bundle: the graph, node 0 `sum`: ADD has another number of inputs or outputs\n",
       [](Manifest& m) { m.graph.nodes[0].inputs.pop_back(); }},
      {"error[E0707]: bundle: the graph, node 0 `sum`: ADD has another number of integers or bodies\n",
       [](Manifest& m) { m.graph.nodes[0].ints = {0}; }},
      {"error[E0707]: bundle: the graph, node 0 `sum` uses a value before it is made\n",
       [](Manifest& m) { m.graph.nodes[0].inputs[0] = 2; }},
      {"error[E0707]: bundle: the graph, node 0 `sum` uses a value before it is made\n",
       [](Manifest& m) { m.graph.nodes[0].inputs[0] = 77; }},
      {"error[E0707]: bundle: the graph, node 0 `sum` makes a value that is out of range or made twice\n",
       [](Manifest& m) { m.graph.nodes[0].outputs[0] = 0; }},
      {"error[E0707]: bundle: the graph: an output is never made\n", [](Manifest& m) { m.graph.outputs[0] = 9; }},
      {"error[E0707]: bundle: names and values of its inputs or outputs differ in number\n",
       [](Manifest& m) { m.inputs.pop_back(); }},
      {"error[E0707]: bundle: symbol `n` is bound by an input that does not exist\n",
       [](Manifest& m) { m.symbols[0].input = 1; }},
      {"error[E0707]: bundle: symbol `n` is bound by an axis that does not exist\n",
       [](Manifest& m) { m.symbols[0].axis = 2; }},
      {"error[E0707]: bundle: symbol `n` is bound by a dimension that does not exist or needs a later symbol\n",
       [](Manifest& m) { m.symbols[0].offset = 2; }},
      {"error[E0707]: bundle: guard 0 is out of range\n", [](Manifest& m) { m.guards[0].relation = 6; }},
  };
  ASSERT_TRUE(load(right().bundle()));
  for (const Wrong& wrong : wrongs) {
    Maker maker = right();
    wrong.change(maker.manifest);
    auto session = load(maker.bundle());
    EXPECT_EQ(session ? "no error" : session.error().text(), wrong.text);
  }
}

TEST(Check, BytesThatAreNotAManifest) {
  std::vector<std::byte> bundle = makeBundle(Maker().manifest);
  std::fill(bundle.begin() + bundleHeaderBytes, bundle.end(), std::byte{0xFF});
  EXPECT_EQ(load(bundle, {false, 0}).error().text(),
            "error[E0706]: the bundle's manifest cannot be decoded: end-of-stream\n");
}

// Makes `depth` bodies, each used `times` times by the one before.
Maker nested(std::uint32_t depth, int times) {
  Maker maker;
  const std::uint32_t c = maker.input("c", "bool []", Elem::boolean, {});
  maker.manifest.bodies.resize(depth);
  for (std::uint32_t i = 0; i <= depth; ++i) {
    manifest::Graph& graph = i == 0 ? maker.manifest.graph : maker.manifest.bodies[i - 1];
    if (i > 0) graph.inputs = {Maker::value(graph, Elem::boolean, {})};
    std::uint32_t last = i == 0 ? c : 0;
    for (int k = 0; k < times && i < depth; ++k) {
      const std::uint32_t next = Maker::value(graph, Elem::boolean, {});
      Maker::node(graph, op::branch, {last, last}, {next}, {}, {i, i});
      last = next;
    }
    if (i > 0)
      graph.outputs = {last};
    else
      maker.output("out", "bool []", last);
  }
  return maker;
}

TEST(Check, BodyDepthAndTotalSizeAreLimited) {
  auto fits = load(nested(8, 1).bundle());
  ASSERT_TRUE(fits) << fits.error().text();
  const Tensor c = tensorOf<std::uint8_t>(Elem::boolean, {}, {1});
  const auto bound = fits->bind({{"c", c.view()}});
  ASSERT_TRUE(bound) << bound.error().text();
  ASSERT_TRUE(fits->run());
  EXPECT_EQ(elementsOf<std::uint8_t>(fits->output(0))[0], 1);
  EXPECT_EQ(load(nested(30, 2).bundle()).error().row().code, "E0709");
  Maker deep = nested(65, 1);
  EXPECT_EQ(load(deep.bundle()).error().text(),
            "error[E0709]: bundle: it has more than 262144 nodes and values, or bodies nested more than 64 deep\n");
  Maker loop = nested(2, 1);
  loop.manifest.bodies[1].nodes = loop.manifest.bodies[0].nodes;
  EXPECT_EQ(load(loop.bundle()).error().text(),
            "error[E0707]: bundle: body 1, node 0 names a body that does not exist or comes before its own\n");
}

TEST(Check, InvalidShapesForAnOperator) {
  Maker maker = right();
  maker.manifest.graph.values[2].shape = {3};  // [2] for [n, 2] + [2]
  auto session = load(maker.bundle());
  ASSERT_TRUE(session) << session.error().text();
  const auto bound = session->bind({{"x", {Elem::f32, {3, 2}, nullptr}}});
  EXPECT_EQ(bound.error().text(),
            "error[E0707]: bundle: `sum`: ADD of f32 [3, 2], f32 [2] to f32 [2]: the operands do not stretch to the "
            "result's shape\n");
}

TEST(Session, InfoListsTheContents) {
  Maker maker = right();
  maker.manifest.producer = "axc", maker.manifest.entry = "main";
  auto session = load(maker.bundle());
  ASSERT_TRUE(session);
  SessionInfo before = session->info();
  EXPECT_EQ(before.producer, "axc");
  EXPECT_EQ(before.weightBytes, 8u);
  ASSERT_EQ(before.operators.size(), 1u);
  EXPECT_EQ(before.operators[0].name, "ADD");
  EXPECT_FALSE(before.arenaBytes);
  ASSERT_TRUE(session->bind({{"x", {Elem::f32, {4, 2}, nullptr}}}));
  EXPECT_EQ(session->info().arenaBytes, 64u);
  EXPECT_EQ(session->info().macs, 0u);
  auto small = load(maker.bundle(), {true, 63});
  EXPECT_EQ(small->bind({{"x", {Elem::f32, {4, 2}, nullptr}}}).error().text(),
            "error[E0809]: these sizes need an arena of 64 bytes, the limit is 63\n");
}

TEST(Session, ReadsWeightsInPlace) {
  Maker maker;
  const float weights[3] = {1, 2, 3};
  maker.output("out", "f32 [3]", maker.constant(maker.manifest.graph, Elem::f32, {3}, weights));
  const std::vector<std::byte> bundle = maker.bundle();
  auto file = std::make_shared<Tensor>(tensorOf(Elem::u8, {static_cast<std::int64_t>(bundle.size())}, bundle));
  auto session = Session::fromMemory(file->bytes(), file);
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(session->bind({}));
  ASSERT_TRUE(session->run());
  const auto* at = session->output(0).as<std::byte>();
  EXPECT_GE(at, file->bytes().data());
  EXPECT_LT(at, file->bytes().data() + bundle.size());
  EXPECT_EQ(elementsOf<float>(session->output(0)), (std::vector<float>{1, 2, 3}));
}

TEST(Errors, EveryCodeIsProvokedByATest) {
  std::string tests;
  for (const char* path :
       {"tests/runtime/session_test.cc", "tests/runtime/components_test.cc", "tests/runtime/run_sizes_test.cc",
        "tests/runtime/threads_test.cc", "tests/runtime/stream_test.cc"}) {
    std::ifstream file(path);
    tests.append(std::istreambuf_iterator<char>(file), {});
  }
  for (const ErrorRow& row : errorTable())
    EXPECT_NE(tests.find("\"error[" + std::string(row.code) + "]: "), std::string::npos)
        << row.code << " " << row.title;
}

TEST(Elements, HalfValuesRoundTripThroughFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    const float half = toFloat(F16{b}), brain = toFloat(BF16{b});
    EXPECT_TRUE(half == half ? toF16(half).bits == b : (toF16(half).bits & 0x7E00) == 0x7E00) << bits;
    EXPECT_TRUE(brain == brain ? toBF16(brain).bits == b : (toBF16(brain).bits & 0x7FC0) == 0x7FC0) << bits;
  }
}

// A number halfway between two neighbours is rounded to the even one, others to the nearer.
TEST(Elements, RoundingIsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const float middle = (toFloat(F16{low}) + toFloat(F16{high})) / 2;
    EXPECT_EQ(toF16(middle).bits, (low & 1) != 0 ? high : low);
    EXPECT_EQ(toF16(std::nextafterf(middle, 0)).bits, low);
    EXPECT_EQ(toF16(std::nextafterf(middle, 1e9f)).bits, high);
    EXPECT_EQ(toF16(toOddFloat(std::nextafter(static_cast<double>(middle), 1e9))).bits, high);
    EXPECT_EQ(toF16(toOddFloat(std::nextafter(static_cast<double>(middle), 0))).bits, low);
  }
  EXPECT_EQ(toF16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(toF16(65519.0f).bits, 0x7BFF);
}

}  // namespace
}  // namespace axle::runtime::test
