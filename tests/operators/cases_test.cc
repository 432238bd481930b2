// Every core operator against NumPy, from the program's text to the bytes of its results.
#include <gtest/gtest.h>

#include <map>

#include "tests/operators/case_file.h"

namespace axle::test {
namespace {

TEST(Cases, EveryProgramGivesWhatNumPyComputedOrIsRefused) {
  for (const Case& each : cases()) EXPECT_EQ(failure(each), "") << each.program;
}

TEST(Cases, CoverEveryOperator) {
  std::map<std::string_view, int> taken, refused;
  for (const Case& each : cases()) ++(each.outputs.empty() ? refused : taken)[each.op];
  for (const CoreOp& op : coreOps()) {
    EXPECT_GT(taken[op.name], 0) << op.name << " has no case";
    bool everythingFits = op.name == "cast" || op.name == "flatten" || op.name == "shape" || op.name == "size";
    EXPECT_TRUE(everythingFits || refused[op.name] > 0) << op.name << " has no case to refuse";
  }
}

}  // namespace
}  // namespace axle::test
