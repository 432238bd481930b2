// Reads sorted tables in LevelDB's format, such as the index of a checkpoint: blocks of sorted keys with values,
// possibly compressed by Snappy. Checks every length before it is used, so memory stays in proportion to the size of
// the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace axle::tensorflow {

// Returns all keys with their values. The error says what is wrong with the bytes.
tl::expected<std::map<std::string, std::string>, std::string> readSortedTable(std::string_view bytes);

// Whether the bytes end with the footer of such a table.
bool isSortedTable(std::string_view bytes);

// Returns the CRC-32C of `bytes`, continued from the sum of the bytes before them; `masked` is the form stored in
// files.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);
// The same on any processor, at a fifth of the speed of the instruction that some have for it.
std::uint32_t crc32cByTables(std::string_view bytes, std::uint32_t before = 0);
constexpr std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

// Moves an integer from the front of `bytes` to `number`: 7 bits in each byte, the lowest first. Returns false if the
// bytes end within it.
bool takeVarint(std::string_view& bytes, std::uint64_t& number);

}  // namespace axle::tensorflow
