#include "tests/streams/rule.h"

#include <gtest/gtest.h>

#include "tests/streams/chunks.h"

namespace axle::test {

void expectStreams(const Rule& rule) {
  SCOPED_TRACE(rule.name);
  const StreamedProgram program(rule.text);
  EXPECT_TRUE(program.streams()) << program.problem;
  if (!program.streams()) return;
  const auto& output = program.info.outputs.front();
  EXPECT_EQ(static_cast<std::int64_t>(output.delay), rule.delay);
  EXPECT_EQ(static_cast<std::int64_t>(output.stride), rule.stride);
  EXPECT_EQ(static_cast<std::int64_t>(output.frames), rule.frames);
  constexpr std::int64_t longest = 96;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4},
                               std::int64_t{7}, std::int64_t{12}, longest}) {
    const Inputs inputs = program.draw(n, static_cast<unsigned>(n));
    const Outputs expected = runPlain(program, inputs);
    EXPECT_EQ(difference(expected, runWhole(program, inputs)), "") << "n " << n;
    for (const Chunking& chunking : {Chunking{{1}, 1}, Chunking{{3, 1, 4}, {}}, Chunking{{longest}, {}}}) {
      const Outputs got = runChunks(program, inputs, chunking);
      EXPECT_EQ(difference(expected, got), "") << "n " << n;
      if (n == longest && chunking.sizes.front() == 1) {
        EXPECT_TRUE(expected.error.empty()) << expected.error;
        EXPECT_EQ(got.delay, rule.delay) << "seen";
      }
    }
  }
}

void expectRefused(const Refusal& refusal) {
  SCOPED_TRACE(refusal.name);
  const StreamedProgram program(refusal.text);
  EXPECT_FALSE(program.streams());
  std::vector<std::string> blamed;
  for (const auto& blocker : program.report.blockers) blamed.push_back(blocker.op);
  EXPECT_EQ(blamed, refusal.blamed) << program.problem;
  if (program.report.blockers.empty()) return;
  const auto& first = program.report.blockers.front();
  EXPECT_EQ(first.kind, refusal.kind) << first.why;
  EXPECT_NE(first.why.find(refusal.why), std::string::npos) << first.why;
  EXPECT_NE(first.help.find(refusal.help), std::string::npos) << first.help;
}

}  // namespace axle::test
