// Bundles with each byte changed and truncated at each length: an error or an equal result, never a crash. With
// checksums off, this tests the checks behind them too.
#include <gtest/gtest.h>

#include "runtime/bundle_format.h"
#include "tests/runtime/bundle_maker.h"

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
  maker.manifest.constants[0].name = "w";
  const std::uint32_t y = Maker::value(graph, Elem::f32, {n, two}), rows = Maker::value(graph, Elem::f32, {m, two});
  Maker::node(graph, op::matmul, {x, w}, {y}, {}, {}, "product");
  Maker::node(graph, op::gather, {y, ids}, {rows}, {zero}, {}, "rows");
  graph.nodes[1].places.push_back({"a.ax", 1, 2, 1, 4, ""});
  const float start[2] = {0, 0};
  const std::uint32_t init = maker.constant(graph, Elem::f32, {2}, start);
  const std::uint32_t last = Maker::value(graph, Elem::f32, {two}), sums = Maker::value(graph, Elem::f32, {m, two});
  Maker::node(graph, op::loop, {init, rows, ids}, {last, sums}, {one, two}, {0}, "sums");
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

// The text of the error, or the outputs' elements.
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
  const std::string message = encodeManifest(maker.manifest);
  for (std::size_t length = 0; length < message.size(); ++length) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(message.data()), length);
    const auto header = bundleHeader(length, crc32(bytes), maker.weights.size(), crc32(maker.weights));
    std::vector<std::byte> file(static_cast<std::size_t>(weightsOffset(length)) + maker.weights.size());
    std::memcpy(file.data(), header.data(), header.size());
    if (length > 0) std::memcpy(file.data() + bundleHeaderBytes, bytes.data(), length);
    std::memcpy(file.data() + weightsOffset(length), maker.weights.data(), maker.weights.size());
    EXPECT_FALSE(outcome(file, true).empty());
  }
}

}  // namespace
}  // namespace axle::runtime::test
