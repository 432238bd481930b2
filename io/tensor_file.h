// Files of tensors. Opening a file reads only names, element types and shapes; the bytes of a tensor are read or mapped
// on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/elem.h"
#include "io/file_error.h"

namespace axle {

inline constexpr std::size_t mostAxes = 64;  // of a tensor in a file

struct TensorInfo {
  std::string name;
  Elem elem = Elem::f32;
  std::vector<std::uint64_t> shape;
  std::size_t bytes = 0;  // the shape's product times the element's size
};

// The data of a tensor: row-major, little-endian; a bool is 0 or 1. `bytes` stays valid as long as `owner` lives, also
// after the file is closed, and may be unaligned. The contract does not cover a mapped file that another process
// shortens meanwhile.
struct TensorBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

// A tensor in the file that cannot be read (text, objects, an unsupported element type). The error is reported only
// when the tensor is read.
struct UnreadableTensor {
  std::string name;
  std::string why;
};

struct TensorFile {
  std::string path;
  std::string_view format;  // `npy`, `safetensors`, `npz`
  std::vector<TensorInfo> tensors;
  std::vector<UnreadableTensor> unreadable;
  // Returns the bytes of tensors[index]. Call it from one thread at a time.
  std::function<FileResult<TensorBytes>(std::size_t index)> readAt;

  // Returns the index in `tensors`. Fails if there is no tensor of that name or it cannot be read.
  FileResult<std::size_t> find(std::string_view name) const;
  FileResult<TensorBytes> read(std::string_view name) const;
};

struct FileFormat {
  std::string_view name;
  std::string_view extension;                           // with its dot
  bool (*recognises)(std::span<const std::byte> head);  // by the first 16 bytes, or all of a shorter file
  FileResult<TensorFile> (*open)(const std::string& path);
};

// Returns the formats of this library: npy and safetensors. io/npz.h adds npz where libzip is available.
std::span<const FileFormat> plainFormats();

// Opens a file in the format that its content shows, or else its extension.
FileResult<TensorFile> openTensorFile(const std::string& path, std::span<const FileFormat> formats);
FileResult<TensorFile> openTensorFile(const std::string& path);

// Returns the number of bytes of a tensor; none if the rank is above 64 or a product overflows 63 bits. A size of 0
// does not hide an overflow of the other sizes, so strides can be computed safely.
std::optional<std::size_t> tensorByteCount(Elem elem, std::span<const std::uint64_t> shape);

// Whether each byte is 0 or 1.
bool areBools(std::span<const std::byte> bytes);

// `f32 [2, 3]`
std::string typeText(Elem elem, std::span<const std::uint64_t> shape);

}  // namespace axle
