// Writing a file so that it appears whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/file_error.h"

namespace axle {

// Writes the pieces one after another to a new file beside `path`, then renames it there; on an error nothing is left
// behind and what stood at `path` stays. Permissions stay too. A symbolic link is followed. A device or pipe at `path`
// is written in place.
FileResult<void> writeWholeFile(const std::string& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace axle
