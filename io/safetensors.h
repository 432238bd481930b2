// The safetensors format: a JSON header, then the tensors' bytes without gaps or overlaps. The file is mapped, so the
// bytes of a tensor are loaded only when they are read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/tensor_file.h"

namespace axle {

extern const FileFormat safetensorsFormat;

FileResult<TensorFile> openSafetensors(const std::string& path);

struct TensorToWrite {
  std::string name;
  Elem elem = Elem::f32;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;  // as in TensorBytes
};

// Writes tensors by falling element size, then by name, so each is aligned to its element. The file appears whole or
// not at all.
FileResult<void> writeSafetensors(const std::string& path, std::span<const TensorToWrite> tensors);

}  // namespace axle
