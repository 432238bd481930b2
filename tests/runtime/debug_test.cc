// Checks reports with the debug section of a bundle, and without it.
#include "runtime/debug.h"

#include <gtest/gtest.h>

#include "runtime/guards.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

DebugView viewOf(const std::string& section, std::size_t program = 0) {
  return {{reinterpret_cast<const std::byte*>(section.data()), section.size()}, program};
}

TEST(Debug, GivesBackWhatWasWritten) {
  const std::string shared(300, 'p');  // strings share at most 255 bytes
  DebugTexts texts;
  texts.guards = {{"n >= 2", "`main` states it", {{"a.ax", 3, 8, 3, 18, ""}, {"a.ax", 1, 2, 5, 1, ""}}},
                  {"m >= 2", "`main` states it", {}}};
  texts.constants = {"", "kernel", "bias"};
  texts.nodes = {{"sum", {{"a.ax", 300, 1, 301, 2, ""}}},
                 {"", {}},
                 {shared + "one", {{"net.pb", 0, 0, 0, 0, "block/conv"}, {"b.ax", 7, 1, 7, 2, ""}}},
                 {shared + "two", {{"net.pb", 0, 0, 0, 0, shared + "two"}}}};
  const std::string section = encodeDebug(texts, 2);
  for (const std::size_t program : {0u, 1u}) {
    const DebugView view = viewOf(section, program);
    const auto same = [](const std::vector<Place>& a, const std::vector<Place>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Place& x, const Place& y) {
        return x.file == y.file && x.node == y.node && x.line == y.line && x.column == y.column &&
               x.endLine == y.endLine && x.endColumn == y.endColumn;
      });
    };
    for (std::size_t i = 0; i < texts.nodes.size(); ++i) {
      const NodeText node = describeNode(view, i);
      EXPECT_EQ(node.name, texts.nodes[i].name);
      EXPECT_TRUE(same(node.places, texts.nodes[i].places)) << i;
    }
    const auto guards = describeGuards(view, 2);
    ASSERT_EQ(guards.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(guards[i].text, texts.guards[i].text);
      EXPECT_EQ(guards[i].reason, texts.guards[i].reason);
      EXPECT_TRUE(same(guards[i].places, texts.guards[i].places)) << i;
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(constantName(view, i), texts.constants[i]);
    EXPECT_EQ(describeNode(view, 4).name, "");
    EXPECT_EQ(describeGuards(view, 9).size(), 2u);
    EXPECT_EQ(constantName(view, 3), "");
  }
  EXPECT_EQ(describeNode(viewOf(section, 2), 0).name, "");
}

// i32 [2] / i32 [2], then a gather.
Maker quotient() {
  Maker maker;
  auto& graph = maker.manifest.graph;
  const auto two = maker.constantDims({2});
  const std::uint32_t x = maker.input("x", "i32 [2]", Elem::i32, two), y = maker.input("y", "i32 [2]", Elem::i32, two);
  const std::uint32_t result = Maker::value(graph, Elem::i32, two);
  Maker::node(graph, op::div, {x, y}, {result});
  maker.name("q", {{"", 0, 0, 0, 0, "block/q"}});
  maker.output("out", "i32 [2]", result);
  return maker;
}

std::string divisionError(const std::vector<std::byte>& bundle) {
  auto session = load(bundle);
  const Tensor zero = tensorOf<std::int32_t>(Elem::i32, {2}, {1, 0});
  if (auto bound = session->bind({{"x", zero.view()}, {"y", zero.view()}}); !bound) return bound.error().text();
  return errorText(session->run());
}

TEST(Debug, StrippedBundlesNameNodesByNumberAndOperator) {
  EXPECT_EQ(divisionError(quotient().bundle()),
            "error[E0807]: an integer is divided by zero in `q`\n  --> node block/q\n");
  EXPECT_EQ(divisionError(quotient().strippedBundle()),
            "error[E0807]: an integer is divided by zero in node 0 (DIV)\n");
  Maker wrong = quotient();
  wrong.manifest.graph.values[2].shape = {};
  EXPECT_EQ(divisionError(wrong.strippedBundle()),
            "error[E0707]: bundle: node 0 (DIV): DIV of i32 [2], i32 [2] to i32 []: the operands do not stretch to "
            "the result's shape\n");
}

TEST(Debug, GuardsWithoutTextsArePrintedFromTheirSizes) {
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0), m = maker.symbol("m", 0, 1), two = maker.constantDim(2);
  const std::uint32_t sum = maker.dim(DimOp::add, n, two), product = maker.dim(DimOp::mul, sum, m);
  maker.output("out", "f32 [n, m]", maker.input("x", "f32 [n, m]", Elem::f32, {n, m}));
  const auto guard = [&](std::uint32_t left, FactRelation relation, std::uint32_t right) {
    maker.guard(left, relation, right, "as the checker prints it");
  };
  guard(n, FactRelation::ge, two);
  guard(product, FactRelation::lt, maker.dim(DimOp::sub, n, sum));
  guard(maker.dim(DimOp::mod, product, two), FactRelation::eq, maker.dim(DimOp::ceildiv, n, sum));
  guard(maker.dim(DimOp::mul, m, maker.dim(DimOp::div, n, two)), FactRelation::le, maker.dim(DimOp::max, n, m));
  std::uint32_t large = n;
  for (int i = 0; i < 64; ++i) large = maker.dim(DimOp::add, large, large);
  guard(large, FactRelation::ge, two);
  auto session = load(maker.strippedBundle());
  ASSERT_TRUE(session) << session.error().text();
  std::vector<std::string> texts;
  for (const GuardInfo& info : session->guards()) {
    texts.push_back(info.text);
    EXPECT_EQ(info.reason, "");
    EXPECT_TRUE(info.places.empty());
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"n >= 2", "(n + 2)*m < n - (n + 2)", "(n + 2)*m % 2 == ceildiv(n, n + 2)",
                                             "m*(n / 2) <= max(n, m)", "a guard of the model"}));
  EXPECT_EQ(errorText(session->bind({{"x", {Elem::f32, {1, 1}, nullptr}}})),
            "error[E0806]: guard `n >= 2` does not hold: n = 1\n");
  maker.manifest.guards = {maker.manifest.guards.back()};
  maker.manifest.guards[0].relation = static_cast<std::uint32_t>(FactRelation::lt);
  EXPECT_EQ(errorText(load(maker.strippedBundle())->bind({{"x", {Elem::f32, {1, 1}, nullptr}}})),
            "error[E0806]: a guard of the model does not hold: n = 1\n  = note: a side of it overflows 64 bits\n");
  auto named = load(maker.bundle());
  EXPECT_EQ(named->guards()[0].text, "as the checker prints it");
}

}  // namespace
}  // namespace axle::runtime::test
