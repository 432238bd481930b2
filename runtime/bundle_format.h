// The frame of a bundle file (`.axb`): a header with a section table, then sections at multiples of 64 bytes.
// All numbers are little endian.
//
//   0  magic "AXB1"      4  u32 version       8  u32 number of sections   12  u32 CRC-32 of the header, this field as 0
//  16  u64 file bytes   24  u64 zero
//  32  per section, 32 bytes: u32 kind, u32 CRC-32 of its bytes, u64 offset, u64 bytes, u64 zero
//
// The header has 128 bytes; bytes after the table are zero. Sections do not overlap; the gaps between them are zero.
// The table's rows are manifest, weights and, unless it is stripped, debug; in the file the debug section (`debug.h`)
// follows the manifest, and the weights come last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/error.h"

namespace axle::runtime {

inline constexpr std::uint32_t bundleVersion = 3;
inline constexpr std::size_t bundleAlignment = 64;
inline constexpr std::size_t bundleHeaderBytes = 128;

enum class SectionKind : std::uint32_t { manifest = 1, weights = 2, debug = 3 };

// CRC-32 (polynomial 0xEDB88320 reflected) of `bytes`, continuing from the checksum of what came before.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

constexpr std::uint64_t alignUp(std::uint64_t offset) {
  return (offset + bundleAlignment - 1) / bundleAlignment * bundleAlignment;
}

// For writers: the header of a bundle whose manifest begins at `bundleHeaderBytes`. The debug section, if it has bytes,
// and the weights follow, each at the next multiple of 64; the weights end the file.
struct SectionSum {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};
constexpr std::uint64_t debugOffset(std::uint64_t manifestBytes) { return alignUp(bundleHeaderBytes + manifestBytes); }
constexpr std::uint64_t weightsOffset(std::uint64_t manifestBytes, std::uint64_t debugBytes) {
  return alignUp(debugOffset(manifestBytes) + debugBytes);
}
std::array<std::byte, bundleHeaderBytes> bundleHeader(SectionSum manifest, SectionSum debug, SectionSum weights);

struct BundleSections {
  std::span<const std::byte> manifest;
  std::span<const std::byte> weights;
  std::span<const std::byte> debug;  // empty if it is stripped
};

// For readers: checks magic, version, sizes, bounds and (if asked) checksums.
Result<BundleSections> readBundleFrame(std::span<const std::byte> file, bool verifyChecksums);

}  // namespace axle::runtime
