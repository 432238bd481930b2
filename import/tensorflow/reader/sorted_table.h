// The index of a checkpoint: a table of LevelDB's format (sorted keys in blocks, perhaps compressed by Snappy). Every
// length is checked before it is used, so that memory stays in proportion to the file; LevelDB's own reader trusts
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace axle::tensorflow {

// All keys with their values, or what is wrong with the bytes.
tl::expected<std::map<std::string, std::string>, std::string> readSortedTable(std::string_view bytes);

// Whether the bytes end as such a table does.
bool isSortedTable(std::string_view bytes);

// CRC-32C, and its form in files that hold such sums themselves.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);
constexpr std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

// A number of 7 bits a byte, low ones first; taken off `bytes`. None where the bytes end before it.
bool takeVarint(std::string_view& bytes, std::uint64_t& number);

}  // namespace axle::tensorflow
