// Checks a program for each rule of streams: the statements of the analysis, and that any chunks give the batch result.
// Also programs that do not stream, with the blamed operators.
#include <gtest/gtest.h>

#include "tests/streams/rule.h"

namespace axle::test {
namespace {

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
    {"conv1d, causal and dilated",
     "import nn; param w : f32 [3, 3, 2]; main = fn (x : f32 [1, ~T, 3]) { nn.causal_conv1d(x, w, dilation=4) };", 0, 1,
     1},
    {"conv1d with its own padding",
     "param w : f32 [4, 3, 2]; main = fn (x : f32 [1, ~T, 3]) { conv1d(x, w, padding=[[1, 3]], stride=[2]) };", 2, 2,
     1},
    {"conv1d, same, of an even window with a stride",
     "param w : f32 [4, 3, 2]; main = fn (x : f32 [1, ~(2*T), 3]) { conv1d(x, w, padding=\"same\", stride=[2]) };", 2,
     2, 1},
    {"conv1d in groups",
     "param w : f32 [3, 2, 6]; main = fn (x : f32 [1, ~T, 4]) { conv1d(x, w, groups=2, padding=\"same\") };", 1, 1, 1},
    {"depthwise conv1d",
     "param w : f32 [5, 3, 2]; main = fn (x : f32 [2, ~T, 3]) { depthwise_conv1d(x, w, padding=\"same\") };", 2, 1, 1},
    {"depthwise conv2d along the width",
     "param w : f32 [3, 3, 2, 1]; main = fn (x : f32 [1, 4, ~W, 2]) { depthwise_conv2d(x, w, stride=[1, 2]) };", 2, 2,
     1},
    {"depthwise conv3d",
     "param w : f32 [3, 2, 2, 2, 1]; main = fn (x : f32 [1, ~D, 3, 3, 2]) { depthwise_conv3d(x, w) };", 2, 1, 1},
    {"conv3d along the width, dilated",
     "param w : f32 [2, 2, 2, 2, 3]; main = fn (x : f32 [1, 3, 3, ~W, 2]) { conv3d(x, w, dilation=[1, 1, 3]) };", 3, 1,
     1},
    {"transposed conv2d, same",
     "param w : f32 [3, 3, 2, 2]; main = fn (x : f32 [1, ~H, 3, 2]) { conv_transpose2d(x, w, stride=[2, 1], "
     "padding=\"same\") };",
     0, 1, 2},
    {"transposed conv3d along the height",
     "param w : f32 [2, 4, 2, 2, 2]; main = fn (x : f32 [1, 2, ~H, 2, 2]) { conv_transpose3d(x, w, stride=[1, 3, 1]) "
     "};",
     0, 1, 3},
    {"max pool along the height, strided",
     "main = fn (x : f32 [2, ~H, 4, 3]) { max_pool(x, size=[3, 2], stride=[3, 1]) };", 2, 3, 1},
    {"average pool of a volume, same",
     "main = fn (x : f32 [1, ~D, 3, 3, 2]) { avg_pool3d(x, size=[3, 2, 2], stride=[1, 1, 1], padding=\"same\") };", 1,
     1, 1},
    {"patches", "main = fn (x : f32 [1, ~H, 4, 2]) { patches(x, size=[3, 2], stride=[2, 1]) };", 2, 2, 1},
    {"space to depth", "main = fn (x : f32 [1, ~(2*H), 4, 2]) { space_to_depth(x, block=2) };", 1, 2, 1},
    {"depth to space", "main = fn (x : f32 [1, ~H, 3, 4]) { depth_to_space(x, block=2) };", 0, 1, 2},
    {"transposed convolution",
     "param w : f32 [4, 3, 2]; main = fn (x : f32 [1, ~T, 2]) { conv_transpose1d(x, w, stride=[2]) };", 0, 1, 2},
    {"max pool", "main = fn (x : f32 [1, ~T, 3]) { max_pool1d(x, size=[3], stride=[2]) };", 2, 2, 1},
    {"average pool, padded",
     "main = fn (x : f32 [1, ~T, 3]) { avg_pool1d(x, size=[3], stride=[1], padding=\"same\") };", 1, 1, 1},
    // ---- padding and slices
    {"edge padding", "main = fn (x : f32 [~T, 3]) { pad(x, [[2, 1], [0, 0]], mode=\"edge\") };", 0, 1, 1},
    {"reflect padding", "main = fn (x : f32 [~T, 3]) { pad(x, [[2, 2], [0, 0]], mode=\"reflect\") };", 2, 1, 1},
    {"reflect padding of every third frame",
     "main = fn (x : f32 [~T, 3]) { pad(x[1::3], [[2, 2], [0, 0]], mode=\"reflect\") };", 7, 3, 1},
    {"edge padding of repeated frames at steps",
     "main = fn (x : f32 [~T, 3]) { tanh(pad(repeat(x, times=4, axis=0)[::3], [[1, 2], [0, 0]], mode=\"edge\")) };", 0,
     3, 4},
    {"symmetric padding", "main = fn (x : f32 [~T, 3]) { pad(x, [[2, 1], [0, 0]], mode=\"symmetric\") };", 1, 1, 1},
    {"padding with a value", "main = fn (x : f32 [~T, 3]) { pad_with(x, 2.5, [[1, 2], [0, 1]]) };", 0, 1, 1},
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
    {"repeat what is left of a stream", "main = fn (x : f32 [~T, 3]) { tanh(repeat(tanh(x)[2:], times=3, axis=0)) };",
     2, 1, 3},
    {"split frames behind padding",
     "main = fn (x : f32 [~T, 6]) { tanh(reshape(pad(tanh(x), [[3, 0], [0, 0]]), [2*T + 6, 3])) };", 0, 1, 2},
    {"transposed convolution of what is left of a stream",
     "param w : f32 [5, 3, 2]; main = fn (x : f32 [1, ~T, 2]) { conv_transpose1d(tanh(x)[:, 3:], w, stride=[2]) };", 3,
     1, 2},
    {"overlap_add of what is left of a stream",
     "main = fn (x : f32 [~T, 4]) { overlap_add(tanh(x)[1:T - 1], step=2) };", 2, 1, 2},
    {"upsample", "main = fn (x : f32 [1, ~H, 3, 2]) { upsample(x, scale=[2, 1]) };", 0, 1, 2},
    {"upsample the width", "main = fn (x : f32 [1, 3, ~W, 2]) { upsample(x, scale=[2, 3]) };", 0, 1, 3},
    {"resize to the nearest, twice", "main = fn (x : f32 [1, ~H, 5, 2]) { resize_nearest(x, size=[2*H, 7]) };", 0, 1,
     2},
    {"resize to the nearest, half", "main = fn (x : f32 [2, ~(2*H), 5, 2]) { resize_nearest(x, size=[H, 5]) };", 1, 2,
     1},
    {"resize linearly, three times",
     "main = fn (x : f32 [2, ~H, 5, 2]) { resize(x, size=[3*H, 4], coordinates=\"asymmetric\") };", 1, 1, 3},
    {"resize linearly between pixels, along the width",
     "main = fn (x : f32 [2, 3, ~W, 2]) { resize(x, size=[5, 2*W]) };", 1, 1, 2},
    {"resize linearly, a quarter", "main = fn (x : f32 [1, ~(4*H), 5, 2]) { resize(x, size=[H, 5]) };", 2, 4, 1},
    {"resize by cubics, twice", "main = fn (x : f32 [2, ~H, 3, 2]) { resize(x, size=[2*H, 3], method=\"bicubic\") };",
     2, 1, 2},
    {"resize by cubics, half", "main = fn (x : f32 [1, ~(2*H), 3, 2]) { resize(x, size=[H, 3], method=\"bicubic\") };",
     2, 2, 1},
    {"resize another dimension, corners aligned",
     "main = fn (x : f32 [1, ~H, 3, 2]) { resize(x, size=[H, 7], coordinates=\"align_corners\") };", 0, 1, 1},
    {"join frames", "main = fn (x : f32 [~(2*T), 3]) { reshape(x, [T, 6]) };", 1, 2, 1},
    {"split frames", "main = fn (x : f32 [~T, 6]) { reshape(x, [2*T, 3]) };", 0, 1, 2},
    {"two inputs of different rates",
     "main = fn (a : f32 [1, ~T, 2], b : f32 [1, ~(3*T), 2]) { concat(a, avg_pool1d(b, size=[3]), axis=2) };", 0, 1, 1},
    {"three inputs of different rates",
     "main = fn (a : f32 [~(2*T), 2], b : f32 [~T, 2], c : f32 [~(4*T), 1]) {"
     "reshape(a, [T, 4]), concat(b, reshape(c, [T, 4]), axis=1) };",
     1, 2, 1},
    {"a faster input, repeated to its rate",
     "main = fn (a : f32 [~T, 2], b : f32 [~(2*T), 2]) { repeat(a, times=2, axis=0) - b };", 0, 1, 2},
    {"a slower input, pooled to its rate",
     "main = fn (a : f32 [1, ~(3*T), 2], b : f32 [1, ~T, 2]) { max_pool1d(a, size=[3], stride=[3]) + b };", 2, 3, 1},
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
    {"layer and rms norm",
     "import nn; param g : f32 [5]; param b : f32 [5]; main = fn (x : f32 [2, ~T, 5]) { nn.layer_norm(x, g, b) + "
     "nn.rms_norm(x, g) };",
     0, 1, 1},
    {"spectra of frames, there and back", "main = fn (x : f32 [~T, 8]) { irfft(rfft(x) * 0.5, n=8) };", 0, 1, 1},
    {"top_k", "main = fn (x : f32 [~T, 5]) { values, _ = top_k(x, k=2); values };", 0, 1, 1},
    {"reduce over another axis", "main = fn (x : f32 [~T, 5]) { sum(x, axis=1) * amax(x, axis=-1) };", 0, 1, 1},
    {"argmin, sort, all over features",
     "main = fn (x : f32 [~T, 5]) { sort(x, axis=1), argmin(x, axis=1), amax(x, axis=1) };", 0, 1, 1},
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
  for (const Rule& rule : rules) expectStreams(rule);
}

}  // namespace
}  // namespace axle::test
