// Writes a file so that it appears whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/file_error.h"

namespace axle {

// Writes the pieces one after another to a new file next to `path`, makes sure that it is on the disk, then renames it
// to `path`. After an error, the old file is unchanged and no other file is left behind. Keeps the permissions of the
// old file and follows symbolic links. Writes a device or pipe in place.
FileResult<void> writeWholeFile(const std::string& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace axle
