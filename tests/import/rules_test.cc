// Which operators have a rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/registry.h"
#include "tests/frontend/golden.h"
#include "tests/import/shared.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

// One none of whose outlets is a tensor needs none.
bool needsRule(const tensorflow::Operator& op) {
  return std::any_of(op.outputs.begin(), op.outputs.end(), [](const tensorflow::OperatorArgument& output) {
    return output.type != tensorflow::Type::resource && output.type != tensorflow::Type::variant;
  });
}

bool isTyped(std::string_view name) {
  const tensorflow::Operator* op = tensorflow::operatorNamed(name);
  return tensorflow::hasRule(name) || (op && !needsRule(*op));
}

// Of TensorFlow's operators those whose outlets are just declared: a new rule takes its line away.
TEST(Rules, OperatorsWithout) {
  std::string listing;
  for (std::string_view name : tensorflow::operatorNames())
    if (!isTyped(name)) listing += std::string(name) + "\n";
  test::expectGolden("tests/import/analysis/without_rule.txt", listing);
}

TEST(Rules, AreOfOperatorsThatExist) {
  for (std::span<const tensorflow::Rule> family : tensorflow::allRules())
    for (const tensorflow::Rule& rule : family)
      EXPECT_TRUE(tensorflow::operatorNamed(rule.op.substr(0, rule.op.find('/')))) << rule.op;
}

TEST(Rules, AreOneForEachOperator) {
  std::set<std::string_view> seen;
  for (std::span<const tensorflow::Rule> family : tensorflow::allRules())
    for (const tensorflow::Rule& rule : family) EXPECT_TRUE(seen.insert(rule.op).second) << rule.op;
}

// What the graphs of the conformance folder have that no version of TensorFlow knows.
struct Foreign {
  std::string_view op, why;
};
constexpr Foreign foreign[] = {
    {"_nGraphEncapsulate", "a cluster that nGraph's bridge has cut out"},
    {"NGraphVariable", "a variable of nGraph's bridge"},
    {"TokenizerFromLogits", "a library of one project, loaded into its TensorFlow"},
    {"Dropout", "a function that the file does not have"},
    {"Flatten", "a function that the file does not have"},
    {"ScaleAndShift", "a function of TensorFlow 1, called by its name"},
    {"Twice", "a function of TensorFlow 1, called by its name"},
};

TEST(Rules, EveryOperatorOfTheSharedGraphsHasOne) {
  fs::path table = axle::test::conformance() / "tensorflow/op_histogram.tsv";
  if (!fs::exists(table)) GTEST_SKIP() << "SKIPPED: there is no " << table;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the columns' names
  std::size_t count = 0;
  while (std::getline(file, line)) {
    std::string name = line.substr(0, line.find('\t'));
    bool isForeign =
        std::any_of(std::begin(foreign), std::end(foreign), [&](const Foreign& f) { return f.op == name; });
    EXPECT_NE(isTyped(name), isForeign) << name;
    ++count;
  }
  EXPECT_GT(count, 300U);
}

}  // namespace
}  // namespace axle
