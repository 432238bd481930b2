// Writes models as bundles, and reads them with the runtime.
#include "backend/bundle.h"

#include <gtest/gtest.h>

#include "bundle.pb.h"
#include "ir/ops/table.h"
#include "runtime/bundle_format.h"
#include "runtime/debug.h"
#include "runtime/program.h"
#include "runtime/session.h"
#include "tests/ir/build_graph.h"

namespace axle {
namespace {

// Both tables come from `runtime/ops.def`.
TEST(Schema, CompilerAndRuntimeHaveTheSameOperators) {
  std::size_t known = 0;
  for (const ir::OpRow& row : ir::opTable()) {
    if (row.op == ir::Op::none || row.op >= ir::Op::input) continue;  // bundles do not have these
    const runtime::OpRow* other = runtime::operatorRow(static_cast<std::uint32_t>(row.op));
    ASSERT_NE(other, nullptr) << row.name;
    EXPECT_EQ(other->name, row.name);
    EXPECT_EQ(other->bodies, row.bodies) << row.name;
    EXPECT_EQ(other->inputs.least, row.inputs.least) << row.name;
    EXPECT_EQ(other->inputs.most, row.inputs.most) << row.name;
    EXPECT_EQ(other->outputs.least, row.outputs.least) << row.name;
    ++known;
  }
  std::size_t primitives = 0;  // operators that only bundles have
#define PRIMITIVE(...) ++primitives;
#include "runtime/ops.def"
  std::size_t linked = 0;
  while (runtime::linkedOperators[linked] != nullptr) ++linked;
  EXPECT_EQ(known + primitives, linked);
}

TEST(Schema, ElementsAndRelationsHaveTheirNumbers) {
  for (int i = 0; i < elemCount; ++i) {
    std::string name = bundle::Elem_Name(static_cast<bundle::Elem>(i));
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(name, elemTable[i].name);
  }
  EXPECT_EQ(static_cast<int>(FactRelation::eq), bundle::EQ);
  EXPECT_EQ(static_cast<int>(FactRelation::lt), bundle::LT);
  EXPECT_EQ(static_cast<int>(FactRelation::ge), bundle::GE);
}

// out = x * 2 + w, x : f32 [n], w : f32 [1]
struct Scaled {
  test::Builder b;
  DimVar n;
  Interface interface;
  SourceMap sources;
  Diagnostics diagnostics;
  std::vector<float> weight{0.5f};
  std::size_t weightBytes = 4;

  Scaled() {
    n = b.dims.newVariable("n");
    ir::Fact f{Elem::f32, {b.dims.variable(n)}, {}};
    ir::OutletId x = b.input(f), two = b.constant<float>(Elem::f32, {}, {2});
    b.model.weights.push_back({"w", "w", {}});
    b.model.constants.push_back({"w", Elem::f32, {1}, 0, nullptr});
    ir::OutletId w = b.add(ir::Op::constant, {}, b.fact(Elem::f32, {1}));
    ir::Graph& g = b.model.graphs[0];
    g[g[w].node].constant = ir::ConstantId{static_cast<std::uint32_t>(b.model.constants.size() - 1)};
    b.output(b.add(ir::Op::add, {b.add(ir::Op::mul, {x, two}, f), w}, f));
    b.model.inputNames = {"x"};
    b.model.outputNames = {"out"};
    interface.entryType = "(f32 [n]) -> f32 [n]";
    interface.inputTypes = interface.outputTypes = {"f32 [n]"};
    interface.symbols = {{n, 0, 0, b.dims.constant(0), b.dims.constant(1)}};
    interface.guards = {{{b.dims.variable(n), FactRelation::ge, b.dims.constant(2), "`main` states it", {}}, "n >= 2"}};
  }

