// A checkpoint: `PREFIX.index` says where in `PREFIX.data-00000-of-00002` each tensor lies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/tensor.h"
#include "io/file_error.h"

namespace axle::tensorflow {

class Checkpoint {
 public:
  // A part of a tensor, as `save/RestoreV2/shape_and_slices` asks for one: for each dimension where it begins and how
  // long it is (-1: all).
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
    std::vector<Slice> slices;  // where the tensor was saved in parts; those are entries of their own
  };

  // Reads the index. What is wrong with a data file is found when it is wanted.
  static FileResult<Checkpoint> open(const std::string& prefix);

  const std::string& indexFile() const { return indexFile_; }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view key) const;
  // That the bytes of a tensor are there: cheap, no bytes are read.
  FileResult<void> check(const std::string& key) const;
  // The whole tensor, checked against its checksum.
  FileResult<Tensor> read(const std::string& key) const;
  // A part of it.
  FileResult<Tensor> read(const std::string& key, const Slice& slice) const;

 private:
  std::string shardFile(std::int32_t shard) const;
  // What `check` asks of a tensor that is stored in one piece, and of one that is stored in parts.
  FileResult<void> checkData(const std::string& key, const Entry& entry) const;
  FileResult<void> checkSlices(const std::string& key, const Entry& entry, std::int64_t count) const;
  FileResult<Tensor> readPlain(const std::string& key, const Entry& entry) const;
  FileResult<Tensor> readSlices(const std::string& key, const Entry& entry) const;

  std::string prefix_, indexFile_;
  std::int32_t shards_ = 1;
  std::map<std::string, Entry> entries_;
};

// `7 16 0,4:0,16`: the whole tensor's sizes, then the part; none for the empty text, which asks for all.
FileResult<std::optional<Checkpoint::Slice>> parseSlice(const std::string& file, std::string_view text);

}  // namespace axle::tensorflow
