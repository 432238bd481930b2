// Reads a checkpoint: `PREFIX.index` says where each tensor is in the data files, such as `PREFIX.data-00000-of-00002`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/tensor.h"
#include "io/file_error.h"
#include "io/mapped_file.h"
#include "io/tensor_file.h"

namespace axle::tensorflow {

class Checkpoint {
 public:
  // One axis of a part of a tensor, as in `save/RestoreV2/shape_and_slices`: start and length (-1: the whole axis).
  struct Extent {
    std::int64_t start = 0, length = -1;
  };
  using Slice = std::vector<Extent>;

  struct Entry {
    Type type = Type::invalid;
    std::vector<std::int64_t> shape;
    std::int32_t shard = 0;
    std::int64_t offset = 0, size = 0;
    std::uint32_t crc = 0;
    std::vector<Slice> slices;  // for a tensor that was saved in parts, each of which has its own entry
  };

  // Reads the index. Data files are opened later, by `check` and `read`.
  static FileResult<Checkpoint> open(const std::string& prefix);

  const std::string& indexFile() const { return indexFile_; }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view key) const;
  // Checks that the data files hold the bytes of a tensor, without reading the bytes.
  FileResult<void> check(const std::string& key) const;
  // Returns the whole tensor after verifying its checksum.
  FileResult<Tensor> read(const std::string& key) const;
  // Returns a part of the tensor.
  FileResult<Tensor> read(const std::string& key, const Slice& slice) const;
  // Returns the bytes of all elements of a tensor of numbers after verifying its checksum, without a copy where they
  // are stored in one piece. Call it from one thread at a time.
  FileResult<TensorBytes> bytes(const std::string& key) const;

 private:
  std::string shardFile(std::int32_t shard) const;
  // Maps a data file, once.
  FileResult<MappedFile> mapShard(std::int32_t shard) const;
  // Returns the bytes of a tensor that is stored in one piece; verifies their checksum unless they are strings.
  FileResult<std::string_view> dataOf(const std::string& key, const Entry& entry) const;
  // Returns how many bytes of a data file the index describes.
  std::uint64_t dataBytes(std::int32_t shard) const;
  // The checks of `check` for a tensor that is stored in one piece, and for one that is stored in parts.
  FileResult<void> checkData(const std::string& key, const Entry& entry) const;
  FileResult<void> checkSlices(const std::string& key, const Entry& entry, std::int64_t count) const;
  FileResult<Tensor> readPlain(const std::string& key, const Entry& entry) const;
  FileResult<Tensor> readSlices(const std::string& key, const Entry& entry) const;

  std::string prefix_, indexFile_;
  std::int32_t shards_ = 1;
  std::map<std::string, Entry> entries_;
  mutable std::map<std::int32_t, MappedFile> mapped_;
};

// Parses `7 16 0,4:0,16`: the sizes of the whole tensor, then the part. An empty text, which means the whole tensor,
// gives none.
FileResult<std::optional<Checkpoint::Slice>> parseSlice(const std::string& file, std::string_view text);

}  // namespace axle::tensorflow