  WeightBytes weights() {
    return [this](std::uint32_t, const ir::Constant&) {
      return FileResult<TensorBytes>(TensorBytes{nullptr, std::as_bytes(std::span(weight)).first(weightBytes)});
    };
  }
  std::optional<Bundle> make(const WeightBytes& from) {
    return makeBundle(b.model, interface, sources, from, diagnostics);
  }
};

TEST(Bundle, RunsInTheRuntime) {
  Scaled s;
  auto bundle = s.make(s.weights());
  ASSERT_TRUE(bundle);
  TensorBytes bytes = bundle->inMemory();
  EXPECT_EQ(bytes.bytes.size(), bundle->bytes());
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->inputs()[0].type, "f32 [n]");
  EXPECT_EQ(session->guards()[0].text, "n >= 2");
  std::vector<float> x{1, 2, 3};
  ASSERT_TRUE(session->bind({{"x", runtime::constView(Elem::f32, {3}, x.data())}}));
  ASSERT_TRUE(session->run());
  const auto* out = session->output(0).as<float>();
  EXPECT_EQ((std::vector<float>(out, out + 3)), (std::vector<float>{2.5f, 4.5f, 6.5f}));
  auto refused = session->bind({{"x", runtime::constView(Elem::f32, {1}, x.data())}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, runtime::ErrorCode::guardFails);
}

TEST(Bundle, VariantsShareTheirConstants) {
  Scaled one, other;
  other.interface.inputTypes = other.interface.outputTypes = {"f32 [1, n]"};
  const Dim n = other.b.dims.variable(other.n), first = other.b.dims.constant(1);
  for (ir::Outlet& outlet : other.b.model.graphs[0].outlets)
    if (outlet.fact.shape == std::vector<Dim>{n}) outlet.fact.shape = {first, n};
  other.interface.symbols[0].axis = 1;
  const Variant variants[] = {{&one.b.model, one.interface}, {&other.b.model, other.interface}};
  Interface entry;
  entry.entryType = "(f32 s @ [n]) -> f32 s @ [n]";
  entry.inputTypes = entry.outputTypes = {"f32 s @ [n]"};
  auto bundle = makeBundle(variants, entry, one.sources, one.weights(), one.diagnostics);
  auto alone = one.make(one.weights());
  ASSERT_TRUE(bundle && alone);
  EXPECT_EQ(bundle->bytes() - bundle->head.size(), alone->bytes() - alone->head.size());
  TensorBytes bytes = bundle->inMemory();
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->inputs()[0].type, "f32 s @ [n]");
  std::vector<float> x{1, 2};
  for (const runtime::Shape& shape : {runtime::Shape{2}, runtime::Shape{1, 2}}) {
    ASSERT_TRUE(session->bind({{"x", runtime::constView(Elem::f32, shape, x.data())}}));
    ASSERT_TRUE(session->run());
    EXPECT_EQ(session->output(0).shape, shape);
    EXPECT_EQ(session->output(0).as<float>()[1], 4.5f);
  }
}

// Counts the occurrences of a text in the bundle before the weights.
std::size_t timesIn(const Bundle& bundle, std::string_view text) {
  const std::string_view head(reinterpret_cast<const char*>(bundle.head.data()), bundle.head.size());
  std::size_t times = 0;
  for (std::size_t at = head.find(text); at != head.npos; at = head.find(text, at + 1)) ++times;
  return times;
}

TEST(Bundle, NamesAndPlacesAreInTheDebugSectionOnce) {
  Scaled s;
  const SourceId source = s.sources.add("model.ax", "main = fn (x) {\n  x * 2\n};\n");
  for (ir::Node& node : s.b.model.graphs[0].nodes) node.names = {"product"}, node.spans = {{source, 18, 23}};
  auto bundle = s.make(s.weights());
  auto stripped = makeBundle(s.b.model, s.interface, s.sources, s.weights(), s.diagnostics, {.strip = true});
  ASSERT_TRUE(bundle && stripped);
  for (const char* text : {"model.ax", "product", "`main` states it", "n >= 2"}) {
    EXPECT_EQ(timesIn(*bundle, text), 1u) << text;
    EXPECT_EQ(timesIn(*stripped, text), 0u) << text;
  }
  const auto sectionsOf = [](const Bundle& made) {
    TensorBytes bytes = made.inMemory();
    return std::pair(bytes, runtime::readBundleFrame(bytes.bytes, true).value());
  };
  const auto [named, sections] = sectionsOf(*bundle);
  const auto [nameless, strippedSections] = sectionsOf(*stripped);
  EXPECT_TRUE(std::equal(sections.manifest.begin(), sections.manifest.end(), strippedSections.manifest.begin(),
                         strippedSections.manifest.end()));
  EXPECT_TRUE(strippedSections.debug.empty());
  const runtime::DebugView debug{sections.debug, 0};
  for (std::size_t node = 0; node < 2; ++node) {
    const runtime::NodeText text = describeNode(debug, node);
    EXPECT_EQ(text.name, "product");
    ASSERT_EQ(text.places.size(), 1u);
    EXPECT_EQ(text.places[0].file, "model.ax");
    EXPECT_EQ(text.places[0].line, 2u);
    EXPECT_EQ(text.places[0].column, 3u);
    EXPECT_EQ(text.places[0].endColumn, 8u);
  }
  EXPECT_EQ(runtime::constantName(debug, 1), "w");
  auto session = runtime::Session::fromMemory(nameless.bytes, nameless.owner);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->guards()[0].text, "n >= 2");  // made from its sizes
  EXPECT_EQ(session->guards()[0].reason, "");
}

