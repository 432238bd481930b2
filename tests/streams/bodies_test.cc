// Tests functions of the program over a stream, or along with it: loops, folds, maps, branches.
#include <gtest/gtest.h>

#include "tests/streams/rule.h"

namespace axle::test {
namespace {

constexpr Rule bodies[] = {
    // ---- over the stream
    {"a loop with a tuple of tuples as its state",
     "main = fn (x : f32 [~T, 3]) {"
     "  _, y = loop(((zeros([3]), 0), (1.0, ones([2, 2]))), fn (s, e) {"
     "    ab, cd = s; a, b = ab; c, d = cd;"
     "    ((0.5 * a + e, b + 1), (c * 0.5, d + c)), (a, d * c, b)"
     "  }, x); y };",
     0, 1, 1},
    {"a loop over numbers, with a number and a bool as its state",
     "main = fn (x : f32 [~T]) { _, y = loop((0.0, false), fn (s, e) {"
     "  a, was = s; is = was or e > 0.9; (0.5 * a + e, is), select(is, a, e) }, x); y };",
     0, 1, 1},
    {"a loop over matrices along an inner dimension",
     "main = fn (x : f32 [2, ~T, 3, 2]) { _, y = loop(zeros([2, 3, 2]), fn (s, e) {"
     "  s2 = 0.5 * s + e; s2, sum(s2, axis=2) }, transpose(x, perm=[1, 0, 2, 3])); y };",
     0, 1, 1},
    {"a loop that keeps the last four frames",
     "main = fn (x : f32 [~T, 3]) { _, y = loop(zeros([4, 3]), fn (s, e) {"
     "  s2 = concat(s[1:], expand(e, axis=0)); s2, mean(s2, axis=0) }, x); y };",
     0, 1, 1},
    {"a loop over two streams of different delay",
     "main = fn (x : f32 [~T, 3]) { _, y = loop(zeros([3]), fn (s, e, f) { s2 = 0.5 * s * e + f; s2, s2 }, x[2:], "
     "x[:T - 2]); y };",
     2, 1, 1},
    {"a loop over windows of frames, with an operand that does not stream",
     "main = fn (x : f32 [~T], w : f32 [4]) { _, y = loop(zeros([4]), fn (s, e) {"
     "  s2 = maximum(0.5 * s, e * w); s2, sum(s2, axis=0) }, frame(x, length=4, step=3)); y };",
     3, 3, 1},
    {"a loop that begins with a frame",
     "main = fn (x : f32 [~T, 3]) { _, y = loop(x[0], fn (s, e) {"
     " s2 = 0.5 * s + 0.5 * e; s2, s2 }, x); y };",
     0, 1, 1},
    {"a loop that reads a frame in each step",
     "main = fn (x : f32 [~T, 3]) { _, y = loop(zeros([3]), fn (s, e) {"
     " s2 = 0.5 * s + e * x[1]; s2, s2 }, x); y };",
     1, 1, 1},
    {"a loop in a loop",
     "main = fn (x : f32 [~T, 4, 3]) { _, y = loop(zeros([3]), fn (s, e) {"
     " t, z = loop(s, fn (a, b) { c = tanh(a + b); c, c }, e); t, z }, x); y };",
     0, 1, 1},
    {"a loop with an if",
     "main = fn (x : f32 [~T, 3]) { _, y = loop(zeros([3]), fn (s, e) {"
     " s2 = if sum(e) > 0.0 { 0.5 * s + e } else { s }; s2, s2 }, x); y };",
     0, 1, 1},
    {"a loop with a while",
     "main = fn (x : f32 [~T]) { _, y = loop(1.0, fn (s, e) {"
     " s2 = while(fn (a) { abs(a) > 1.0 }, fn (a) { a * 0.5 }, s + e); s2, s2 }, x); y };",
     0, 1, 1},
    {"a map with a fold of windows",
     "main = fn (x : f32 [~T]) { map(fn (w) { reduce(fn (a, b) { 0.5 * a + b }, 1.0, w) }, frame(x, length=4, step=2)) "
     "};",
     3, 2, 1},
    {"a loop of a symbolic number of sequences that begins with zeros",
     "main = fn (x : f32 [~T, b, 3]) { _, y = loop(zeros([b, 3]), fn (s, e) { s2 = 0.5 * s + e; s2, s2 }, x); y };", 0,
     1, 1},
    {"an LSTM of a symbolic number of sequences",
     "import rnn; param w : f32 [3, 8]; param r : f32 [2, 8]; param b : f32 [8];"
     "main = fn (x : f32 [n, ~T, 3]) { y, _ = rnn.lstm(x, w, r, b); y };",
     0, 1, 1},
    {"frames of a size that only an input without a stream has",
     "main = fn (x : f32 [~T], like : f32 [b, c]) { broadcast_to(expand(x, axis=1), [T, b]) + ones([b]) * cast(c) };",
     0, 1, 1},
    {"a loop of a symbolic number of sequences",
     "main = fn (x : f32 [~T, b, 3], first : f32 [b, 3]) { _, y = loop(first, "
     "fn (s, e) { s2 = 0.5 * s + e; s2, s2 }, x); y };",
     0, 1, 1},
    // ---- over another dimension
    {"a fold over features", "main = fn (x : f32 [~T, 4, 3]) { reduce(fn (a, b) { a * 0.5 + b }, 0.5, x, axis=1) };", 0,
     1, 1},
    {"a fold over a symbolic leading dimension",
     "main = fn (x : f32 [b, ~T, 3]) { reduce(fn (a, b) { a * 0.5 + b }, 0.5, x) };", 0, 1, 1},
    {"a fold over many", "main = fn (x : f32 [200, ~T]) { reduce(fn (a, b) { maximum(a * 0.5, b) }, 0.5, x) };", 0, 1,
     1},
    {"a loop over features, with its last state",
     "main = fn (x : f32 [4, ~T, 3]) { s, y = loop(zeros([T, 3]), fn (s, e) { s2 = 0.5 * s + e; s2, tanh(s2) }, x); "
     "s + y[2] };",
     0, 1, 1},
    {"a map of running sums", "main = fn (x : f32 [4, ~T, 3]) { map(fn (r) { cumsum(r) }, x) };", 0, 1, 1},
    {"a map of convolutions",
     "param w : f32 [3, 3, 3]; main = fn (x : f32 [4, ~T, 3]) { map(fn (r) {"
     "  conv1d(expand(r, axis=0), w, padding=\"same\")[0] }, x) };",
     1, 1, 1},
    {"a map of loops over the stream",
     "main = fn (x : f32 [3, ~T, 2]) { map(fn (r) { _, y = loop(zeros([2]), fn (s, e) { s2 = 0.5 * s + e; s2, s2 }, "
     "r); "
     "y }, x) };",
     0, 1, 1},
    {"a map of running sums of a symbolic number of sequences",
     "main = fn (x : f32 [b, ~T, 3]) { map(fn (r) { cumsum(r) }, x) };", 0, 1, 1},
    {"a map of running sums of many", "main = fn (x : f32 [200, ~T, 3]) { map(fn (r) { cummax(r) }, x) };", 0, 1, 1},
    {"a map over what does not lead",
     "main = fn (x : f32 [~T, b, 3]) { map(fn (r) { cumsum(r) }, transpose(x, perm=[1, 0, 2])) };", 0, 1, 1},
    {"a map of loops over the stream, of a symbolic number",
     "main = fn (x : f32 [b, ~T, 2], gain : f32 [b], bias : f32 [2]) { map(fn (r, g) { _, y = loop(zeros([2]), "
     "fn (s, e) { s2 = 0.5 * s + g * e + bias; s2, s2 }, r); y }, x, gain) };",
     0, 1, 1},
    {"a map of convolutions, pools and products of a symbolic number",
     "param w : f32 [3, 3, 4]; param d : f32 [4, 5]; main = fn (x : f32 [b, ~T, 3]) { map(fn (r) {"
     "  c = conv1d(expand(r, axis=0), w, padding=\"same\");"
     "  matmul(max_pool1d(c, size=[3], stride=[1], padding=\"same\")[0], d) }, x) };",
     2, 1, 1},
    {"a map of windows, spectra and sums of a symbolic number",
     "main = fn (x : f32 [b, ~T]) { map(fn (r) {"
     "  y = rfft(frame(r, length=8, step=4)); sum(y[..., 0] * y[..., 0] + y[..., 1] * y[..., 1], axis=1) }, x) };",
     7, 4, 1},
    {"a map of gathers, sorts, slices and padding of a symbolic number",
     "main = fn (x : f32 [b, ~T, 4], ids : i32 [b, 2], js : i32 [2], few : f32 [3]) { map(fn (r, i) {"
     "  y = pad(r[1:], [[2, 0], [0, 1]]);"
     "  concat(gather(y, js % 5, axis=1), gather(y, i, axis=1), reverse(cumsum(y), axis=1),"
     "         expand(gather(few, i), axis=0) * cumsum(y)[:, 1:3], cast(argsort(y, axis=1)), axis=1)"
     "  }, x, ids % 3) };",
     0, 1, 1},
    {"a map of a fold and a while beside running sums",
     "main = fn (x : f32 [b, ~T, 3]) { map(fn (r) {"
     "  s = reduce(fn (a, e) { 0.5 * a + e }, 0.25, r, axis=1);"
     "  _, y = loop(1.0, fn (s, e) { s2 = while(fn (a) { abs(a) > 1.0 }, fn (a) { a * 0.5 }, s + e); s2, s2 }, s);"
     "  cumsum(y) }, x) };",
     0, 1, 1},
    {"maps within a map, of symbolic numbers",
     "main = fn (x : f32 [b, c, ~T], y : f32 [b, c], g : f32 [b], s : f32) { map(fn (r, z, k) {"
     "  map(fn (q, i) { k * i * cumsum(q * s) }, r, cumsum(z)) }, x, y, g) };",
     0, 1, 1},
    {"a map of loops within maps",
     "main = fn (x : f32 [b, c, d, ~T]) { map(fn (p) { map(fn (q) { map(fn (r) {"
     "  _, y = loop(0.0, fn (s, e) { s2 = 0.5 * s + e; s2, s2 }, r); y }, q) }, p) }, x) };",
     0, 1, 1},
    {"a map of running sums beside what it reads",
     "main = fn (x : f32 [2, ~T, 3]) { y = x[:, 2:]; concat(map(fn (r) { cummax(r) }, y), y, axis=2) };", 2, 1, 1},
    {"layers as a loop",
     "param w : f32 [12, 3, 3, 3]; main = fn (x : f32 [1, ~T, 3]) { y, _ = loop(x, fn (h, k) {"
     " 0.5 * h + tanh(conv1d(h, k, padding=\"same\")), 0 }, w); y };",
     12, 1, 1},
    {"LSTM layers as a loop",
     "import rnn; param w : f32 [2, 4, 16]; param r : f32 [2, 4, 16]; param b : f32 [2, 16];"
     "main = fn (x : f32 [2, ~T, 4]) { y, _ = loop(x, fn (h, w, r, b) { y, _ = rnn.lstm(h, w, r, b); y, 0 }, w, r, b); "
     "y };",
     0, 1, 1},
    {"a while that counts steps",
     "main = fn (x : f32 [~T, 3]) { _, y = while(fn (c) { i, _ = c; i < 3 }, fn (c) {"
     " i, s = c; i + 1, tanh(s) + 0.5 }, (0, x)); y };",
     0, 1, 1},
    {"an if of frames", "main = fn (x : f32 [~T, 3], p : bool) { if p { tanh(x) } else { x * 0.5 } };", 0, 1, 1},
    {"an if of running sums", "main = fn (x : f32 [~T, 3], p : bool) { if p { cumsum(x) } else { x } };", 0, 1, 1},
};

TEST(StreamBodies, EachStreamsAsStated) {
  for (const Rule& rule : bodies) expectStreams(rule);
}

}  // namespace
}  // namespace axle::test
