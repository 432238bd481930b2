#include "io/tensor_file.h"

#include <algorithm>
#include <limits>

#include "io/mapped_file.h"
#include "io/npy.h"
#include "io/safetensors.h"

namespace axle {
namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string formatNames(std::span<const FileFormat> formats) {
  std::string names;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) names += i + 1 == formats.size() ? " or " : ", ";
    names += formats[i].name;
  }
  return names;
}

}  // namespace

FileResult<std::size_t> TensorFile::find(std::string_view name) const {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  for (const UnreadableTensor& tensor : unreadable)
    if (tensor.name == name) return fileError(path, tensor.why, tensor.name);
  return fileError(path, "the file has no tensor of that name", std::string(name));
}

FileResult<TensorBytes> TensorFile::read(std::string_view name) const {
  return find(name).and_then([&](std::size_t index) { return readAt(index); });
}

std::span<const FileFormat> plainFormats() {
  static const FileFormat formats[] = {npyFormat, safetensorsFormat};
  return formats;
}

FileResult<TensorFile> openTensorFile(const std::string& path, std::span<const FileFormat> formats) {
  const auto head = readHead(path, 16);
  if (!head) return tl::unexpected(head.error());
  const auto bytes = std::as_bytes(std::span(*head));
  for (const FileFormat& format : formats)
    if (format.recognises(bytes)) return format.open(path);
  for (const FileFormat& format : formats)
    if (endsWith(path, format.extension)) return format.open(path);
  return fileError(path, "is not a file of tensors: expected " + formatNames(formats));
}

FileResult<TensorFile> openTensorFile(const std::string& path) { return openTensorFile(path, plainFormats()); }

std::optional<std::size_t> tensorByteCount(Elem elem, std::span<const std::uint64_t> shape) {
  if (shape.size() > mostAxes) return std::nullopt;
  constexpr auto limit = static_cast<std::uint64_t>(
      std::min<std::uint64_t>(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::ptrdiff_t>::max()));
  std::uint64_t total = info(elem).bytes;
  bool empty = total == 0;
  if (empty) total = 1;
  for (const std::uint64_t size : shape) {
    if (size == 0) {
      empty = true;
    } else {
      if (total > limit / size) return std::nullopt;
      total *= size;
    }
  }
  return empty ? 0 : static_cast<std::size_t>(total);
}

bool areBools(std::span<const std::byte> bytes) {
  std::byte all{0};
  for (const std::byte byte : bytes) all |= byte;
  return (all & ~std::byte{1}) == std::byte{0};
}

std::string typeText(Elem elem, std::span<const std::uint64_t> shape) {
  std::string text(info(elem).name);
  text += " [";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace axle
