// A regular file's bytes, mapped for reading.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "io/file_error.h"

namespace axle {

struct MappedFile {
  std::shared_ptr<const void> owner;  // the last copy unmaps the file
  std::span<const std::byte> bytes;
};

// Maps a file; refuses anything but a regular file. An empty file gives empty bytes.
FileResult<MappedFile> mapFile(const std::string& path);

// Returns the first bytes of a regular file, at most `count`.
FileResult<std::string> readHead(const std::string& path, std::size_t count);

}  // namespace axle
