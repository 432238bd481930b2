// Every core operator against NumPy, from the program's text to the bytes of its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/operators/case_file.h"

namespace axle::test {
namespace {

TEST(Cases, EveryProgramGivesWhatNumPyComputedOrIsRefused) {
  for (const Case& each : cases()) EXPECT_EQ(failure(each), "") << each.program;
}

// The programs of tests/stdlib, which have their own results.
std::string libraryPrograms() {
  std::string all;
  for (const auto& file : std::filesystem::directory_iterator("tests/stdlib"))
    if (file.path().extension() == ".ax") {
      std::ifstream in(file.path());
      all.append(std::istreambuf_iterator<char>(in), {});
    }
  return all;
}

TEST(Cases, CoverEveryOperator) {
  std::map<std::string_view, int> taken, refused;
  const std::string elsewhere = libraryPrograms();
  for (const Case& each : cases()) ++(each.outputs.empty() ? refused : taken)[each.op];
  for (const CoreOp& op : coreOps()) {
    if (isRunByTranscripts(op.name)) continue;
    if (taken[op.name] == 0 && elsewhere.find(std::string(op.name) + "(") != std::string::npos) continue;
    EXPECT_GT(taken[op.name], 0) << op.name << " has no case";
    bool everythingFits = op.name == "cast" || op.name == "flatten" || op.name == "shape" || op.name == "size";
    EXPECT_TRUE(everythingFits || refused[op.name] > 0) << op.name << " has no case to refuse";
  }
}

}  // namespace
}  // namespace axle::test
