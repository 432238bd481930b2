// Recognises files that are given as a model but cannot be read as one: what they are, and what the user can do with
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace axle {

// Where a file of a kind is refused: as any model, or only as a graph, because a source or a bundle can begin with the
// same bytes.
enum class ForeignAs : std::uint8_t { model, graph };

struct ForeignFile {
  ForeignAs as;
  std::string_view what;  // what the file is; continues a sentence that begins with the path
  std::string_view help;  // empty if there is nothing to suggest
};

// The number of a file's first bytes that determine its kind.
inline constexpr std::size_t foreignHeadBytes = 512;

// Returns the kind of a file by its first bytes. Null if they are unknown.
const ForeignFile* foreignByContents(std::string_view head);
// Returns the kind of a file by its extension. Null if that is unknown.
const ForeignFile* foreignByName(std::string_view path);

}  // namespace axle
