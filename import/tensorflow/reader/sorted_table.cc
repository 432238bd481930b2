#include "import/tensorflow/reader/sorted_table.h"

#include <snappy.h>

#include <array>
#include <bit>
#include <cstring>

namespace axle::tensorflow {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t magic = 0xdb4775248b80fb57ULL;
constexpr std::size_t footerBytes = 48;
constexpr std::size_t trailerBytes = 5;  // after a block: its kind of compression, and a checksum

using Result = tl::expected<std::string, std::string>;

template <class T>
T fixed(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

constexpr auto crcTables = [] {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78U : 0);
    tables[0][i] = crc;
  }
  for (std::uint32_t i = 0; i < 256; ++i)
    for (std::size_t k = 1; k < 4; ++k) tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 255];
  return tables;
}();

#ifdef __x86_64__
[[gnu::target("sse4.2")]] std::uint32_t crc32cByInstruction(std::string_view bytes, std::uint32_t before) {
  std::uint64_t crc = ~before;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) crc = __builtin_ia32_crc32di(crc, fixed<std::uint64_t>(bytes, at));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; at < bytes.size(); ++at) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(bytes[at]));
  return ~rest;
}
#endif

struct Handle {
  std::uint64_t offset = 0, size = 0;
};

bool takeHandle(std::string_view& bytes, Handle& handle) {
  return takeVarint(bytes, handle.offset) && takeVarint(bytes, handle.size);
}

Result decompressed(std::string_view bytes) {
  std::size_t length = 0;
  // Three bytes of Snappy expand to at most 64, so a larger length is wrong and is not allocated.
  const bool known = snappy::GetUncompressedLength(bytes.data(), bytes.size(), &length) && length / 32 <= bytes.size();
  std::string plain;
  if (known) plain.resize(length);
  if (!known || !snappy::RawUncompress(bytes.data(), bytes.size(), plain.data()))
    return tl::unexpected<std::string>("a block is not what Snappy writes");
  return plain;
}

Result block(std::string_view file, Handle handle) {
  if (file.size() < trailerBytes || handle.offset > file.size() || handle.size > file.size() - handle.offset ||
      file.size() - handle.offset - handle.size < trailerBytes)
    return tl::unexpected<std::string>("a block ends behind the file");
  const std::string_view bytes =
      file.substr(handle.offset, handle.size + 1);  // the checksum includes the kind of compression
  if (masked(crc32c(bytes)) != fixed<std::uint32_t>(file, handle.offset + handle.size + 1))
    return tl::unexpected<std::string>("the checksum of a block is wrong");
  const std::string_view content = bytes.substr(0, handle.size);
  if (bytes.back() == 0) return std::string(content);
  if (bytes.back() == 1) return decompressed(content);
  return tl::unexpected<std::string>("a block is compressed in an unknown way");
}

// Calls `take(key, value)` for each entry of a block until it returns false. An entry stores the number of bytes that
// its key shares with the start of the previous key, then the rest of the key.
template <class Take>
tl::expected<void, std::string> entries(std::string_view block, const Take& take) {
  const auto damaged = [] { return tl::unexpected<std::string>("a block is damaged"); };
  if (block.size() < 4) return damaged();
  const std::uint64_t restarts = fixed<std::uint32_t>(block, block.size() - 4);
  if (restarts > (block.size() - 4) / 4) return damaged();
  std::string_view rest = block.substr(0, block.size() - 4 - 4 * restarts);
  std::string key;
  while (!rest.empty()) {
    std::uint64_t shared = 0, own = 0, length = 0;
    if (!takeVarint(rest, shared) || !takeVarint(rest, own) || !takeVarint(rest, length)) return damaged();
    if (shared > key.size() || own > rest.size() || length > rest.size() - own) return damaged();
    key.resize(shared);
    key += rest.substr(0, own);
    if (!take(key, rest.substr(own, length))) return damaged();
    rest.remove_prefix(own + length);
  }
  return {};
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#ifdef __x86_64__
  static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (hasInstruction) return crc32cByInstruction(bytes, before);
#endif
  return crc32cByTables(bytes, before);
}

std::uint32_t crc32cByTables(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    crc ^= fixed<std::uint32_t>(bytes, at);
    crc = crcTables[3][crc & 255] ^ crcTables[2][(crc >> 8) & 255] ^ crcTables[1][(crc >> 16) & 255] ^
          crcTables[0][crc >> 24];
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ crcTables[0][(crc ^ static_cast<unsigned char>(bytes[at])) & 255];
  return ~crc;
}

bool takeVarint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool isSortedTable(std::string_view bytes) {
  return bytes.size() >= footerBytes && fixed<std::uint64_t>(bytes, bytes.size() - 8) == magic;
}

tl::expected<std::map<std::string, std::string>, std::string> readSortedTable(std::string_view bytes) {
  if (!isSortedTable(bytes)) return tl::unexpected<std::string>("is no table, or cut off");
  std::string_view footer = bytes.substr(bytes.size() - footerBytes);
  Handle about, index;
  if (!takeHandle(footer, about) || !takeHandle(footer, index))
    return tl::unexpected<std::string>("the end is damaged");
  auto indexBlock = block(bytes, index);
  if (!indexBlock) return tl::unexpected(indexBlock.error());
  std::map<std::string, std::string> table;
  std::string wrong;
  std::uint64_t end = 0;  // of the last block; a block that begins before it would be read twice
  const auto takeEntry = [&](const std::string& key, std::string_view value) {
    table.emplace(key, value);
    return true;
  };
  const auto takeBlock = [&](const std::string&, std::string_view value) {
    Handle handle;
    if (!takeHandle(value, handle) || handle.offset < end) return false;
    auto data = block(bytes, handle);
    if (!data) {
      wrong = data.error();
      return false;
    }
    end = handle.offset + handle.size;
    return entries(*data, takeEntry).has_value();
  };
  if (auto whole = entries(*indexBlock, takeBlock); !whole)
    return tl::unexpected<std::string>(wrong.empty() ? whole.error() : wrong);
  return table;
}

}  // namespace axle::tensorflow
