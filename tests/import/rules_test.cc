// Checks the table of TensorFlow's operators: every row is valid, and operators without a rule are listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "frontend/parser.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/registry.h"
#include "tests/frontend/golden.h"
#include "tests/import/shared.h"
#include "typecheck/types/operator_signatures.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

// An operator without outputs needs no rule.
bool needsRule(const tensorflow::Operator& op) {
  return std::any_of(op.outputs.begin(), op.outputs.end(), [](const tensorflow::OperatorArgument& output) {
    return output.type != tensorflow::Type::resource && output.type != tensorflow::Type::variant;
  });
}

bool isTyped(std::string_view name) {
  const tensorflow::Operator* op = tensorflow::operatorNamed(name);
  return tensorflow::hasRule(name) || (op && !needsRule(*op));
}

// The golden lists the operators without a rule; a new row removes its line there.
TEST(OperatorRows, OperatorsWithoutARuleAreListed) {
  std::string listing;
  for (std::string_view name : tensorflow::operatorNames())
    if (!isTyped(name)) listing += std::string(name) + "\n";
  test::expectGolden("tests/import/analysis/without_rule.txt", listing);
}

// Calls `check` with every row of every family.
template <class Check>
void forEachRow(Check check) {
  for (std::span<const tensorflow::OperatorRow> family : tensorflow::operatorFamilies()) {
    EXPECT_FALSE(family.empty());
    for (const tensorflow::OperatorRow& row : family) check(row);
  }
}

TEST(OperatorRows, NameRegisteredOperators) {
  forEachRow([](const tensorflow::OperatorRow& row) {
    EXPECT_TRUE(tensorflow::operatorNamed(row.name)) << row.name << " is not in operator_rows.inc";
  });
}

TEST(OperatorRows, AreUnique) {
  std::set<std::string_view> seen;
  forEachRow([&](const tensorflow::OperatorRow& row) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name << " has two rows";
    EXPECT_EQ(tensorflow::findOperatorRow(row.name), &row) << row.name;
  });
}

TEST(OperatorRows, HaveTypeRules) {
  forEachRow([](const tensorflow::OperatorRow& row) {
    EXPECT_TRUE(tensorflow::hasRule(row.name)) << row.name << " has no type, and the analysis has none for it";
    EXPECT_TRUE(row.type || row.value || row.formula) << row.name << " says nothing";
    EXPECT_FALSE(row.takesHandles && row.type.hasSignature()) << row.name << ": signatures take handles anyway";
  });
}

TEST(OperatorRows, NameExistingCoreOperators) {
  OperatorTable core;
  forEachRow([&](const tensorflow::OperatorRow& row) {
    if (row.type.text.empty() || row.type.hasSignature()) return;
    EXPECT_TRUE(core.find(row.type.text)) << row.name << ": `" << row.type.text << "` is no operator of stdlib/core.ax";
  });
}

TEST(OperatorRows, HaveSignaturesThatParse) {
  for (const CoreOp& op : tensorflow::graphOperators().subspan(coreOps().size())) {
    SourceMap sources;
    Diagnostics diagnostics;
    parseModule(sources, sources.add("signature", std::string(op.text)), "signature", diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << op.name << ": " << op.text;
  }
}

// Operators of the graphs in the conformance folder that no version of TensorFlow knows.
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

TEST(OperatorRows, CoverTheSharedGraphs) {
  fs::path table = axle::test::conformance() / "tensorflow/op_histogram.tsv";
  if (!fs::exists(table)) GTEST_SKIP() << "SKIPPED: there is no " << table;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // skips the names of the columns
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
