#include "io/whole_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace axle {
namespace {

tl::unexpected<FileError> cannotWrite(const std::string& path) {
  return fileError(path, std::string("cannot write: ") + std::strerror(errno));
}

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return true;
}

// A file of more bytes goes to the disk while it is written, so that little is left for `fsync`.
constexpr std::size_t stretch = std::size_t{8} << 20;

// Reserves the space at once, which makes writing cheaper, where the file system can. False if there is too little.
bool reserve(int fd, std::uint64_t bytes) {
  return bytes < stretch || ::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0 ||
         (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
}

// Writes all pieces and closes the file. With `onDisk`, returns after the bytes are on the disk, so that a file renamed
// afterwards is whole even if the machine stops.
bool writePieces(int fd, std::span<const std::span<const std::byte>> pieces, bool onDisk) {
  std::uint64_t total = 0, written = 0, started = 0;
  for (const auto& piece : pieces) total += piece.size();
  bool good = !onDisk || reserve(fd, total);
  for (std::span<const std::byte> rest : pieces)
    while (good && !rest.empty()) {
      const auto part = rest.first(std::min(rest.size(), stretch));
      good = writeAll(fd, part);
      rest = rest.subspan(part.size());
      written += part.size();
      if (!onDisk || written - started < stretch) continue;
      // Its failure is one of the disk, which `fsync` reports.
      ::sync_file_range(fd, static_cast<off_t>(started), static_cast<off_t>(written - started), SYNC_FILE_RANGE_WRITE);
      started = written;
    }
  good = good && (!onDisk || ::fsync(fd) == 0);
  const int error = errno;
  const bool closed = ::close(fd) == 0;
  if (!good) errno = error;
  return good && closed;
}

std::string followLinks(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string target(real);
  std::free(real);
  return target;
}

// Creates a new file next to `target`, with a unique name.
int createBeside(const std::string& target, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = target + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

FileResult<void> writeWholeFile(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
  const std::string target = followLinks(path);
  struct stat status{};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return fileError(path, "cannot write: it is a folder");
  if (exists && !S_ISREG(status.st_mode)) {
    const int fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || !writePieces(fd, pieces, false)) return cannotWrite(path);
    return {};
  }
  std::string temporary;
  const int fd = createBeside(target, temporary);
  if (fd < 0 && errno == ENOENT) return fileError(path, "cannot write: there is no such folder");
  if (fd < 0) return cannotWrite(path);
  if (exists) ::fchmod(fd, status.st_mode & 07777);
  if (!writePieces(fd, pieces, true) || ::rename(temporary.c_str(), target.c_str()) != 0) {
    const auto error = cannotWrite(path);
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

}  // namespace axle
