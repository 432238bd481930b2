// Checks which streams keep partial sums of results, and how many bytes they keep then.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/stream/model.h"
#include "tests/streams/chunks.h"

namespace axle::test {
namespace {

// The partial sums that a stream keeps instead of the frames of their operand.
struct SumRule {
  const char* name;
  const char* text;
  std::size_t adders;    // stages that add shares
  std::uint64_t state;   // bytes
  bool isEqual = false;  // any chunks give the same bits: shares do not depend on the number of frames pushed at once
};

constexpr SumRule sumRules[] = {
    {"fewer channels out than in",
     "param w : f32 [5, 4, 1]; main = fn (x : f32 [1, ~T, 4]) { conv1d(x, w, padding=\"same\") };", 1, 4 * 4},
    {"as many channels: frames, which take one stage less",
     "param w : f32 [5, 3, 3]; main = fn (x : f32 [1, ~T, 3]) { conv1d(x, w, padding=\"same\") };", 0, 4 * 3 * 4},
    {"dilated, valid", "param w : f32 [3, 4, 2]; main = fn (x : f32 [2, ~T, 4]) { conv1d(x, w, dilation=[3]) };", 1,
     6 * 4 * 4},
    {"in groups",
     "param w : f32 [4, 3, 2]; main = fn (x : f32 [1, ~T, 6]) { conv1d(x, w, padding=[[3, 0]], groups=2) };", 1,
     3 * 2 * 4},
    {"with a stride that divides the window: stride by stride",
     "param w : f32 [4, 3, 4]; main = fn (x : f32 [1, ~T, 3]) { conv1d(x, w, stride=[2]) };", 1, 4 * 4 + 3 * 4},
    {"with another stride: a stage for each rest",
     "param w : f32 [7, 4, 3]; main = fn (x : f32 [1, ~T, 4]) { conv1d(x, w, stride=[3], padding=[[1, 2]]) };", 3,
     2 * 3 * 4},
    {"with a stride and dilated",
     "param w : f32 [4, 4, 1]; main = fn (x : f32 [1, ~T, 4]) { conv1d(x, w, stride=[2], dilation=[2]) };", 1, 3 * 4},
    {"along the height",
     "param w : f32 [3, 3, 4, 1]; main = fn (x : f32 [1, ~H, 5, 4]) { conv2d(x, w, padding=\"same\") };", 1, 2 * 5 * 4},
    {"along the width",
     "param w : f32 [3, 3, 4, 1]; main = fn (x : f32 [1, 5, ~W, 4]) { conv2d(x, w, padding=\"same\") };", 1, 2 * 5 * 4},
    {"transposed", "param w : f32 [7, 1, 8]; main = fn (x : f32 [1, ~T, 8]) { conv_transpose1d(x, w, stride=[3]) };", 1,
     4 * 4},
    {"several readers: those that reach back farthest",
     "param v : f32 [9, 4, 1]; param w : f32 [3, 4, 4]; main = fn (x : f32 [1, ~T, 4]) {"
     " conv1d(x, v, padding=[[8, 0]]), conv1d(x, w, padding=[[2, 0]]) };",
     1, 8 * 4 + 2 * 4 * 4},
    {"frames that another reader needs as well",
     "param w : f32 [5, 4, 1]; main = fn (x : f32 [1, ~T, 4]) { conv1d(x, w, padding=[[4, 0]]), max_pool1d(x, "
     "size=[5]) };",
     0, 4 * 4 * 4},
    {"padded with another value than zero: frames",
     "param w : f32 [5, 4, 1]; main = fn (x : f32 [1, ~T, 4]) { conv1d(pad_with(x, 1.0, [[0, 0], [4, 0], [0, 0]]), w) "
     "};",
     0, 4 * 4 * 4},
    {"averages", "main = fn (x : f32 [1, ~T, 3]) { avg_pool1d(x, size=[8], stride=[4]) };", 1, 2 * 3 * 4, true},
    {"averages, where the stride does not divide the window",
     "main = fn (x : f32 [1, ~T, 3]) { avg_pool1d(x, size=[7], stride=[3]) };", 3, 2 * 3 * 4},
    {"overlap-add", "main = fn (x : f32 [~T, 8]) { overlap_add(x, step=2) };", 1, 6 * 4, true},
    {"overlap-add of f64",
     "sums = fn (x : f64 [t, 8]) { overlap_add(x, step=3) };"
     "main = fn (x : f32 [~T, 8]) : f32 [t] { cast(sums(cast(x))) };",
     1, 5 * 8, true},
};

TEST(StreamRules, SumsAreKeptWhereTheyAreLess) {
  for (const SumRule& rule : sumRules) {
    SCOPED_TRACE(rule.name);
    const StreamedProgram program(rule.text);
    EXPECT_TRUE(program.streams()) << program.problem;
    if (!program.streams()) continue;
    std::size_t adders = 0;
    for (const auto& stages : program.model->adders) adders += stages.size();
    EXPECT_EQ(adders, rule.adders);
    const Costs costs = costsOf(program);
    EXPECT_EQ(costs.stateBytes, rule.state);
    EXPECT_LE(static_cast<double>(costs.stateBytes), 1.1 * static_cast<double>(costs.leastStateBytes));
    for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 12, 96}) {
      const Inputs inputs = program.draw(n, static_cast<unsigned>(n));
      const Outputs expected = runWhole(program, inputs);
      const Outputs single = runChunks(program, inputs, Chunking{{1}, 1});
      EXPECT_EQ(difference(expected, single), "") << "n " << n;
      for (const Chunking& chunking : {Chunking{{3, 1, 4}, {}}, Chunking{{96}, {}}, Chunking{{5, 2}, 2}}) {
        const Outputs got = runChunks(program, inputs, chunking);
        EXPECT_EQ(difference(expected, got), "") << "n " << n;
        if (rule.isEqual) {
          EXPECT_EQ(got.elements, single.elements) << "n " << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace axle::test
