#include "import/tensorflow/reader/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "checkpoint.pb.h"
#include "import/tensorflow/reader/convert.h"
#include "import/tensorflow/reader/sorted_table.h"
#include "io/mapped_file.h"

namespace axle::tensorflow {

namespace {

std::string_view textOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

// ---- keys of parts: numbers and names are written so that sorting their bytes sorts them (TensorFlow's OrderedCode)

void writeNumber(std::string& out, std::uint64_t number) {
  std::string digits;
  for (; number; number >>= 8) digits.insert(digits.begin(), static_cast<char>(number & 255));
  out += static_cast<char>(digits.size());
  out += digits;
}

void writeName(std::string& out, std::string_view name) {
  for (char c : name) {
    out += c;
    if (c == '\0') out += '\xff';
    if (c == '\xff') out += '\0';
  }
  out += std::string_view("\0\1", 2);
}

// Writes a signed integer. Its first bits give the number of bytes, in unary.
void writeSigned(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  int width = 0;
  while (width < 64 && bits >> width) ++width;
  const int length = std::min(10, width / 7 + 1);
  std::string bytes(10, value < 0 ? '\xff' : '\0');
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(9 - i)] = static_cast<char>(value >> (8 * i));
  bytes = bytes.substr(static_cast<std::size_t>(10 - length));
  const unsigned header = (0xffffU << (16 - length)) & 0xffffU;  // `length` ones
  bytes[0] = static_cast<char>(bytes[0] ^ static_cast<char>(header >> 8));
  if (length > 1) bytes[1] = static_cast<char>(bytes[1] ^ static_cast<char>(header & 255));
  out += bytes;
}

std::string keyOfSlice(std::string_view name, const Checkpoint::Slice& slice) {
  std::string key;
  writeNumber(key, 0);
  writeName(key, name);
  writeNumber(key, slice.size());
  for (const Checkpoint::Extent& extent : slice) {
    writeSigned(key, extent.start);
    writeSigned(key, extent.length);
  }
  return key;
}

// ---- parts of tensors

// Returns the slice with all lengths filled in. None if it is not within the shape.
std::optional<Checkpoint::Slice> sliceWithin(Checkpoint::Slice slice, const std::vector<std::int64_t>& shape) {
  if (slice.size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    auto& [start, length] = slice[i];
    if (length < 0 && start == 0) length = shape[i];
    if (start < 0 || length < 0 || start > shape[i] || length > shape[i] - start) return std::nullopt;
  }
  return slice;
}

// Calls `copy(inWhole, inPart, bytes)` for each run of bytes that is contiguous in both the part, which is stored
// without gaps, and the whole tensor.
template <class Copy>
void forEachRun(const Checkpoint::Slice& slice, const std::vector<std::int64_t>& shape, std::size_t each,
                const Copy& copy) {
  const std::size_t rank = shape.size();
  std::size_t run = each, at = 0;
  std::vector<std::size_t> strides(rank);
  std::size_t stride = each;
  for (std::size_t i = rank; i-- > 0; stride *= static_cast<std::size_t>(shape[i])) strides[i] = stride;
  if (rank > 0) run = static_cast<std::size_t>(slice[rank - 1].length) * each;
  for (const Checkpoint::Extent& extent : slice)
    if (extent.length == 0) return;
  std::vector<std::int64_t> index(rank, 0);
  for (;;) {
    std::size_t whole = 0;
    for (std::size_t i = 0; i < rank; ++i) whole += static_cast<std::size_t>(slice[i].start + index[i]) * strides[i];
    copy(whole, at, run);
    at += run;
    std::size_t i = rank > 0 ? rank - 1 : 0;
    while (i-- > 0) {
      if (++index[i] < slice[i].length) break;
      index[i] = 0;
    }
    if (i == static_cast<std::size_t>(-1)) return;
  }
}

std::int64_t countOf(const Checkpoint::Slice& slice) {
  std::int64_t count = 1;
  for (const Checkpoint::Extent& extent : slice) count *= extent.length;
  return count;
}

}  // namespace

