#include "io/wav.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "io/mapped_file.h"

namespace axle {
namespace {

std::uint32_t number(const std::byte* at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= std::to_integer<std::uint32_t>(at[i]) << (8 * i);
  return value;
}

bool isWord(std::span<const std::byte> data, std::size_t at, std::string_view word) {
  return at + word.size() <= data.size() && std::memcmp(data.data() + at, word.data(), word.size()) == 0;
}

// An encoding of samples, and the function that reads one. Integers are scaled to -1..1; those of 8 bits are unsigned.
struct SampleKind {
  std::uint32_t code, bits;
  float (*read)(const std::byte* at);
};

// Programs that write a header before they know the length, to a pipe, state one near the largest.
constexpr std::size_t leastUnknownBytes = 0x7f000000;

constexpr std::uint32_t pcm = 1, ieeeFloat = 3, extensible = 0xfffe;

template <int Bytes>
float readInteger(const std::byte* at) {
  const auto aligned = static_cast<std::int32_t>(number(at, Bytes) << (32 - 8 * Bytes));  // the top bit is its sign
  return static_cast<float>(static_cast<double>(aligned) / 2147483648.0);
}

float readUnsigned(const std::byte* at) {
  return static_cast<float>(static_cast<std::int32_t>(number(at, 1)) - 128) / 128;
}

template <typename T>
float readFloat(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<float>(value);
}

constexpr SampleKind sampleKinds[] = {
    {pcm, 8, readUnsigned},    {pcm, 16, readInteger<2>},         {pcm, 24, readInteger<3>},
    {pcm, 32, readInteger<4>}, {ieeeFloat, 32, readFloat<float>}, {ieeeFloat, 64, readFloat<double>},
};

// Returns the kind of samples that a `fmt ` chunk states; null if the table does not have it.
const SampleKind* sampleKindOf(std::span<const std::byte> format) {
  constexpr std::size_t subformatAt = 24;
  std::uint32_t code = number(format.data(), 2);
  const std::uint32_t bits = number(format.data() + 14, 2);
  if (code == extensible) code = format.size() >= subformatAt + 2 ? number(format.data() + subformatAt, 2) : pcm;
  for (const SampleKind& kind : sampleKinds)
    if (kind.code == code && kind.bits == bits) return &kind;
  return nullptr;
}

}  // namespace

FileResult<Wav> readWav(const std::string& path) {
  auto file = mapFile(path);
  if (!file) return tl::unexpected(file.error());
  std::span<const std::byte> data = file->bytes;
  if (!isWord(data, 0, "RIFF") || !isWord(data, 8, "WAVE")) return fileError(path, "it is not a RIFF/WAVE file");
  constexpr std::size_t chunkHead = 8, formatBytes = 16;
  Wav wav;
  const SampleKind* kind = nullptr;
  for (std::size_t at = 12; at + chunkHead <= data.size();) {
    const std::size_t size = number(data.data() + at + 4, 4), body = at + chunkHead;
    if (isWord(data, at, "fmt ")) {
      if (size < formatBytes || body + formatBytes > data.size()) return fileError(path, "its format is cut off");
      const auto format = data.subspan(body, std::min(size, data.size() - body));
      wav.channels = number(format.data() + 2, 2);
      wav.rate = number(format.data() + 4, 4);
      kind = sampleKindOf(format);
      if (kind == nullptr || wav.channels == 0)
        return fileError(path, "its samples are neither PCM of 8, 16, 24 or 32 bits nor floats of 32 or 64 bits");
      if (wav.rate == 0) return fileError(path, "its sample rate is 0");
    } else if (isWord(data, at, "data")) {
      if (kind == nullptr) return fileError(path, "its samples come before their format");
      const std::size_t bytes = std::min(size, data.size() - body), width = kind->bits / 8;
      wav.frames = bytes / (width * wav.channels);
      if (size < leastUnknownBytes) wav.lost = size / (width * wav.channels) - wav.frames;
      wav.samples = std::make_shared<std::vector<float>>(wav.frames * wav.channels);
      for (std::size_t i = 0; i < wav.samples->size(); ++i)
        (*wav.samples)[i] = kind->read(data.data() + body + width * i);
      return wav;
    }
    if (size > data.size() - body) break;
    at = body + size + size % 2;
  }
  return fileError(path, "it has no samples");
}

}  // namespace axle
