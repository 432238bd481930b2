// Checks that `axc ops NAME` says how each core operator streams, with programs that show that it is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "driver/operator_streams.h"
#include "driver/stream_report.h"

namespace axle::test {
namespace {

enum class Answer { wrong, streams, refused };

Answer answerOf(const std::string& text, std::string& told) {
  driver::CompileOptions options;
  options.path = "operator.ax";
  options.load.texts[fileIdentity(options.path)] = text;
  options.weights = "random:1";
  options.offersFixes = false;
  const driver::StreamCheck check(options);
  for (const Diagnostic& d : check.diagnostics()) told += render(d, check.compilation().sources());
  if (!check.report()) return Answer::wrong;
  return check.report()->isStreamable() ? Answer::streams : Answer::refused;
}

struct Shown {
  const char* op;
  const char* streams;  // programs of one expression over x : f32 [~T, 4]; null: none
  const char* refused;
};

// The operators whose sentence says more than "frame by frame".
constexpr Shown shown[] = {
    {"softmax", "softmax(x)", "softmax(x, axis=0)"},
    {"l2_normalize", "l2_normalize(x)", "l2_normalize(x, axis=0)"},
    {"log_softmax", "log_softmax(x)", "log_softmax(x, axis=0)"},
    {"argmax", "argmax(x, axis=1)", "argmax(x, axis=0)"},
    {"argmin", "argmin(x, axis=1)", "argmin(x, axis=0)"},
    {"sum", "sum(x, axis=1)", "sum(x, axis=0)"},
    {"prod", "prod(x, axis=1)", "prod(x)"},
    {"mean", "mean(x, axis=1)", "mean(x, axis=0, keep=true) * x"},
    {"amax", "amax(x, axis=1)", "amax(x, axis=0)"},
    {"amin", "amin(x, axis=1)", "amin(x, axis=0)"},
    {"any", "any(x > 0.0, axis=1)", "any(x > 0.0, axis=0)"},
    {"all", "all(x > 0.0, axis=1)", "all(x > 0.0, axis=0)"},
    {"variance", "variance(x, axis=1)", "variance(x, axis=0)"},
    {"std", "std(x, axis=1)", "std(x, axis=0)"},
    {"l1_norm", "l1_norm(x, axis=1)", "l1_norm(x, axis=0)"},
    {"l2_norm", "l2_norm(x, axis=1)", "l2_norm(x, axis=0)"},
    {"count_nonzero", "count_nonzero(x, axis=1)", "count_nonzero(x, axis=0)"},
    {"logsumexp", "logsumexp(x, axis=1)", "logsumexp(x, axis=0)"},
    {"cumsum", "cumsum(x, axis=0)", "cumsum(x, axis=0, reverse=true)"},
    {"cumprod", "cumprod(x, axis=0)", "cumprod(x, axis=0, reverse=true)"},
    {"cummax", "cummax(x, axis=0)", "cummax(x, axis=0, reverse=true)"},
    {"cummin", "cummin(x, axis=0)", "cummin(x, axis=0, reverse=true)"},
    {"sort", "sort(x, axis=1)", "sort(x, axis=0)"},
    {"argsort", "argsort(x, axis=1)", "argsort(x, axis=0)"},
    {"top_k", "top_k(x, k=2)", "top_k(transpose(x), k=2)"},
    {"searchsorted", "searchsorted(arange(5), x)", "searchsorted(x[:, 0], x)"},
    {"matmul", "matmul(x, ones([4, 3]))", "matmul(transpose(x), x)"},
    {"batch_matmul", "batch_matmul(x, ones([4, 3]))", "batch_matmul(transpose(x), x)"},
    {"matmul_nt", "matmul_nt(x, ones([3, 4]))", "matmul_nt(x, x)"},
    {"matmul_tn", "matmul_tn(transpose(x), ones([4, 3]))", "matmul_tn(x, x)"},
    {"matvec", "matvec(x, ones([4]))", "matvec(transpose(x), x[:, 0])"},
    {"dot", nullptr, "dot(x[:, 0], x[:, 1])"},
    {"inner", "inner(x, ones([4]))", "inner(transpose(x), x[:, 0])"},
    {"einsum", "einsum(\"ti,ij->tj\", x, ones([4, 3]))", "einsum(\"ti,tj->ij\", x, x)"},
    {"outer", "outer(x, ones([3]))", "outer(x, x)"},
    {"conv", "conv(reshape(x, [1, 1, T, 4]), ones([2, 1, 3, 3]))", nullptr},
    {"conv1d", "conv1d(expand(x, axis=0), ones([3, 4, 2]))",
     "conv1d(expand(x, axis=0), ones([3, 4, 2]), stride=[2], padding=\"same\")"},
    {"conv2d", "conv2d(image, ones([3, 3, 1, 2]))",
     "conv2d(image, ones([3, 3, 1, 2]), stride=[2, 1], padding=\"same\")"},
    {"conv3d", "conv3d(volume, ones([3, 3, 1, 1, 2]))",
     "conv3d(volume, ones([3, 3, 1, 1, 2]), stride=[2, 1, 1], padding=\"same\")"},
    {"depthwise_conv1d", "depthwise_conv1d(expand(x, axis=0), ones([3, 4, 1]))",
     "depthwise_conv1d(expand(x, axis=0), ones([3, 4, 1]), stride=[2], padding=\"same\")"},
    {"depthwise_conv2d", "depthwise_conv2d(image, ones([3, 3, 1, 2]))",
     "depthwise_conv2d(image, ones([3, 3, 1, 2]), stride=[2, 1], padding=\"same\")"},
    {"depthwise_conv3d", "depthwise_conv3d(volume, ones([3, 3, 1, 1, 2]))",
     "depthwise_conv3d(volume, ones([3, 3, 1, 1, 2]), stride=[2, 1, 1], padding=\"same\")"},
    {"conv_transpose1d", "conv_transpose1d(expand(x, axis=0), ones([3, 2, 4]), stride=[2])", nullptr},
    {"conv_transpose2d", "conv_transpose2d(image, ones([3, 3, 2, 1]), stride=[2, 1])", nullptr},
    {"conv_transpose3d", "conv_transpose3d(volume, ones([3, 3, 1, 2, 1]), stride=[2, 1, 1])", nullptr},
    {"max_pool", "max_pool(image, size=[2, 2])", "max_pool(image, size=[3, 1], stride=[2, 1], padding=\"same\")"},
    {"max_pool1d", "max_pool1d(expand(x, axis=0), size=[2])",
     "max_pool1d(expand(x, axis=0), size=[3], stride=[2], padding=\"same\")"},
    {"max_pool3d", "max_pool3d(volume, size=[2, 2, 1])",
     "max_pool3d(volume, size=[3, 1, 1], stride=[2, 1, 1], padding=\"same\")"},
    {"avg_pool", "avg_pool(image, size=[2, 2])", "avg_pool(image, size=[3, 1], stride=[2, 1], padding=\"same\")"},
    {"avg_pool1d", "avg_pool1d(expand(x, axis=0), size=[2])",
     "avg_pool1d(expand(x, axis=0), size=[3], stride=[2], padding=\"same\")"},
    {"avg_pool3d", "avg_pool3d(volume, size=[2, 2, 1])",
     "avg_pool3d(volume, size=[3, 1, 1], stride=[2, 1, 1], padding=\"same\")"},
    {"patches", "patches(image, size=[2, 2])", "patches(image, size=[3, 1], stride=[2, 1], padding=\"same\")"},
    {"space_to_depth", "space_to_depth(reshape(repeat(x, times=2, axis=0), [1, 2*T, 4, 1]), block=2)", nullptr},
    {"depth_to_space", "depth_to_space(reshape(x, [1, T, 1, 4]), block=2)", nullptr},
    {"concat", "concat(ones([2, 4]), x, ones([3, 4])), concat(x, x, axis=1)", "concat(x, x)"},
    {"split", "split(x, parts=2, axis=1)", "split(repeat(x, times=2, axis=0), parts=2)"},
    {"unstack", "unstack(x, axis=1)", nullptr},
    {"stack", "stack(x, tanh(x)), stack(x[2:], x[:T - 2], axis=1)", nullptr},
    {"reshape", "reshape(x, [T, 2, 2]), reshape(x, [4*T])", "transpose(reshape(x, [4, T]))"},
    {"flatten", "flatten(x)", "flatten(transpose(x))"},
    {"reverse", "reverse(x, axis=1)", "reverse(x)"},
    {"reverse_sequence", nullptr, "reverse_sequence(transpose(x), arange(4))"},
    {"roll", "roll(x, shift=1, axis=1)", "roll(x, shift=1, axis=0)"},
    {"pad", "pad(x, [[1, 1], [0, 0]]), pad(x, [[1, 1], [1, 0]], mode=\"symmetric\")",
     "pad(x, [[1, 1], [0, 0]], mode=\"circular\")"},
    {"pad_axis", "pad_axis(x, before=2, after=1, axis=0)", nullptr},
    {"pad_with", "pad_with(x, 2.0, [[1, 1], [0, 0]])", nullptr},
    {"slice", "slice(x, start=2), slice(x, step=3), slice(x, stop=T - 2)", "slice(x, stop=2)"},
    {"tile", "tile(x, times=[1, 3])", "tile(x, times=[2, 1])"},
    {"repeat", "repeat(x, times=2, axis=0), repeat(x, times=2, axis=1)", nullptr},
    {"upsample", "upsample(image, scale=[2, 1])", nullptr},
    {"resize", "resize(image, size=[2*T, 3])", "resize(image, size=[2*T, 4], coordinates=\"align_corners\")"},
    {"resize_nearest", "resize_nearest(image, size=[2*T, 3])",
     "resize_nearest(image, size=[2*T, 4], coordinates=\"align_corners\")"},
    {"frame", "frame(x, length=4, step=2)", nullptr},
    {"overlap_add", "overlap_add(x, step=2)", nullptr},
    {"gather", "gather(ones([5, 2]), argmax(x, axis=1)), gather(x, arange(2), axis=1)", "gather(x, argmax(x, axis=1))"},
    {"embedding", "embedding(ones([5, 2]), argmax(x, axis=1))", nullptr},
    {"one_hot", "one_hot(argmax(x, axis=1), depth=4) * 1.0", nullptr},
    {"take_along", "take_along(x, argsort(x, axis=1), axis=1)", "take_along(x, argsort(x, axis=1), axis=0)"},
    {"gather_nd", nullptr, "gather_nd(x, argsort(x, axis=1)[:, :2])"},
    {"scatter_along", nullptr, "scatter_along(x, argsort(x, axis=0), x, axis=0)"},
    {"scatter_update", nullptr, "scatter_update(x, argsort(x, axis=1)[:, :2], x[:, 0])"},
    {"scatter_add", nullptr, "scatter_add(x, argsort(x, axis=1)[:, :2], x[:, 0])"},
    {"scatter_mul", nullptr, "scatter_mul(x, argsort(x, axis=1)[:, :2], x[:, 0])"},
    {"scatter_max", nullptr, "scatter_max(x, argsort(x, axis=1)[:, :2], x[:, 0])"},
    {"scatter_min", nullptr, "scatter_min(x, argsort(x, axis=1)[:, :2], x[:, 0])"},
    {"segment_sum", nullptr, "segment_sum(x, argmax(x, axis=1), count=4)"},
    {"segment_mean", nullptr, "segment_mean(x, argmax(x, axis=1), count=4)"},
    {"segment_max", nullptr, "segment_max(x, argmax(x, axis=1), count=4)"},
    {"segment_min", nullptr, "segment_min(x, argmax(x, axis=1), count=4)"},
    {"bincount", nullptr, "bincount(argmax(x, axis=1), count=4)"},
    {"dynamic_slice", nullptr, "dynamic_slice(x, argmax(x, axis=0)[0], size=2)"},
    {"dynamic_update_slice", nullptr, "dynamic_update_slice(x, ones([2, 4]), argmax(x, axis=0)[0])"},
    {"diag", nullptr, "diag(x[:, 0])"},
    {"diagonal", nullptr, "diagonal(transpose(x))"},
    {"trace", "trace(reshape(x, [T, 2, 2]))", nullptr},
    {"squeeze", "squeeze(expand(x, axis=0), axis=0)", nullptr},
    {"move_axis", "move_axis(x, from=0, to=1)", nullptr},
    {"same_lengths", nullptr, nullptr},
    {"nonzero", nullptr, "nonzero(x)"},
    {"unique", nullptr, "unique(x)"},
    {"fft", "fft(stack(x, x, axis=2))", "fft(stack(transpose(x), transpose(x), axis=2))"},
    {"ifft", "ifft(stack(x, x, axis=2))", "ifft(stack(transpose(x), transpose(x), axis=2))"},
    {"rfft", "rfft(x)", "rfft(transpose(x))"},
    {"irfft", "irfft(rfft(x), n=4)", nullptr},
    {"dct", "dct(x)", "dct(transpose(x))"},
    {"idct", "idct(x)", "idct(transpose(x))"},
    {"full", "full([T, 4], 2.0) * x", nullptr},
    {"zeros", "zeros([T, 4]) + x", nullptr},
    {"ones", "ones([T, 4]) + x", nullptr},
    {"arange", "expand(arange(T), axis=1) * x", nullptr},
    {"linspace", "linspace(0.0, 1.0, count=4) * x", nullptr},
    {"eye", "matmul(x, eye(4))", nullptr},
    {"shape", nullptr, "shape(x)"},
    {"size", nullptr, "x * cast(size(x))"},
    {"random_bits", nullptr, "random_bits(1, [T, 4])"},
    {"random_uniform", nullptr, "random_uniform(1, [T, 4]) + x"},
    {"random_normal", nullptr, "random_normal(1, [T, 4]) + x"},
    {"random_bernoulli", nullptr, "random_bernoulli(1, [T, 4])"},
    {"to_dense", nullptr, nullptr},
    {"to_ragged", nullptr, nullptr},
    {"arange_to", nullptr, "arange_to(argmax(x, axis=0)[0], most=4)"},
    {"reduce", "reduce(fn (a, b) { 0.5 * a + b }, 0.0, x, axis=1)", "reduce(fn (a, b) { 0.5 * a + b }, 0.0, x)"},
    {"map", "map(fn (a) { softmax(a) }, x), map(fn (a) { cumsum(a) }, transpose(x))", nullptr},
    {"loop", "_, y = loop(0.0, fn (s, e) { sum(e) + s, s }, x); y",
     "y, _ = loop(0.0, fn (s, e) { sum(e) + s, s }, x); y"},
    {"while", "_, y = while(fn (c) { i, _ = c; i < 3 }, fn (c) { i, y = c; i + 1, tanh(y) }, (0, x)); y",
     "while(fn (y) { sum(y) > 1.0 }, fn (y) { 0.5 * y }, x)"},
};

std::string programOf(const std::string& expression) {
  return "main = fn (x : f32 [~T, 4]) { image = reshape(x, [1, T, 4, 1]); volume = reshape(x, [1, T, 4, 1, 1]); " +
         expression + " };";
}

TEST(StreamOperators, ProgramsShowWhatEachOperatorSays) {
  for (const Shown& one : shown) {
    SCOPED_TRACE(one.op);
    std::string told;
    if (one.streams) {
      EXPECT_EQ(answerOf(programOf(one.streams), told), Answer::streams) << one.streams << "\n" << told;
    }
    told.clear();
    if (one.refused) {
      EXPECT_EQ(answerOf(programOf(one.refused), told), Answer::refused) << one.refused << "\n" << told;
    }
  }
}

// An operator that says just "frame by frame" streams in each of these programs whose types fit, and at least one fits.
TEST(StreamOperators, WhatWorksFrameByFrameStreams) {
  const std::set<std::string_view> others = [] {
    std::set<std::string_view> names;
    for (const Shown& one : shown) names.insert(one.op);
    return names;
  }();
  for (const CoreOp& op : coreOps()) {
    const std::string sentence = driver::streamSentence(op);
    EXPECT_TRUE(sentence.starts_with("Streams: ") && sentence.ends_with(".")) << op.name << ": " << sentence;
    if (others.count(op.name) != 0) continue;
    EXPECT_EQ(sentence, "Streams: frame by frame.") << op.name << " has no row in the table above";
    const std::string name(op.name);
    const bool isSign = std::isalpha(static_cast<unsigned char>(name[0])) == 0;
    std::vector<std::string> forms;
    for (const char* argument : {"x", "x > 0.0", "argmax(x, axis=1)", "expand(x, axis=0)"}) {
      const std::string a = "(" + std::string(argument) + ")";
      if (isSign || name == "and" || name == "or")
        forms.insert(forms.end(), {a + " " + name + " " + a, name + a});
      else
        for (const std::string& more :
             {a, a + ", " + a, a + ", " + a + ", " + a, a + ", 1.0", a + ", axis=1", a + ", a=0, b=1",
              a + ", perm=[1, 0]", a + ", [T, 4]", a + ", source=0, to=1", a + ", 1.0, 0"})
          forms.push_back(name + "(" + more + ")");
    }
    int fitting = 0;
    for (const std::string& form : forms) {
      std::string told;
      const Answer answer = answerOf(programOf(form), told);
      EXPECT_NE(answer, Answer::refused) << form << "\n" << told;
      fitting += answer == Answer::streams;
    }
    EXPECT_GT(fitting, 0) << op.name << " fits no program: give it a row in the table above";
  }
  for (const driver::StreamRule& rule : driver::streamRules())
    EXPECT_TRUE(std::any_of(coreOps().begin(), coreOps().end(), [&](const CoreOp& op) { return op.name == rule.name; }))
        << rule.name;
}

}  // namespace
}  // namespace axle::test
