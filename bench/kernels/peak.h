// Measures the peak of one core: multiply-accumulates in registers, and copies within the first level of cache.
#pragma once

#include <cstddef>
#include <cstring>
#include <ctime>

namespace axle::bench {

// Processor time of this program, in seconds.
inline double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Returns the best rate of eight tries of half a millisecond; `work` returns how much it did.
template <class Work>
double bestRate(Work work) {
  double best = 0;
  for (int tries = 0; tries < 8; ++tries) {
    const double begin = seconds();
    double done = 0, taken = 0;
    for (; taken < 0.0005; taken = seconds() - begin) done += work();
    best = done / taken > best ? done / taken : best;
  }
  return best;
}

// Runs independent chains of fused multiply-adds in vectors of `bytes` bytes. Returns the number of operations.
template <std::size_t bytes>
[[gnu::always_inline]] inline double multiplyAdds() {
  typedef float Vector __attribute__((vector_size(bytes)));
  constexpr int chains = 12, rounds = 20000;
  Vector sums[chains] = {}, factor = Vector{} + 1.0000001f, term = Vector{} + 1e-9f;
  for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) {
      sums[i] = sums[i] * factor + term;
#if defined(__x86_64__)
      asm volatile("" : "+x"(sums[i]));  // kept in its register
#else
      asm volatile("" : "+w"(sums[i]));
#endif
    }
  return 2.0 * rounds * chains * (bytes / sizeof(float));
}

#if defined(__x86_64__)
[[gnu::target("avx512f"), gnu::optimize("fp-contract=fast")]] inline double multiplyAddsOfAvx512() {
  return multiplyAdds<64>();
}
[[gnu::target("avx2,fma"), gnu::optimize("fp-contract=fast")]] inline double multiplyAddsOfAvx2() {
  return multiplyAdds<32>();
}
#endif

// Returns floating-point operations a second.
inline double peakFlops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return bestRate(multiplyAddsOfAvx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return bestRate(multiplyAddsOfAvx2);
#endif
  return bestRate(multiplyAdds<16>);
}

// Returns bytes a second, counting bytes read and bytes written.
inline double peakCopies() {
  static char from[8192], to[8192];
  return bestRate([] {
    for (int i = 0; i < 400; ++i) {
      std::memcpy(to, from, sizeof(to));
      asm volatile("" : : "r"(to), "r"(from) : "memory");
    }
    return 2.0 * 400 * sizeof(to);
  });
}

}  // namespace axle::bench
