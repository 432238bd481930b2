#include "tools/lsp/text.h"

#include <algorithm>

namespace axle::lsp {

namespace {

// The width of the UTF-8 character that begins with a byte. A byte that begins no character counts as one.
struct Width {
  std::uint32_t bytes, units;
};
Width widthOf(unsigned char lead, Encoding encoding) {
  std::uint32_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return {bytes, encoding == Encoding::utf8 ? bytes : bytes == 4 ? 2u : 1u};
}

}  // namespace

void Text::findLines() {
  lineStarts_ = {0};
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    if (bytes_[i] == '\n' || (bytes_[i] == '\r' && (i + 1 == bytes_.size() || bytes_[i + 1] != '\n')))
      lineStarts_.push_back(static_cast<std::uint32_t>(i + 1));
}

std::uint32_t Text::offset(Place place, Encoding encoding) const {
  auto size = static_cast<std::uint32_t>(bytes_.size());
  if (place.line >= lineStarts_.size()) return size;
  std::uint32_t at = lineStarts_[place.line];
  for (std::uint32_t units = 0; at < size && units < place.character && bytes_[at] != '\n' && bytes_[at] != '\r';) {
    Width width = widthOf(static_cast<unsigned char>(bytes_[at]), encoding);
    if (units + width.units > place.character) break;  // within a character: its begin
    units += width.units;
    at = std::min(at + width.bytes, size);
  }
  return at;
}

Place Text::place(std::uint32_t offset, Encoding encoding) const {
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  Place place{static_cast<std::uint32_t>(after - lineStarts_.begin()) - 1, 0};
  for (std::uint32_t at = lineStarts_[place.line]; at < offset;) {
    Width width = widthOf(static_cast<unsigned char>(bytes_[at]), encoding);
    if (at + width.bytes > offset) break;
    place.character += width.units;
    at += width.bytes;
  }
  return place;
}

void Text::replace(std::uint32_t begin, std::uint32_t end, std::string_view with) {
  end = std::max(begin, end);
  bytes_.replace(begin, end - begin, with);
  findLines();
}

}  // namespace axle::lsp