// ---- the index

FileResult<Checkpoint> Checkpoint::open(const std::string& prefix) {
  Checkpoint checkpoint;
  checkpoint.prefix_ = prefix;
  checkpoint.indexFile_ = prefix + ".index";
  const std::string& file = checkpoint.indexFile_;
  auto mapped = mapFile(file);
  if (!mapped) {
    auto plain = mapFile(prefix);
    if (plain && isSortedTable(textOf(*plain)))
      return fileError(prefix,
                       "is a checkpoint of TensorFlow's first format, one file without an index; save it again");
    return tl::unexpected(mapped.error());
  }
  auto table = readSortedTable(textOf(*mapped));
  if (!table) return fileError(file, "the index of the checkpoint is damaged: " + table.error());
  for (const auto& [key, value] : *table) {
    if (key.empty()) {
      wire::BundleHeaderProto header;
      if (!header.ParseFromString(value) || header.num_shards() < 1) return fileError(file, "the header is damaged");
      if (header.endianness() != 0) return fileError(file, "the checkpoint was written on a big-endian machine");
      checkpoint.shards_ = header.num_shards();
      continue;
    }
    wire::BundleEntryProto message;
    if (!message.ParseFromString(value)) return fileError(file, "the entry is damaged", key);
    auto shape = shapeOf(message.shape());
    if (!shape) return fileError(file, shape.error(), key);
    Entry entry{typeNumbered(message.dtype()),
                shape->sizes,
                message.shard_id(),
                message.offset(),
                message.size(),
                message.crc32c(),
                {}};
    for (const auto& slice : message.slices()) {
      entry.slices.emplace_back();
      for (const auto& extent : slice.extent())
        entry.slices.back().push_back({extent.start(), extent.has_length() ? extent.length() : -1});
    }
    checkpoint.entries_.emplace(key, std::move(entry));
  }
  return checkpoint;
}

const Checkpoint::Entry* Checkpoint::find(std::string_view key) const {
  const auto found = entries_.find(std::string(key));
  return found == entries_.end() ? nullptr : &found->second;
}

std::string Checkpoint::shardFile(std::int32_t shard) const {
  return fmt::format("{}.data-{:05}-of-{:05}", prefix_, shard, shards_);
}

// ---- tensors

namespace {

// The end of each part in the data files, by file and start offset.
using DataRanges = std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t>;

bool overlap(const DataRanges& ranges) {
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const auto& range, const auto& next) {
           return range.first.first == next.first.first && range.second > next.first.second;
         }) != ranges.end();
}

std::uint64_t endOf(const Checkpoint::Entry& entry) {
  return static_cast<std::uint64_t>(entry.offset) + static_cast<std::uint64_t>(entry.size);
}

}  // namespace

FileResult<void> Checkpoint::check(const std::string& key) const {
  const Entry* entry = find(key);
  if (!entry) return fileError(indexFile_, "the checkpoint has no such key", key);
  const auto count = elementCount(entry->type, entry->shape);
  if (entry->type == Type::invalid || !count)
    return fileError(
        indexFile_,
        fmt::format("the entry has the impossible type {} [{}]", spelling(entry->type), fmt::join(entry->shape, ", ")),
        key);
  return entry->slices.empty() ? checkData(key, *entry) : checkSlices(key, *entry, *count);
}

