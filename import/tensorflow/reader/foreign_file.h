// Files that are given as a model and hold none that can be read: what they are, and what to do with them.
#pragma once

#include <cstddef>
#include <string_view>

#include "frontend/message.h"

namespace axle::tensorflow {

// Where a file of a kind is foreign: as any model, or only as a graph, since a source or a bundle can begin with the
// same bytes.
enum class ForeignAs : std::uint8_t { model, graph };

struct ForeignFile {
  ForeignAs as;
  Format<> what;  // follows the path
  Format<> help;  // empty where there is nothing to suggest
};

// How many of a file's first bytes tell its kind.
inline constexpr std::size_t foreignHeadBytes = 512;

// The kind of a file by its first bytes. Null where these are not of a known kind.
const ForeignFile* foreignByContents(std::string_view head);
// The kind of a file by the end of its name. Null where that is not of a known kind.
const ForeignFile* foreignByName(std::string_view path);

}  // namespace axle::tensorflow