TEST(Bundle, WritingIsDeterministic) {
  Scaled a, b;
  auto first = a.make(a.weights()), second = b.make(b.weights());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->head, second->head);
}

// Returns the code and message of the diagnostic for a broken model.
std::string refusal(Scaled& s, const WeightBytes& weights) {
  EXPECT_FALSE(s.make(weights));
  if (s.diagnostics.size() != 1) return std::to_string(s.diagnostics.size()) + " diagnostics";
  return render(s.diagnostics[0], s.sources);
}

TEST(Bundle, NamesTheParameterWithoutAValue) {
  Scaled s;
  s.b.model.weights[0].span = {s.sources.add("model.ax", "param w : f32 [1];\n"), 0, 7};
  EXPECT_EQ(refusal(s, {}),
            "error[E0522]: the parameter `w` has no value\n"
            " --> model.ax:1:1\n"
            "  |\n"
            "1 | param w : f32 [1];\n"
            "  | ^^^^^^^ declared here\n"
            "  |\n"
            "  = help: give the weights with --weights FILE, or --weights random to try it\n");
}

TEST(Bundle, NamesTheTensorThatCannotBeRead) {
  Scaled s;
  WeightBytes damaged = [](std::uint32_t, const ir::Constant&) -> FileResult<TensorBytes> {
    return fileError("w.npz", "its checksum differs", "w");
  };
  EXPECT_EQ(refusal(s, damaged),
            "error[E0523]: the tensor of the parameter `w` cannot be read: its checksum differs\n"
            " --> w.npz: tensor \"w\"\n");
}

TEST(Bundle, NamesTheTensorWhoseSizeChanged) {
  Scaled s;
  s.weightBytes = 2;
  s.b.model.weights[0].span = {s.sources.add("model.ax", "param w : f32 [1];\n"), 0, 7};
  EXPECT_EQ(refusal(s, s.weights()),
            "error[E0524]: the tensor of the parameter `w` has another size than its type\n"
            " --> model.ax:1:1\n"
            "  |\n"
            "1 | param w : f32 [1];\n"
            "  | ^^^^^^^ declared here\n");
}

TEST(Bundle, RejectsTensorsOfTooManyDimensions) {
  Scaled s;
  s.b.output(s.b.add(ir::Op::broadcast, {s.b.constant<float>(Elem::f32, {}, {1})},
                     s.b.fact(Elem::f32, std::vector<std::int64_t>(17, 1))));
  ir::Graph& g = s.b.model.graphs[0];
  g.nodes.back().spans = {{s.sources.add("model.ax", "y = expand(x, axis=0);\n"), 4, 21}};
  EXPECT_EQ(refusal(s, s.weights()),
            "error[E0525]: a tensor has 17 dimensions; a bundle holds at most 16\n"
            " --> model.ax:1:5\n"
            "  |\n"
            "1 | y = expand(x, axis=0);\n"
            "  |     ^^^^^^^^^^^^^^^^^ this tensor\n"
            "  |\n"
            "  = help: axes that are never taken apart can be one: `reshape` merges them\n");
}

}  // namespace
}  // namespace axle
