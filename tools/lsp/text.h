// A text with positions as editors count them: lines and characters from 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace axle::lsp {

// The units that `Place::character` counts.
enum class Encoding { utf8, utf16 };

struct Place {
  std::uint32_t line = 0, character = 0;
};

class Text {
 public:
  Text() = default;
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) { findLines(); }

  const std::string& bytes() const { return bytes_; }
  // A place beyond the end of its line, or of the text, means that end.
  std::uint32_t offset(Place place, Encoding encoding) const;
  Place place(std::uint32_t offset, Encoding encoding) const;
  void replace(std::uint32_t begin, std::uint32_t end, std::string_view with);
  std::size_t lines() const { return lineStarts_.size(); }

 private:
  void findLines();

  std::string bytes_;
  std::vector<std::uint32_t> lineStarts_{0};
};

}  // namespace axle::lsp
