#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

namespace axle {
namespace {

struct Descriptor {
  int fd = -1;
  std::uint64_t size = 0;

  Descriptor(int descriptor, std::uint64_t bytes) : fd(descriptor), size(bytes) {}
  Descriptor(Descriptor&& other) noexcept : fd(other.fd), size(other.size) { other.fd = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

FileResult<Descriptor> openRegular(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), 0);
  if (file.fd < 0) return fileError(path, std::string("cannot open: ") + std::strerror(errno));
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) return fileError(path, std::string("cannot open: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fileError(path, "is a folder");
  if (!S_ISREG(status.st_mode)) return fileError(path, "is not a regular file");
  file.size = static_cast<std::uint64_t>(status.st_size);
  return file;
}

}  // namespace

FileResult<MappedFile> mapFile(const std::string& path) {
  auto file = openRegular(path);
  if (!file) return tl::unexpected(file.error());
  if (file->size == 0) return MappedFile{};
  if (file->size > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    return fileError(path, "is too large for this machine's address space");
  const auto size = static_cast<std::size_t>(file->size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->fd, 0);
  if (address == MAP_FAILED) return fileError(path, std::string("cannot map: ") + std::strerror(errno));
  std::shared_ptr<const void> owner(address, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  return MappedFile{std::move(owner), {static_cast<const std::byte*>(address), size}};
}

FileResult<std::string> readHead(const std::string& path, std::size_t count) {
  auto file = openRegular(path);
  if (!file) return tl::unexpected(file.error());
  std::string head(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got = ::read(file->fd, head.data() + filled, count - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fileError(path, std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  head.resize(filled);
  return head;
}

}  // namespace axle
