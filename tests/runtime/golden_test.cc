// Compares every operator with NumPy's results in goldens.txt, which make_goldens.py writes.
#include <gtest/gtest.h>

#include <set>

#include "runtime/program.h"
#include "tests/runtime/allocations.h"
#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/golden_file.h"
#include "tests/runtime/instruction_sets.h"

namespace axle::runtime::test {
namespace {

const std::vector<Golden>& goldens() {
  static const std::vector<Golden> all = readGoldens("tests/runtime/goldens.txt");
  return all;
}

std::vector<std::uint32_t> dimsOf(Maker& maker, const Shape& shape) {
  return maker.constantDims({shape.begin(), shape.end()});
}

Maker makerOf(const Golden& golden) {
  Maker maker;
  auto& graph = maker.manifest.graph;
  std::vector<std::uint32_t> inputs, outputs, bodies;
  for (std::size_t i = 0; i < golden.inputs.size(); ++i) {
    const Tensor& tensor = golden.inputs[i];
    inputs.push_back(maker.input("in" + std::to_string(i), "", tensor.elem(), dimsOf(maker, tensor.shape())));
  }
  for (const Tensor& tensor : golden.outputs)
    outputs.push_back(Maker::value(graph, tensor.elem(), dimsOf(maker, tensor.shape())));
  for (std::uint32_t i = 0; static_cast<int>(i) < operatorRow(golden.op)->bodies; ++i) bodies.push_back(i);
  Maker::node(graph, golden.op, inputs, outputs, maker.constantDims(golden.ints), bodies);
  for (std::uint32_t output : outputs) maker.output("out" + std::to_string(output), "", output);
  for (const GoldenBody& body : golden.bodies) {
    manifest::Graph made;
    for (const TensorView& value : body.values) Maker::value(made, value.elem, dimsOf(maker, value.shape));
    for (const GoldenNode& node : body.nodes)
      Maker::node(made, node.op, node.inputs, node.outputs, maker.constantDims(node.ints), node.bodies);
    made.inputs = body.inputs;
    made.outputs = body.outputs;
    maker.manifest.bodies.push_back(std::move(made));
  }
  return maker;
}

void compareGoldens(std::int64_t threads) {
  for (const Golden& golden : goldens()) {
    auto session = load(makerOf(golden).bundle());
    ASSERT_TRUE(session) << golden.name << ": " << session.error().text();
    ASSERT_TRUE(session->setThreads({threads, threads, 0, 0}));
    std::vector<NamedTensor> inputs;
    for (std::size_t i = 0; i < golden.inputs.size(); ++i)
      inputs.push_back({session->inputs()[i].name, golden.inputs[i].view()});
    const auto bound = session->bind(inputs);
    ASSERT_TRUE(bound) << golden.name << ": " << bound.error().text();
    for (int round = 0; round < 2; ++round) {  // the second round finds values of the first in the arena
      const std::size_t before = allocations();
      const auto ran = session->run();
      EXPECT_EQ(allocations(), before) << golden.name << " allocates in run()";
      ASSERT_TRUE(ran) << golden.name << ": " << ran.error().text();
      for (std::size_t i = 0; i < golden.outputs.size(); ++i)
        EXPECT_EQ(differences(session->output(i), golden.outputs[i], golden), "") << golden.name << ", output " << i;
    }
  }
}

// Models do not have primitives; tests/backend/program_test.cc and oracle_test.cc compare their results.
bool isPrimitive(std::uint32_t number) {
  switch (number) {
#define PRIMITIVE(name, number, ...) case number:
#include "runtime/ops.def"
    return true;
    default:
      return false;
  }
}

TEST(Goldens, EveryOperatorMatchesNumPy) {
  inEachInstructionSet([](std::string_view) { compareGoldens(1); });
}

TEST(Goldens, EveryOperatorMatchesNumPyOnSeveralThreads) { compareGoldens(3); }

TEST(Goldens, CoverEveryOperatorOfTheTable) {
  std::set<std::uint32_t> covered;
  for (const Golden& golden : goldens()) covered.insert(golden.op);
  for (const OpRow* const* row = linkedOperators; *row != nullptr; ++row) {
    EXPECT_TRUE(isPrimitive((*row)->op) || covered.contains((*row)->op)) << (*row)->name << " has no golden";
  }
  EXPECT_GT(goldens().size(), 500u);
}

TEST(Operators, AreFoundByNumber) {
  std::set<std::uint32_t> known;
  for (const OpRow* const* row = linkedOperators; *row != nullptr; ++row) {
    EXPECT_TRUE(known.insert((*row)->op).second) << (*row)->name;
    EXPECT_EQ(operatorRow((*row)->op), *row) << (*row)->name;
  }
  for (std::uint32_t number = 0; number < 2 * ops::numbers; ++number)
    EXPECT_EQ(operatorRow(number) == nullptr, !known.contains(number)) << number;
  EXPECT_EQ(operatorRow(UINT32_MAX), nullptr);
}

}  // namespace
}  // namespace axle::runtime::test