FileResult<void> Checkpoint::checkSlices(const std::string& key, const Entry& entry, std::int64_t count) const {
  std::int64_t covered = 0;
  DataRanges ranges;
  for (const Slice& slice : entry.slices) {
    const auto known = sliceWithin(slice, entry.shape);
    const Entry* part = known ? find(keyOfSlice(key, slice)) : nullptr;
    if (!part) return fileError(indexFile_, "a part of the tensor is not there", key);
    if (part->type != entry.type || !part->slices.empty() || elementCount(part->type, part->shape) != countOf(*known))
      return fileError(indexFile_, "a part of the tensor has another size than its place", key);
    if (auto there = checkData(key, *part); !there) return there;
    covered = std::min(covered + countOf(*known), count + 1);
    if (part->size > 0 && !ranges.emplace(std::pair(part->shard, part->offset), part->offset + part->size).second)
      return fileError(indexFile_, "two parts of the tensor have the same data", key);
  }
  if (overlap(ranges)) return fileError(indexFile_, "two parts of the tensor have the same data", key);
  if (covered != count) return fileError(indexFile_, "the parts of the tensor do not make up the whole", key);
  return {};
}

FileResult<void> Checkpoint::checkData(const std::string& key, const Entry& entry) const {
  const auto count = elementCount(entry.type, entry.shape);
  const auto each = static_cast<std::int64_t>(info(entry.type).bytes);
  if (entry.shard < 0 || entry.shard >= shards_ || entry.offset < 0 || entry.size < 0 || !count ||
      (each > 0 && entry.size != *count * each))
    return fileError(indexFile_, "the entry is damaged", key);
  const std::string file = shardFile(entry.shard);
  const auto mapped = mapShard(entry.shard);
  if (!mapped) return fileError(file, "the data of the checkpoint are missing: " + mapped.error().what, key);
  const std::size_t there = mapped->bytes.size();
  if (endOf(entry) > there)
    return fileError(
        file, fmt::format("the data of the checkpoint are cut off: {} bytes of {}", there, dataBytes(entry.shard)),
        key);
  return {};
}

std::uint64_t Checkpoint::dataBytes(std::int32_t shard) const {
  std::uint64_t bytes = 0;
  for (const auto& [_, entry] : entries_)
    if (entry.shard == shard && entry.offset >= 0 && entry.size >= 0) bytes = std::max(bytes, endOf(entry));
  return bytes;
}

FileResult<MappedFile> Checkpoint::mapShard(std::int32_t shard) const {
  if (const auto known = mapped_.find(shard); known != mapped_.end()) return known->second;
  auto mapped = mapFile(shardFile(shard));
  if (mapped) mapped_.emplace(shard, *mapped);
  return mapped;
}

FileResult<std::string_view> Checkpoint::dataOf(const std::string& key, const Entry& entry) const {
  if (auto there = checkData(key, entry); !there) return tl::unexpected(there.error());
  const auto mapped = mapShard(entry.shard);
  if (!mapped) return tl::unexpected(mapped.error());
  const std::string_view bytes =
      textOf(*mapped).substr(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.size));
  if (entry.type != Type::string && masked(crc32c(bytes)) != entry.crc)
    return fileError(shardFile(entry.shard), "the checksum of the data is wrong", key);
  return bytes;
}

FileResult<TensorBytes> Checkpoint::bytes(const std::string& key) const {
  if (auto there = check(key); !there) return tl::unexpected(there.error());
  const Entry& entry = *find(key);
  if (!entry.slices.empty()) {
    auto whole = readSlices(key, entry);
    if (!whole) return tl::unexpected(whole.error());
    return bytesOf(std::make_shared<const Tensor>(std::move(*whole)));
  }
  if (entry.type == Type::string) return fileError(indexFile_, "a tensor of text has no numbers", key);
  const auto bytes = dataOf(key, entry);
  if (!bytes) return tl::unexpected(bytes.error());
  return TensorBytes{mapped_.at(entry.shard).owner, std::as_bytes(std::span(*bytes))};
}

