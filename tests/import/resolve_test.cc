// Tests how names are resolved to ids: order, ports, functions, fed tensors, reachable nodes.
#include <gtest/gtest.h>

#include "import/tensorflow/dump.h"
#include "import/tensorflow/registry.h"
#include "tests/frontend/golden.h"
#include "tests/import/graphs.h"

namespace axle::test {
namespace {

using tensorflow::Model;

const std::string f32 = attr("T", "type: DT_FLOAT");
const std::string input = node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT"));

std::string nodesOf(const Read& read) {
  if (!read.model) return read.diagnostics;
  std::string text = tensorflow::dump(*read.model);
  return text.substr(text.find("graph\n") + 6);
}

TEST(Resolve, AnyOrder) {
  auto read = readGraphText(node("c", "Relu", {"b"}, f32) + node("b", "Relu", {"x:0"}, f32) + input);
  EXPECT_EQ(nodesOf(read), "  x = Placeholder() dtype=f32  fed 0\n  b = Relu(x:0) T=f32\n  c = Relu(b:0) T=f32\n");
}

TEST(Resolve, LongChainsDoNotRecurse) {
  std::string text = input;
  for (int i = 0; i < 30000; ++i)
    text += node("n" + std::to_string(i), "Relu", {i ? "n" + std::to_string(i - 1) : "x"}, f32);
  auto read = readGraphText(text);
  ASSERT_TRUE(read.model) << read.diagnostics;
  EXPECT_EQ(read.model->main.nodes.size(), 30001U);
}

TEST(Resolve, OnlyReachableNodesMustBeComplete) {
  const std::string broken = node("y", "MatMul", {"nowhere"}) + node("y", "Nonsense", {"^y"});
  EXPECT_EQ(nodesOf(readGraphText(input + node("r", "Relu", {"x"}, f32) + broken, {{}, {}, {}, {"r:0"}})),
            "  x = Placeholder() dtype=f32  fed 0\n  r = Relu(x:0) T=f32\n");
}

TEST(Resolve, FeedingCutsTheGraph) {
  const std::string split =
      node("axis", "Const", {},
           attr("dtype", "type: DT_INT32") + attr("value", "tensor { dtype: DT_INT32 tensor_shape {} }")) +
      node("s", "Split", {"axis", "x"}, f32 + attr("num_split", "i: 2"));
  const std::string sum = node("sum", "AddV2", {"s", "s:1"}, f32);
  EXPECT_EQ(nodesOf(readGraphText(input + split + sum, {{}, {}, {{"s", ""}, {"s:1", ""}}, {}})),
            "  s = Split() T=f32 num_split=2  fed 0, 1\n  sum = AddV2(s:0, s:1) T=f32\n");
  auto half = readGraphText(input + split + sum, {{}, {}, {{"s:1", ""}}, {}});
  ASSERT_TRUE(half.model) << half.diagnostics;
  EXPECT_EQ(half.model->inputs.size(), 2U);  // the placeholder is needed for s:0
  EXPECT_NE(nodesOf(half).find("s = Split(axis:0, x:0) T=f32 num_split=2  fed 1\n"), std::string::npos);
}

TEST(Resolve, AnOutputMayBeAnInput) {
  auto read = readGraphText(input + node("r", "Relu", {"x"}, f32), {{}, {}, {{"r", ""}}, {"r"}});
  EXPECT_EQ(nodesOf(read), "  r = Relu() T=f32  fed 0\n");
}

TEST(Resolve, LoopsAreNotCycles) {
  const std::string loop = node("enter", "Enter", {"x"}, f32 + attr("frame_name", "s: 'f'")) +
                           node("merge", "Merge", {"enter", "next"}, f32 + attr("N", "i: 2")) +
                           node("r", "Relu", {"merge"}, f32) + node("next", "NextIteration", {"r"}, f32) +
                           node("exit", "Exit", {"merge"}, f32);
  auto read = readGraphText(input + loop);
  ASSERT_TRUE(read.model) << read.diagnostics;
  EXPECT_NE(nodesOf(read).find("merge = Merge(enter:0, next:0)"), std::string::npos);
}

TEST(Resolve, OldPlaceholdersWithAScalarShapeHaveUnknownRank) {
  const std::string scalar = node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + attr("shape", "shape {}"));
  for (auto [producer, text] : {std::pair{21, ".."}, {22, "[]"}}) {
    auto read = readGraphText(scalar + "versions { producer: " + std::to_string(producer) + " }");
    ASSERT_TRUE(read.model) << read.diagnostics;
    EXPECT_EQ(tensorflow::toText(read.model->inputs.at(0).shape), text);
  }
}

TEST(Resolve, DefaultsComeFromTheRegistry) {
  auto read = readGraphText(input + node("w", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
                            node("p", "MatMul", {"x", "w"}, f32));
  ASSERT_TRUE(read.model) << read.diagnostics;
  const tensorflow::Value* value = tensorflow::attributeOf(read.model->main.nodes.back(), "transpose_a");
  ASSERT_TRUE(value);
  EXPECT_EQ(tensorflow::toText(*value), "false");
  EXPECT_FALSE(tensorflow::attributeOf(read.model->main.nodes.back(), "no_such"));
}

TEST(Operators, RowsAreSortedAndRead) {
  const tensorflow::Operator* op = tensorflow::operatorNamed("FusedBatchNormV3");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->inputs.size(), 5U);
  EXPECT_EQ(op->outputs.size(), 6U);
  EXPECT_EQ(tensorflow::toText(*op->find("data_format")->fallback), "\"NHWC\"");
  EXPECT_EQ(tensorflow::toText(*tensorflow::operatorNamed("Conv2D")->find("dilations")->fallback), "(1, 1, 1, 1)");
  EXPECT_EQ(tensorflow::operatorNamed("Split")->outputs[0].number, "num_split");
  EXPECT_EQ(tensorflow::operatorNamed("IdentityN")->outputs[0].typeList, "T");
  EXPECT_TRUE(tensorflow::operatorNamed("Assign")->inputs[0].isReference);
  EXPECT_TRUE(tensorflow::operatorNamed("Add") && tensorflow::operatorNamed("AddN") &&
              tensorflow::operatorNamed("Abs"));
  EXPECT_FALSE(tensorflow::operatorNamed("ReluOfTheFuture"));
  EXPECT_FALSE(tensorflow::operatorNamed(""));
}

}  // namespace
}  // namespace axle::test
