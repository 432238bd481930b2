// Generates tensors: positions and random bits.
#include <array>

#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

// ints: axis. Every element is its position along the axis.
bool runIota(Step& step, Fault&) {
  const Shape& shape = step.out(0).shape;
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.rank());
  auto* to = step.out(0).as<std::int64_t>();
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t k = 0; k < shape[axis]; ++k)
      for (std::int64_t i = 0; i < inner; ++i) *to++ = k;
  return true;
}

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): returns the first two words of
// the block for a counter and a key.
std::uint64_t philox(std::uint64_t counter, std::uint32_t stream, std::uint64_t key) {
  std::array<std::uint32_t, 4> x{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), stream,
                                 0};
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0], b = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(a)};
  }
  return std::uint64_t{x[1]} << 32 | x[0];
}

// (seed) -> bits; ints: stream. An element's bits depend only on its row-major position, the stream and the seed.
bool runRandomBits(Step& step, Fault&) {
  const std::uint64_t seed = *step.in(0).as<std::uint64_t>();
  const auto stream = static_cast<std::uint32_t>(step.integer(0));
  auto* to = step.out(0).as<std::uint64_t>();
  for (std::int64_t i = 0; i < step.out(0).shape.elements(); ++i)
    to[i] = philox(static_cast<std::uint64_t>(i), stream, seed);
  return true;
}

}  // namespace

const char* prepareIota(Step& step) {
  if (step.out(0).elem != Elem::i64) return "the result is not i64";
  step.kernel = runIota;
  return step.integer(0) < 0 || step.integer(0) >= step.out(0).shape.rank() ? "the axis is out of range" : nullptr;
}

const char* prepareRandomBits(Step& step) {
  if (step.in(0).elem != Elem::u64 || step.out(0).elem != Elem::u64) return "seed and bits are not u64";
  step.kernel = runRandomBits;
  return step.in(0).shape.rank() == 0 ? nullptr : "the seed is not a scalar";
}

}  // namespace axle::runtime
