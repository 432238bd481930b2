// The frame of a bundle file (`.axb`): a header with a section table, then sections at multiples of 64 bytes.
// All numbers are little endian.
//
//   0  magic "AXB1"      4  u32 version       8  u32 number of sections   12  u32 CRC-32 of the header, this field as 0
//  16  u64 file bytes   24  u64 zero
//  32  per section, 32 bytes: u32 kind, u32 CRC-32 of its bytes, u64 offset, u64 bytes, u64 zero
//
// The header has 128 bytes; bytes after the table are zero. Sections do not overlap; the gaps between them are zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/error.h"

namespace axle::runtime {

inline constexpr std::uint32_t bundleVersion = 1;
inline constexpr std::size_t bundleAlignment = 64;
inline constexpr std::size_t bundleHeaderBytes = 128;

enum class SectionKind : std::uint32_t { manifest = 1, weights = 2 };

// CRC-32 (polynomial 0xEDB88320 reflected) of `bytes`, continuing from the checksum of what came before.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

constexpr std::uint64_t alignUp(std::uint64_t offset) {
  return (offset + bundleAlignment - 1) / bundleAlignment * bundleAlignment;
}

// For writers: the header of a bundle whose manifest begins at `bundleHeaderBytes` and has `manifestBytes` bytes, and
// whose weights follow at the next multiple of 64 (`weightsOffset`) and end the file.
constexpr std::uint64_t weightsOffset(std::uint64_t manifestBytes) {
  return alignUp(bundleHeaderBytes + manifestBytes);
}
std::array<std::byte, bundleHeaderBytes> bundleHeader(std::uint64_t manifestBytes, std::uint32_t manifestCrc,
                                                      std::uint64_t weightBytes, std::uint32_t weightsCrc);

struct BundleSections {
  std::span<const std::byte> manifest;
  std::span<const std::byte> weights;
};

// For readers: checks magic, version, sizes, bounds and (if asked) checksums.
Result<BundleSections> readBundleFrame(std::span<const std::byte> file, bool verifyChecksums);

}  // namespace axle::runtime
