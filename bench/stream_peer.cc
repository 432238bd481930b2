// Plain C++ of single models, compiled for this machine alone, with which streams are compared.
//
//   stream_peer weights BYTES       a loop over BYTES bytes of weights: one multiply-add for each weight
//   stream_peer lstm|gru|conv SIZE  one step of a layer of this size, whose inputs are as wide
//   stream_peer sample SIZE         one step of an LSTM of this size, from one sample to one sample
//
// Prints microseconds of one step: the least of many short rounds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

namespace {

constexpr int steps = 50, rounds = 400;  // short rounds, so that some are not interrupted
volatile float sink = 0;

std::vector<float> numbers(std::size_t count) {
  std::vector<float> all(count);
  std::uint32_t state = 1;
  for (float& x : all) {
    state = state * 1664525 + 1013904223;
    x = (static_cast<float>(state >> 8) / (1 << 24) - 0.5F) * 0.4F;
  }
  return all;
}

double microsecondsOf(const std::function<void()>& step) {
  double least = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) step();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / steps);
  }
  return least;
}

// sums += x * w, where w is [x, sums].
void addProduct(float* __restrict sums, const float* __restrict x, const float* __restrict w, int depth, int width) {
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < width; ++j) sums[j] += x[k] * w[k * width + j];
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

std::function<void()> weights(int bytes) {
  const auto w = numbers(static_cast<std::size_t>(bytes) / sizeof(float));
  return [w, scale = 1.0F]() mutable {
    constexpr std::size_t lanes = 128;
    float sums[lanes] = {};
    for (std::size_t i = 0; i + lanes <= w.size(); i += lanes)
      for (std::size_t j = 0; j < lanes; ++j) sums[j] += scale * w[i + j];
    scale += 1;
    float all = 0;
    for (const float sum : sums) all += sum;
    sink = all;
  };
}

std::function<void()> lstmOf(int n, int width) {
  return [n, width, w = numbers(4ull * n * width), r = numbers(4ull * n * n), b = numbers(4ull * n), x = numbers(width),
          d = numbers(n), h = std::vector<float>(n), c = std::vector<float>(n),
          gates = std::vector<float>(4ull * n)]() mutable {
    gates = b;
    addProduct(gates.data(), x.data(), w.data(), width, 4 * n);
    addProduct(gates.data(), h.data(), r.data(), n, 4 * n);
    for (int i = 0; i < n; ++i) {
      c[i] = sigmoid(gates[n + i]) * c[i] + sigmoid(gates[i]) * std::tanh(gates[2 * n + i]);
      h[i] = sigmoid(gates[3 * n + i]) * std::tanh(c[i]);
    }
    float sample = h[0];
    if (width == 1)
      for (int i = 0; i < n; ++i) sample += h[i] * d[i];
    sink = sample;
  };
}

std::function<void()> lstm(int n) { return lstmOf(n, n); }
std::function<void()> sample(int n) { return lstmOf(n, 1); }

std::function<void()> gru(int n) {
  return
      [n, w = numbers(3ull * n * n), r = numbers(3ull * n * n), b = numbers(3ull * n), x = numbers(n),
       h = std::vector<float>(n), gates = std::vector<float>(3ull * n), own = std::vector<float>(3ull * n)]() mutable {
        gates = b;
        own = b;
        addProduct(gates.data(), x.data(), w.data(), n, 3 * n);
        addProduct(own.data(), h.data(), r.data(), n, 3 * n);
        for (int i = 0; i < n; ++i) {
          const float z = sigmoid(gates[i] + own[i]), reset = sigmoid(gates[n + i] + own[n + i]);
          h[i] = z * h[i] + (1 - z) * std::tanh(gates[2 * n + i] + reset * own[2 * n + i]);
        }
        sink = h[0];
      };
}

// A causal convolution over 3 frames, which are kept in a ring.
std::function<void()> conv(int n) {
  return [n, w = numbers(3ull * n * n), b = numbers(n), x = numbers(n), ring = std::vector<float>(3ull * n),
          sums = std::vector<float>(n), at = 0]() mutable {
    std::copy(x.begin(), x.end(), ring.begin() + at * n);
    sums = b;
    for (int tap = 0; tap < 3; ++tap)
      addProduct(sums.data(), ring.data() + (at + 1 + tap) % 3 * n, w.data() + tap * n * n, n, n);
    for (float& sum : sums) sum = std::max(sum, 0.0F);
    at = (at + 1) % 3;
    sink = sums[0];
  };
}

}  // namespace

int main(int count, char** words) {
  struct Row {
    std::string_view name;
    std::function<void()> (*make)(int);
  };
  constexpr Row table[] = {{"weights", weights}, {"lstm", lstm}, {"sample", sample}, {"gru", gru}, {"conv", conv}};
  for (const Row& row : table)
    if (count == 3 && row.name == words[1] && std::atoi(words[2]) > 0) {
      std::printf("%.4f\n", microsecondsOf(row.make(std::atoi(words[2]))));
      return 0;
    }
  std::fputs("stream_peer weights|lstm|sample|gru|conv SIZE\n", stderr);
  return 2;
}
