#include "frontend/source.h"

#include <algorithm>

namespace axle {

namespace {
constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";  // not shown and not counted as a column
}

Span join(Span a, Span b) { return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

SourceId SourceMap::add(std::string path, std::string text) {
  SourceId id{static_cast<std::uint32_t>(sources_.size())};
  if (free_.empty()) {
    sources_.emplace_back();
  } else {
    id.index = free_.back();
    free_.pop_back();
  }
  sources_[id.index].path = std::move(path);
  show(id, std::move(text));
  heldBytes_ += heldBytes(sources_[id.index]);
  return id;
}

std::size_t SourceMap::heldBytes(const Source& source) {
  return sizeof source + source.path.size() + source.text.size() + source.lineStarts.size() * sizeof(std::uint32_t);
}

void SourceMap::keep(const std::vector<SourceId>& ids) {
  std::vector<bool> isKept(sources_.size());
  for (SourceId id : ids) isKept[id.index] = true;
  free_.clear();
  heldBytes_ = 0;
  for (std::size_t i = sources_.size(); i-- > 0;) {
    if (isKept[i]) {
      heldBytes_ += heldBytes(sources_[i]);
    } else {
      sources_[i] = {};
      free_.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

void SourceMap::show(SourceId id, std::string text) {
  Source& source = sources_[id.index];
  source.text = std::move(text);
  source.lineStarts = {0};
  const std::string& bytes = source.text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n' || (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')))
      source.lineStarts.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

SourceId SourceMap::add(std::string path, Listing listing) {
  SourceId id = add(std::move(path), std::move(listing.text));
  sources_[id.index].nodes = std::move(listing.nodes);
  return id;
}

std::string_view SourceMap::node(SourceId id, std::uint32_t offset) const {
  const std::vector<std::string>& nodes = sources_[id.index].nodes;
  if (nodes.empty()) return {};
  std::size_t line = position(id, offset).line - 1;
  return line < nodes.size() ? std::string_view(nodes[line]) : std::string_view();
}

std::string_view SourceMap::text(Span span) const {
  std::string_view whole = text(span.source);
  std::size_t begin = std::min<std::size_t>(span.begin, whole.size());
  std::size_t end = std::clamp<std::size_t>(span.end, begin, whole.size());
  return whole.substr(begin, end - begin);
}

Position SourceMap::position(SourceId id, std::uint32_t offset) const {
  const Source& source = sources_[id.index];
  offset = std::min(offset, static_cast<std::uint32_t>(source.text.size()));
  auto after = std::upper_bound(source.lineStarts.begin(), source.lineStarts.end(), offset);
  auto line = static_cast<std::uint32_t>(after - source.lineStarts.begin());
  Position position{line, 1};
  std::uint32_t start = source.lineStarts[line - 1];
  if (line == 1 && source.text.starts_with(byteOrderMark)) start = byteOrderMark.size();
  for (std::uint32_t i = start; i < offset; ++i)
    if ((static_cast<unsigned char>(source.text[i]) & 0xc0) != 0x80) ++position.column;
  return position;
}

std::string_view SourceMap::line(SourceId id, std::uint32_t number) const {
  const Source& source = sources_[id.index];
  if (number < 1 || number > source.lineStarts.size()) return {};
  std::size_t begin = source.lineStarts[number - 1];
  std::size_t end = number < source.lineStarts.size() ? source.lineStarts[number] : source.text.size();
  std::string_view line = std::string_view(source.text).substr(begin, end - begin);
  if (line.starts_with(byteOrderMark) && begin == 0) line.remove_prefix(byteOrderMark.size());
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace axle
