// Compares every core operator with NumPy, from the program's text to the bytes of its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/operators/case_file.h"

namespace axle::test {
namespace {

TEST(Cases, EveryProgramMatchesNumPyOrIsRejected) {
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

// The exact sum is 1e7 times the f32 nearest to 0.1.
TEST(Cases, LongSumsStayExact) {
  constexpr std::int64_t count = 10'000'000;
  runtime::Tensor x = std::move(runtime::Tensor::make(Elem::f32, {count}).value());
  std::fill_n(x.view().as<float>(), count, 0.1f);
  std::vector<runtime::Tensor> inputs;
  inputs.push_back(std::move(x));
  for (const auto& [call, wanted] : {std::pair{"sum(a)", 1e7 * 0.1f}, {"mean(a)", 1.0 * 0.1f}}) {
    Program program("main = fn (a : f32 [10000000]) { " + std::string(call) + " };");
    std::string text;
    auto session = program.session(text);
    ASSERT_TRUE(session) << text;
    ASSERT_EQ(run(*session, inputs).problem, "");
    EXPECT_NEAR(*session->output(0).as<float>(), wanted, 1e-5 * wanted) << call;
  }
}

}  // namespace
}  // namespace axle::test
