// A program for each rule of streams: what the analysis states, and that any chunks give the batch result. And programs
// that do not stream, with the operators that are blamed.
#include <gtest/gtest.h>

#include <algorithm>

#include "driver/operator_streams.h"
#include "runtime/stream/model.h"
#include "tests/streams/chunks.h"

namespace axle::test {
namespace {

struct Rule {
  const char* name;
  const char* text;
  std::int64_t delay, stride, frames;  // of the first output: `frames` frames for `stride` ones of the first input
};

constexpr Rule rules[] = {
    // ---- windows
    {"conv1d same", "param w : f32 [5, 3, 2]; main = fn (x : f32 [1, ~T, 3]) { conv1d(x, w, padding=\"same\") };", 2, 1,
     1},
    {"conv1d valid, strided, dilated",
     "param w : f32 [3, 3, 2]; main = fn (x : f32 [2, ~T, 3]) { conv1d(x, w, stride=[2], dilation=[2]) };", 4, 2, 1},
    {"conv2d along the height",
     "param w : f32 [3, 3, 2, 4]; main = fn (x : f32 [1, ~H, 5, 2]) { conv2d(x, w, padding=\"same\") };", 1, 1, 1},
    {"conv2d along the width", "param w : f32 [3, 2, 2, 4]; main = fn (x : f32 [1, 5, ~W, 2]) { conv2d(x, w) };", 1, 1,
     1},
    {"conv2d along the batch",
     "param w : f32 [3, 3, 2, 4]; main = fn (x : f32 [~N, 5, 4, 2]) { conv2d(x, w, padding=\"same\") };", 0, 1, 1},
    {"conv3d", "param w : f32 [2, 3, 3, 2, 3]; main = fn (x : f32 [1, ~D, 4, 4, 2]) { conv3d(x, w) };", 1, 1, 1},
    {"transposed convolution",
     "param w : f32 [4, 3, 2]; main = fn (x : f32 [1, ~T, 2]) { conv_transpose1d(x, w, stride=[2]) };", 0, 1, 2},
    {"max pool", "main = fn (x : f32 [1, ~T, 3]) { max_pool1d(x, size=[3], stride=[2]) };", 2, 2, 1},
    {"average pool, padded",
     "main = fn (x : f32 [1, ~T, 3]) { avg_pool1d(x, size=[3], stride=[1], padding=\"same\") };", 1, 1, 1},
    // ---- padding and slices
    {"edge padding", "main = fn (x : f32 [~T, 3]) { pad(x, [[2, 1], [0, 0]], mode=\"edge\") };", 0, 1, 1},
    {"reflect padding", "main = fn (x : f32 [~T, 3]) { pad(x, [[2, 2], [0, 0]], mode=\"reflect\") };", 2, 1, 1},
    {"constant padding behind", "main = fn (x : f32 [~T, 3]) { pad(x, [[0, 2], [0, 0]]) };", 0, 1, 1},
    {"slice from the begin", "main = fn (x : f32 [~T, 3]) { x[2:] };", 2, 1, 1},
    {"slice before the end", "main = fn (x : f32 [~T, 3]) { x[:T - 2] };", 2, 1, 1},
    {"every third from the begin", "main = fn (x : f32 [~T, 3]) { x[1::3] };", 1, 3, 1},
    {"every other, up to the end", "main = fn (x : f32 [~T, 3]) { x[2:T - 1:2] };", 3, 2, 1},
    // ---- along and across
    {"concat in front", "param w : f32 [2, 3]; main = fn (x : f32 [~T, 3]) { concat(w, x) };", 0, 1, 1},
    {"concat behind", "param w : f32 [2, 3]; main = fn (x : f32 [~T, 3]) { concat(x, w) };", 0, 1, 1},
    {"concat of different delays", "main = fn (x : f32 [~T, 3]) { concat(x[2:], x[:T - 2], axis=1) };", 2, 1, 1},
    {"split across", "main = fn (x : f32 [~T, 4]) { a, b = split(x, parts=2, axis=1); a - tanh(b) };", 0, 1, 1},
    {"broadcast of what does not stream",
     "main = fn (x : f32 [~T, 3], gain : f32 [3], offset : f32) { x * gain + offset };", 0, 1, 1},
    {"embedding", "param table : f32 [11, 3]; main = fn (ids : i32 [~T]) { embedding(table, ids) };", 0, 1, 1},
    // ---- rates
    {"repeat", "main = fn (x : f32 [~T, 3]) { repeat(x, times=3, axis=0) };", 0, 1, 3},
    {"upsample", "main = fn (x : f32 [1, ~H, 3, 2]) { upsample(x, scale=[2, 1]) };", 0, 1, 2},
    {"join frames", "main = fn (x : f32 [~(2*T), 3]) { reshape(x, [T, 6]) };", 1, 2, 1},
    {"split frames", "main = fn (x : f32 [~T, 6]) { reshape(x, [2*T, 3]) };", 0, 1, 2},
    {"two inputs of different rates",
     "main = fn (a : f32 [1, ~T, 2], b : f32 [1, ~(3*T), 2]) { concat(a, avg_pool1d(b, size=[3]), axis=2) };", 0, 1, 1},
    // ---- state
    {"cumsum", "main = fn (x : f32 [2, ~T, 3]) { cumsum(x, axis=1) };", 0, 1, 1},
    {"cumsum, exclusive", "main = fn (x : f32 [~T, 3]) { cumsum(x, exclusive=true) };", 0, 1, 1},
    {"cumprod, cummax, cummin", "main = fn (x : f32 [~T, 3]) { cumprod(tanh(x)) + cummax(x) - cummin(x) };", 0, 1, 1},
    {"loop",
     "main = fn (x : f32 [~T, 3], first : f32 [3]) { _, y = loop(first, fn (s, e) { s' = 0.5 * s + e; s', s' }, x); y "
     "};",
     0, 1, 1},
    {"map", "main = fn (x : f32 [~T, 3]) { map(fn (row) { softmax(row) }, x) };", 0, 1, 1},
    {"lstm",
     "import rnn; param w : f32 [3, 16]; param r : f32 [4, 16]; param b : f32 [16];"
     "main = fn (x : f32 [2, ~T, 3]) { y, _ = rnn.lstm(x, w, r, b); y };",
     0, 1, 1},
    {"gru",
     "import rnn; param w : f32 [3, 12]; param r : f32 [4, 12]; param b : f32 [2, 12];"
     "main = fn (x : f32 [1, ~T, 3]) { y, _ = rnn.gru(x, w, r, b); y };",
     0, 1, 1},
    // ---- over features
    {"softmax, norms, argmax",
     "main = fn (x : f32 [~T, 5]) { argmax(softmax((x - mean(x, axis=1, keep=true)) / (std(x, axis=1, keep=true) + "
     "1)), "
     "axis=1) };",
     0, 1, 1},
    {"top_k", "main = fn (x : f32 [~T, 5]) { values, _ = top_k(x, k=2); values };", 0, 1, 1},
    {"reduce over another axis", "main = fn (x : f32 [~T, 5]) { sum(x, axis=1) * amax(x, axis=-1) };", 0, 1, 1},
    // ---- signals
    {"frames", "main = fn (x : f32 [~T]) { frame(x, length=4, step=3) };", 3, 3, 1},
    {"overlap_add", "main = fn (x : f32 [~T, 4]) { overlap_add(x, step=2) };", 0, 1, 2},
    {"moving mean", "main = fn (x : f32 [~T]) { mean(frame(x, length=4, step=1), axis=1) };", 3, 1, 1},
    {"stft", "import audio; main = fn (x : f32 [~T]) { abs(rfft(frame(x, length=16, step=8) * audio.hann(n=16))) };",
     15, 8, 1},
    {"log-mel and mfcc",
     "import audio; main = fn (x : f32 [~T]) { dct(audio.log_mel(x, length=32, step=16, fft=32, bands=8, rate=8000.0)) "
     "};",
     31, 16, 1},
    // ---- attention
    {"attention over a bounded window",
     "import attention; main = fn (x : f32 [1, ~T, 4]) { attention.windowed(x, tanh(x), x, before=3, after=2) };", 2, 1,
     1},
    {"causal attention with a bounded cache",
     "import attention; main = fn (x : f32 [~T, 4]) { attention.causal_cached(x, tanh(x), x, cache=5) };", 0, 1, 1},
    // ---- other sizes are symbols
    {"a symbolic number of sequences",
     "param w : f32 [3, 3, 2]; main = fn (x : f32 [b, ~T, 3]) { tanh(conv1d(x, w, padding=\"same\")) };", 1, 1, 1},
    {"symbolic features", "main = fn (x : f32 [~T, c]) { softmax(x) + cumsum(x) };", 0, 1, 1},
    {"a matrix product over several sequences",
     "param w : f32 [3, 4]; main = fn (x : f32 [2, ~T, 3]) { relu(batch_matmul(cumsum(x, axis=1), w)) };", 0, 1, 1},
};

TEST(StreamRules, EachStreamsAsStated) {
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    const StreamedProgram program(rule.text);
    EXPECT_TRUE(program.streams()) << program.problem;
    if (!program.streams()) continue;
    const auto& output = program.info.outputs.front();
    EXPECT_EQ(static_cast<std::int64_t>(output.delay), rule.delay);
    EXPECT_EQ(static_cast<std::int64_t>(output.stride), rule.stride);
    EXPECT_EQ(static_cast<std::int64_t>(output.frames), rule.frames);
    for (const std::int64_t n : {0, 1, 2, 3, 4, 7, 12, 96}) {
      const Inputs inputs = program.draw(n, static_cast<unsigned>(n));
      const Outputs expected = runWhole(program, inputs);
      for (const Chunking& chunking : {Chunking{{1}, 1}, Chunking{{3, 1, 4}, {}}, Chunking{{96}, {}}})
        EXPECT_EQ(difference(expected, runChunks(program, inputs, chunking)), "") << "n " << n;
    }
  }
}

// What is kept of the begun results, in place of the frames that they are computed from.
struct SumRule {
  const char* name;
  const char* text;
  std::size_t adders;    // stages that add shares
  std::uint64_t state;   // bytes
  bool isEqual = false;  // any chunks give the same bits: shares do not depend on how many frames come at once
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

struct Refusal {
  const char* name;
  const char* text;
  std::vector<std::string> blamed;
  const char* why;  // is in the first reason
};

const std::vector<Refusal> refusals = {
    {"cumsum from the end", "main = fn (x : f32 [~T, 3]) { cumsum(x, reverse=true) };", {"cumsum"}, "all of ~T"},
    {"reverse", "main = fn (x : f32 [~T, 3]) { reverse(x) };", {"reverse"}, "from the end of ~T"},
    {"mean over the stream", "main = fn (x : f32 [~T, 3]) { x - mean(x, axis=0, keep=true) };", {"mean"}, "all of ~T"},
    {"each of several",
     "main = fn (x : f32 [~T, 3]) { sort(x, axis=0) + reverse(x) };",
     {"sort", "reverse"},
     "all of ~T"},
    {"same with an odd window and stride 2",
     "param w : f32 [3, 3, 2]; main = fn (x : f32 [1, ~T, 3]) { conv1d(x, w, stride=[2], padding=\"same\") };",
     {"conv1d"},
     "depends on the length of the whole ~T"},
    {"equal reductions are blamed together",
     "main = fn (x : f32 [~T, 3]) {\n  a = mean(x, axis=0);\n  b = mean(x, axis=0);\n  x - a + tanh(x - b)\n};",
     {"mean", "mean"},
     "all of ~T"},
};

TEST(StreamRules, RefusalsNameEachOperatorAtFault) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.name);
    const StreamedProgram program(refusal.text);
    EXPECT_FALSE(program.streams());
    std::vector<std::string> blamed;
    for (const auto& blocker : program.report.blockers) blamed.push_back(blocker.op);
    EXPECT_EQ(blamed, refusal.blamed);
    if (program.report.blockers.empty()) continue;
    EXPECT_NE(program.report.blockers.front().why.find(refusal.why), std::string::npos)
        << program.report.blockers.front().why;
  }
}

TEST(StreamRules, EachOperatorSaysHowItStreams) {
  for (const CoreOp& op : coreOps()) {
    const std::string sentence = driver::streamSentence(op);
    EXPECT_TRUE(sentence.starts_with("Streams: ") && sentence.ends_with(".")) << op.name << ": " << sentence;
  }
  for (const driver::StreamRule& rule : driver::streamRules())
    EXPECT_TRUE(std::any_of(coreOps().begin(), coreOps().end(), [&](const CoreOp& op) { return op.name == rule.name; }))
        << rule.name;
}

}  // namespace
}  // namespace axle::test
