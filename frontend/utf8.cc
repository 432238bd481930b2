#include "frontend/utf8.h"

#include <algorithm>
#include <iterator>

namespace axle {

namespace {

struct Range {
  std::uint32_t first, last;
};

// Blocks of combining marks and zero-width characters.
constexpr Range zeroWidth[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},   {0x064b, 0x065f}, {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093a, 0x093a}, {0x0941, 0x0948},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},   {0x2060, 0x2064}, {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

// Blocks that terminals show two columns wide.
constexpr Range doubleWidth[] = {
    {0x1100, 0x115f}, {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x2614, 0x2615},
    {0x2e80, 0x303e}, {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97f}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

template <std::size_t n>
bool within(const Range (&ranges)[n], std::uint32_t codePoint) {
  const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), codePoint,
                                        [](std::uint32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && codePoint <= std::prev(after)->last;
}

}  // namespace

CodePoint codePointAt(std::string_view text, std::size_t offset) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xc2 && lead < 0xe0 ? 2
                                                     : 0;
  if (length == 0 || offset + length > text.size()) return {0xfffd, 1};
  std::uint32_t value = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0xfffd, 1};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  static constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {0xfffd, 1};
  return {value, length};
}

std::size_t validUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    CodePoint point = codePointAt(text, at);
    if (point.value == 0xfffd && point.bytes == 1) return at;
    at += point.bytes;
  }
  return at;
}

int displayWidth(std::uint32_t codePoint) {
  if (codePoint < 0x300) return 1;
  if (within(zeroWidth, codePoint)) return 0;
  return within(doubleWidth, codePoint) ? 2 : 1;
}

std::size_t columnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    CodePoint point = codePointAt(text, at);
    columns += static_cast<std::size_t>(displayWidth(point.value));
    at += point.bytes;
  }
  return columns;
}

}  // namespace axle
