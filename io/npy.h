// NumPy's `.npy`: one array per file. Versions 1 to 3, either byte order, C and Fortran order; bf16 as ml_dtypes writes
// it (`<V2`, `bfloat16`). Text, objects, complex numbers and records are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensor_file.h"

namespace axle {

extern const FileFormat npyFormat;

struct NpyHeader {
  Elem elem = Elem::f32;
  bool bigEndian = false;
  bool fortranOrder = false;
  std::vector<std::uint64_t> shape;
  std::size_t dataOffset = 0;
  std::size_t dataBytes = 0;
};

// Returns the offset of the data, given the first 12 bytes of a file. The error is a FileError's `what`.
tl::expected<std::size_t, std::string> npyDataOffset(std::span<const std::byte> head);

// Parses the header at the start of `file`, which must contain the whole header but need not contain the data.
tl::expected<NpyHeader, std::string> parseNpyHeader(std::span<const std::byte> file);

// Converts the data after a header to row-major little-endian bytes. `data` has header.dataBytes bytes and lives as
// long as `owner`; the result shares them if they need no change.
tl::expected<TensorBytes, std::string> normaliseNpyData(const NpyHeader& header, std::span<const std::byte> data,
                                                        std::shared_ptr<const void> owner);

struct NpyArray {
  Elem elem = Elem::f32;
  std::vector<std::uint64_t> shape;
  TensorBytes data;
};

FileResult<NpyArray> readNpy(const std::string& path);

// Writes an array; `bytes` are as in TensorBytes. The file appears whole or not at all.
FileResult<void> writeNpy(const std::string& path, Elem elem, std::span<const std::uint64_t> shape,
                          std::span<const std::byte> bytes);

}  // namespace axle
