// Random programs in random chunks.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/streams/chunks.h"
#include "tests/streams/random_program.h"

namespace axle::test {
namespace {

int numberOr(const char* variable, int otherwise) {
  const char* set = std::getenv(variable);
  return set ? std::atoi(set) : otherwise;
}

void compare(const StreamedProgram& program, const std::string& text, std::int64_t n, std::mt19937& random) {
  const Inputs inputs = program.draw(n, static_cast<unsigned>(random()));
  const Outputs expected = runPlain(program, inputs);
  std::vector<Chunking> chunkings = {{{1}, {}}, {{64}, {}}, {{3, 1}, 2}};
  chunkings.push_back({{}, static_cast<int>(random() % 6)});
  for (int i = 0; i < 7; ++i) chunkings.back().sizes.push_back(1 + static_cast<std::int64_t>(random() % 9));
  const auto stated = static_cast<std::int64_t>(program.info.outputs.front().delay);
  for (std::size_t i = 0; i < chunkings.size(); ++i) {
    const Outputs got = runChunks(program, inputs, chunkings[i]);
    ASSERT_EQ(difference(expected, got), "") << text << "n " << n << ", chunking " << i;
    if (!expected.error.empty() || i != 0) continue;
    ASSERT_LE(got.delay, stated) << text << "n " << n;
    if (n >= 4 * stated + 40) {
      ASSERT_EQ(got.delay, stated) << text << "n " << n;
    }
  }
}

TEST(StreamProperty, RandomProgramsInRandomChunks) {
  int streaming = 0;
  const int all = numberOr("AXLE_STREAM_ROUNDS", 60), first = numberOr("AXLE_STREAM_SEED", 0);
  for (int round = first; round < first + all && !testing::Test::HasFatalFailure(); ++round) {
    const RandomProgram drawn = randomProgram(static_cast<unsigned>(round));
    const StreamedProgram program(drawn.text);
    const bool isRefused = program.problem.find("error[E0526]") != std::string::npos;
    ASSERT_TRUE(program.streams() || isRefused) << drawn.text << program.problem;
    ASSERT_EQ(program.streams(), program.report.isStreamable()) << drawn.text << program.problem;
    if (!program.streams()) continue;
    ++streaming;
    std::mt19937 random(static_cast<unsigned>(round));
    for (const std::int64_t n : {0, 1, 2, 3, 5, 8, 13, 90}) {
      SCOPED_TRACE(round);
      compare(program, drawn.text, n, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GE(2 * streaming, all) << "of " << all << " programs only " << streaming << " stream";
}

}  // namespace
}  // namespace axle::test
