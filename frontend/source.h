// Source texts and places in them. A span is a half-open range of bytes of one source.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

struct SourceId {
  std::uint32_t index = 0;
  friend bool operator==(SourceId, SourceId) = default;
};

struct Span {
  SourceId source;
  std::uint32_t begin = 0;  // byte offsets, the end is exclusive
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// Returns the smallest span that contains both; they must be of one source.
Span join(Span a, Span b);

// Lines and columns count from 1; columns in code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A text made to print a graph, with one node on each line.
struct Listing {
  std::string text;
  std::vector<std::string> nodes;  // by line
};

// Owns the texts of all sources of one run. Views stay valid as long as the map lives, or until `keep` drops their
// source.
class SourceMap {
 public:
  // `path` is what diagnostics print. Callers must refuse sources of 2^31 bytes or more.
  SourceId add(std::string path, std::string text);
  SourceId add(std::string path, Listing listing);
  // Drops all sources except these. `add` reuses the ids of dropped sources, so callers must not keep them.
  void keep(const std::vector<SourceId>& ids);
  // Replaces the text that diagnostics show for a parsed source. The new text must be as long as the old one.
  void show(SourceId id, std::string text);

  std::string_view path(SourceId id) const { return sources_[id.index].path; }
  std::string_view text(SourceId id) const { return sources_[id.index].text; }
  std::string_view text(Span span) const;
  Position position(SourceId id, std::uint32_t offset) const;
  // The text of a line (from 1) without its line break.
  std::string_view line(SourceId id, std::uint32_t number) const;
  // The node of a listing at this offset; empty for other sources.
  std::string_view node(SourceId id, std::uint32_t offset) const;
  bool isListing(SourceId id) const { return !sources_[id.index].nodes.empty(); }
  std::size_t size() const { return sources_.size(); }
  std::size_t heldBytes() const { return heldBytes_; }

 private:
  struct Source {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> lineStarts;
    std::vector<std::string> nodes;
  };
  static std::size_t heldBytes(const Source& source);

  std::deque<Source> sources_;
  std::vector<std::uint32_t> free_;  // of `sources_`
  std::size_t heldBytes_ = 0;
};

}  // namespace axle
