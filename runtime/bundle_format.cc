#include "runtime/bundle_format.h"

#include <cstring>
#include <string>

#include "io/joined.h"

namespace axle::runtime {
namespace {

constexpr std::size_t fixedBytes = 32;
constexpr std::size_t sectionBytes = 32;
constexpr std::uint32_t strippedSections = 2, allSections = 3;
constexpr char magic[4] = {'A', 'X', 'B', '1'};
constexpr const char* newerNeeded = ": take a newer runtime, or rebuild the bundle";
constexpr const char* damaged = ": the file is damaged, copy or build it again";

// Slicing by 4: table[k] is the effect of a byte that k other bytes follow.
struct CrcTables {
  std::uint32_t table[4][256];
};

CrcTables makeCrcTables() {
  CrcTables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    t.table[0][i] = crc;
  }
  for (int k = 1; k < 4; ++k)
    for (std::uint32_t i = 0; i < 256; ++i)
      t.table[k][i] = (t.table[k - 1][i] >> 8) ^ t.table[0][t.table[k - 1][i] & 0xFF];
  return t;
}

template <class T>
T readLittle(const std::byte* p) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(std::to_integer<std::uint8_t>(p[i])) << (8 * i);
  return value;
}

template <class T>
void writeLittle(std::byte* p, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<std::byte>((value >> (8 * i)) & 0xFF);
}

void writeSection(std::byte* p, SectionKind kind, SectionSum sum, std::uint64_t offset) {
  writeLittle(p, static_cast<std::uint32_t>(kind));
  writeLittle(p + 4, sum.crc);
  writeLittle(p + 8, offset);
  writeLittle(p + 16, sum.bytes);
}

std::uint32_t headerCrc(std::span<const std::byte> header) {
  std::array<std::byte, bundleHeaderBytes> copy;
  std::memcpy(copy.data(), header.data(), copy.size());
  writeLittle<std::uint32_t>(copy.data() + 12, 0);
  return crc32(copy);
}

Result<std::span<const std::byte>> readSection(std::span<const std::byte> file, std::uint32_t index, SectionKind kind,
                                               const char* name, bool verifyChecksums) {
  const std::byte* entry = file.data() + fixedBytes + index * sectionBytes;
  const auto offset = readLittle<std::uint64_t>(entry + 8);
  const auto bytes = readLittle<std::uint64_t>(entry + 16);
  if (readLittle<std::uint32_t>(entry) != static_cast<std::uint32_t>(kind))
    return failure(ErrorCode::inconsistent, joined({"the bundle's section table has no ", name, " where it belongs"}));
  if (offset % bundleAlignment != 0 || offset < bundleHeaderBytes)
    return failure(ErrorCode::inconsistent, joined({"the offset of the bundle's ", name, " is ", offset,
                                                    ", not a multiple of 64 after the header"}));
  if (offset > file.size() || bytes > file.size() - offset)
    return failure(ErrorCode::truncated, joined({"the end of the bundle's ", name,
                                                 " is outside of the file, which has ", file.size(), " bytes"}));
  const auto section = file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  if (verifyChecksums && crc32(section) != readLittle<std::uint32_t>(entry + 4))
    return failure(ErrorCode::checksum, joined({"the checksum of the bundle's ", name, " does not match", damaged}));
  return section;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  static const CrcTables tables = makeCrcTables();  // computed by the first call: it would be 4 KB of the program
  std::uint32_t crc = ~before;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 4; left -= 4, p += 4) {
    crc ^= readLittle<std::uint32_t>(p);
    crc = tables.table[3][crc & 0xFF] ^ tables.table[2][(crc >> 8) & 0xFF] ^ tables.table[1][(crc >> 16) & 0xFF] ^
          tables.table[0][crc >> 24];
  }
  for (; left > 0; --left, ++p) crc = (crc >> 8) ^ tables.table[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 0xFF];
  return ~crc;
}

std::array<std::byte, bundleHeaderBytes> bundleHeader(SectionSum manifest, SectionSum debug, SectionSum weights) {
  std::array<std::byte, bundleHeaderBytes> header{};
  std::memcpy(header.data(), magic, sizeof magic);
  const std::uint64_t debugBegin = debugOffset(manifest.bytes), begin = weightsOffset(manifest.bytes, debug.bytes);
  writeLittle(header.data() + 4, bundleVersion);
  writeLittle(header.data() + 8, debug.bytes > 0 ? allSections : strippedSections);
  writeLittle(header.data() + 16, begin + weights.bytes);
  std::byte* row = header.data() + fixedBytes;
  writeSection(row, SectionKind::manifest, manifest, bundleHeaderBytes);
  writeSection(row + sectionBytes, SectionKind::weights, weights, begin);
  if (debug.bytes > 0) writeSection(row + 2 * sectionBytes, SectionKind::debug, debug, debugBegin);
  writeLittle(header.data() + 12, headerCrc(header));
  return header;
}

Result<BundleSections> readBundleFrame(std::span<const std::byte> file, bool verifyChecksums) {
  if (file.size() < sizeof magic || std::memcmp(file.data(), magic, sizeof magic) != 0)
    return failure(ErrorCode::notABundle, "not a bundle: it does not begin with AXB1");
  if (file.size() < bundleHeaderBytes)
    return failure(ErrorCode::truncated, joined({"the bundle ends in its header: it has ", file.size(), " bytes"}));
  const auto version = readLittle<std::uint32_t>(file.data() + 4);
  if (version > bundleVersion)
    return failure(ErrorCode::otherVersion,
                   joined({"the bundle has version ", version, ", this runtime reads ", bundleVersion, newerNeeded}));
  if (version != bundleVersion)
    return failure(ErrorCode::otherVersion,
                   joined({"this bundle has version ", version, "; rebuild it with this axc (axc build)"}));
  if (verifyChecksums && headerCrc(file.first(bundleHeaderBytes)) != readLittle<std::uint32_t>(file.data() + 12))
    return failure(ErrorCode::checksum, joined({"the checksum of the bundle's header does not match", damaged}));
  const auto promised = readLittle<std::uint64_t>(file.data() + 16);
  if (promised != file.size())
    return failure(ErrorCode::truncated,
                   joined({"the bundle should have ", promised, " bytes, and has ", file.size()}));
  const auto sections = readLittle<std::uint32_t>(file.data() + 8);
  if (sections != strippedSections && sections != allSections)
    return failure(ErrorCode::inconsistent, "the bundle's section table does not have its two or three rows");
  auto manifest = readSection(file, 0, SectionKind::manifest, "manifest", verifyChecksums);
  if (!manifest) return tl::unexpected(manifest.error());
  auto weights = readSection(file, 1, SectionKind::weights, "weights", verifyChecksums);
  if (!weights) return tl::unexpected(weights.error());
  if (sections == strippedSections) return BundleSections{*manifest, *weights, {}};
  auto debug = readSection(file, 2, SectionKind::debug, "names", verifyChecksums);
  if (!debug) return tl::unexpected(debug.error());
  return BundleSections{*manifest, *weights, *debug};
}

}  // namespace axle::runtime