FileResult<Tensor> Checkpoint::readPlain(const std::string& key, const Entry& entry) const {
  const auto data = dataOf(key, entry);
  if (!data) return tl::unexpected(data.error());
  std::string_view bytes = *data;
  Tensor tensor{entry.type, entry.shape, elementCount(entry.type, entry.shape).value_or(0), {}, {}};
  if (entry.type != Type::string) {
    tensor.bytes = bytes;
    return tensor;
  }
  const std::string file = shardFile(entry.shard);
  // Strings are stored as all lengths, a checksum of the lengths, then all bytes.
  std::vector<std::uint64_t> lengths;
  for (std::int64_t i = 0; i < tensor.count; ++i) {
    lengths.push_back(0);
    if (!takeVarint(bytes, lengths.back())) return fileError(file, "the strings are damaged", key);
  }
  if (bytes.size() < 4) return fileError(file, "the strings are damaged", key);
  bytes.remove_prefix(4);
  for (std::uint64_t length : lengths) {
    if (length > bytes.size()) return fileError(file, "the strings are damaged", key);
    tensor.strings.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return tensor;
}

FileResult<Tensor> Checkpoint::readSlices(const std::string& key, const Entry& entry) const {
  Tensor whole{entry.type, entry.shape, elementCount(entry.type, entry.shape).value_or(0), {}, {}};
  const std::size_t each = info(entry.type).bytes;
  if (each == 0) return fileError(indexFile_, "a tensor of " + spelling(entry.type) + " in parts is not read", key);
  whole.bytes.resize(static_cast<std::size_t>(whole.count) * each);
  for (const Slice& slice : entry.slices) {
    auto part = readPlain(key, *find(keyOfSlice(key, slice)));
    if (!part) return part;
    forEachRun(*sliceWithin(slice, entry.shape), entry.shape, each,
               [&](std::size_t inWhole, std::size_t inPart, std::size_t run) {
                 std::memcpy(whole.bytes.data() + inWhole, part->bytes.data() + inPart, run);
               });
  }
  return whole;
}

FileResult<Tensor> Checkpoint::read(const std::string& key) const {
  if (auto there = check(key); !there) return tl::unexpected(there.error());
  const Entry& entry = *find(key);
  return entry.slices.empty() ? readPlain(key, entry) : readSlices(key, entry);
}

FileResult<Tensor> Checkpoint::read(const std::string& key, const Slice& slice) const {
  auto whole = read(key);
  if (!whole) return whole;
  const auto known = sliceWithin(slice, whole->shape);
  const std::size_t each = info(whole->type).bytes;
  if (!known || each == 0) return fileError(indexFile_, "the part that is asked for is not inside of the tensor", key);
  Tensor part{whole->type, {}, countOf(*known), {}, {}};
  for (const Extent& extent : *known) part.shape.push_back(extent.length);
  part.bytes.resize(static_cast<std::size_t>(part.count) * each);
  forEachRun(*known, whole->shape, each, [&](std::size_t inWhole, std::size_t inPart, std::size_t run) {
    std::memcpy(part.bytes.data() + inPart, whole->bytes.data() + inWhole, run);
  });
  return part;
}

FileResult<std::optional<Checkpoint::Slice>> parseSlice(const std::string& file, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto damaged = [&] { return fileError(file, fmt::format("`{}` is no part of a tensor", text.substr(0, 60))); };
  std::string_view parts = text.substr(text.rfind(' ') == text.npos ? 0 : text.rfind(' ') + 1);
  Checkpoint::Slice slice;
  for (bool more = true; more;) {
    const std::size_t colon = std::min(parts.find(':'), parts.size());
    const std::string_view one = parts.substr(0, colon);
    more = colon < parts.size();
    parts.remove_prefix(std::min(colon + 1, parts.size()));
    slice.emplace_back();
    if (one == "-") continue;
    const char* end = one.data() + one.size();
    const auto first = std::from_chars(one.data(), end, slice.back().start);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ',') return damaged();
    const auto second = std::from_chars(first.ptr + 1, end, slice.back().length);
    if (second.ec != std::errc() || second.ptr != end) return damaged();
  }
  return slice;
}

}  // namespace axle::tensorflow
