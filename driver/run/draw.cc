#include "driver/run/draw.h"

#include <cstring>

#include "driver/run/split_mix64.h"
#include "io/half.h"

namespace axle::run {
namespace {

class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t input) : random_(SplitMix64::mix(SplitMix64::mix(seed) + input)) {}

  std::uint64_t bits(int count) { return random_.next() >> (64 - count); }

  // Returns a multiple of 2^(1 - count) in [-1, 1).
  double unit(int count) {
    const auto half = static_cast<double>(std::uint64_t{1} << (count - 1));
    return static_cast<double>(bits(count)) / half - 1.0;
  }

 private:
  SplitMix64 random_;
};

std::uint16_t f16(Stream& stream) { return f16FromF32(static_cast<float>(stream.unit(11))); }
std::uint16_t bf16(Stream& stream) { return bf16FromF32(static_cast<float>(stream.unit(8))); }
float f32(Stream& stream) { return static_cast<float>(stream.unit(24)); }
double f64(Stream& stream) { return stream.unit(53); }
std::uint8_t boolean(Stream& stream) { return static_cast<std::uint8_t>(stream.bits(1)); }
template <class T>
T integer(Stream& stream) {
  return static_cast<T>(stream.bits(2));
}

template <auto next>
void fill(Stream& stream, std::span<std::byte> bytes) {
  using T = decltype(next(stream));
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = next(stream);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

void fillNone(Stream&, std::span<std::byte>) {}

constexpr void (*fills[elemCount])(Stream&, std::span<std::byte>) = {
    fill<f16>,
    fill<bf16>,
    fill<f32>,
    fill<f64>,
    fill<integer<std::int8_t>>,
    fill<integer<std::int16_t>>,
    fill<integer<std::int32_t>>,
    fill<integer<std::int64_t>>,
    fill<integer<std::uint8_t>>,
    fill<integer<std::uint16_t>>,
    fill<integer<std::uint32_t>>,
    fill<integer<std::uint64_t>>,
    fill<boolean>,
    fillNone,
};

}  // namespace

void draw(Elem elem, std::uint64_t seed, std::uint64_t input, std::span<std::byte> bytes) {
  Stream stream(seed, input);
  fills[static_cast<int>(elem)](stream, bytes);
}

}  // namespace axle::run
