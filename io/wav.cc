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

}  // namespace

FileResult<Wav> readWav(const std::string& path) {
  auto file = mapFile(path);
  if (!file) return tl::unexpected(file.error());
  std::span<const std::byte> data = file->bytes;
  if (!isWord(data, 0, "RIFF") || !isWord(data, 8, "WAVE")) return fileError(path, "it is no RIFF/WAVE file");
  constexpr std::size_t chunkHead = 8, formatBytes = 16, pcm = 1, extensible = 0xfffe;
  Wav wav;
  bool hasFormat = false;
  for (std::size_t at = 12; at + chunkHead <= data.size();) {
    const std::size_t size = number(data.data() + at + 4, 4), body = at + chunkHead;
    if (isWord(data, at, "fmt ")) {
      if (size < formatBytes || body + formatBytes > data.size()) return fileError(path, "its format is cut off");
      const std::byte* format = data.data() + body;
      const std::uint32_t kind = number(format, 2), bits = number(format + 14, 2);
      wav.channels = number(format + 2, 2);
      wav.rate = number(format + 4, 4);
      if ((kind != pcm && kind != extensible) || bits != 16 || wav.channels == 0)
        return fileError(path, "its samples are not 16-bit PCM");
      hasFormat = true;
    } else if (isWord(data, at, "data")) {
      if (!hasFormat) return fileError(path, "its samples stand before their format");
      const std::size_t bytes = std::min(size, data.size() - body);
      wav.frames = bytes / (2 * wav.channels);
      wav.samples = std::make_shared<std::vector<float>>(wav.frames * wav.channels);
      for (std::size_t i = 0; i < wav.samples->size(); ++i)
        (*wav.samples)[i] =
            static_cast<float>(static_cast<std::int16_t>(number(data.data() + body + 2 * i, 2))) / 32768;
      return wav;
    }
    if (size > data.size() - body) break;
    at = body + size + size % 2;
  }
  return fileError(path, "it has no samples");
}

}  // namespace axle
