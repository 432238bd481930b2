#include "io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "io/joined.h"
#include "io/mapped_file.h"
#include "io/safetensors_header.h"
#include "io/whole_file.h"

namespace axle {
namespace {

constexpr std::size_t prefixBytes = 8;
constexpr std::uint64_t maxHeaderBytes = 100'000'000;  // the format's own limit

struct Dtype {
  std::string_view text;
  Elem elem;
};
constexpr Dtype dtypes[] = {
    {"F16", Elem::f16}, {"BF16", Elem::bf16}, {"F32", Elem::f32},      {"F64", Elem::f64}, {"I8", Elem::i8},
    {"I16", Elem::i16}, {"I32", Elem::i32},   {"I64", Elem::i64},      {"U8", Elem::u8},   {"U16", Elem::u16},
    {"U32", Elem::u32}, {"U64", Elem::u64},   {"BOOL", Elem::boolean},
};

std::uint64_t headerBytes(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  for (std::size_t i = prefixBytes; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>(file[i]);
  return length;
}

bool recognises(std::span<const std::byte> head) {
  return head.size() > prefixBytes && static_cast<char>(head[prefixBytes]) == '{' &&
         headerBytes(head) <= maxHeaderBytes;
}

// Checks that the tensors cover the data without gaps or overlaps, as the format requires.
FileResult<void> checkCover(const std::string& path, const std::vector<SafetensorsEntry>& entries,
                            std::uint64_t dataBytes) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries[a].begin, entries[a].end) < std::pair(entries[b].begin, entries[b].end);
  });
  std::uint64_t covered = 0;
  for (const std::size_t i : order) {
    const SafetensorsEntry& entry = entries[i];
    const std::string range = joined({"[", entry.begin, ", ", entry.end, ")"});
    if (entry.begin > entry.end)
      return fileError(path, joined({"its bytes ", range, " end before they begin"}), entry.name);
    if (entry.end > dataBytes)
      return fileError(path, joined({"its bytes ", range, " go beyond the data, which has ", dataBytes, " bytes"}),
                       entry.name);
    if (entry.begin < covered)
      return fileError(path, joined({"its bytes ", range, " overlap another tensor's"}), entry.name);
    if (entry.begin > covered)
      return fileError(path, joined({"there are unused bytes before its bytes ", range}), entry.name);
    covered = entry.end;
  }
  if (covered != dataBytes)
    return fileError(path, joined({"its tensors take ", covered, " bytes, the file has ", dataBytes}));
  return {};
}

FileResult<TensorBytes> readTensor(const std::string& path, const TensorInfo& tensor, std::span<const std::byte> bytes,
                                   const std::shared_ptr<const void>& owner) {
  if (tensor.elem == Elem::boolean && !areBools(bytes))
    return fileError(path, "holds a bool that is neither 0 nor 1", tensor.name);
  return TensorBytes{owner, bytes};
}

const Dtype* dtypeNamed(std::string_view text) {
  const auto found = std::find_if(std::begin(dtypes), std::end(dtypes), [&](const Dtype& d) { return d.text == text; });
  return found == std::end(dtypes) ? nullptr : found;
}

// Divides the entries into readable and unreadable tensors of the file, and returns the bytes of the readable ones.
FileResult<std::vector<std::span<const std::byte>>> takeEntries(TensorFile& file, std::vector<SafetensorsEntry> entries,
                                                                std::span<const std::byte> data) {
  std::vector<std::span<const std::byte>> places;
  for (SafetensorsEntry& entry : entries) {
    const Dtype* dtype = dtypeNamed(entry.dtype);
    if (!dtype) {
      file.unreadable.push_back(
          {std::move(entry.name), joined({"its element type ", entry.dtype, " is not supported"})});
      continue;
    }
    const auto bytes = tensorByteCount(dtype->elem, entry.shape);
    if (bytes != entry.end - entry.begin)
      return fileError(file.path,
                       joined({typeText(dtype->elem, entry.shape), " does not take the ", entry.end - entry.begin,
                               " bytes that the header gives it"}),
                       entry.name);
    places.push_back(data.subspan(static_cast<std::size_t>(entry.begin), *bytes));
    file.tensors.push_back({std::move(entry.name), dtype->elem, std::move(entry.shape), *bytes});
  }
  return places;
}

}  // namespace

const FileFormat safetensorsFormat = {"safetensors", ".safetensors", recognises, openSafetensors};

FileResult<TensorFile> openSafetensors(const std::string& path) {
  auto mapped = mapFile(path);
  if (!mapped) return tl::unexpected(mapped.error());
  const auto bytes = mapped->bytes;
  if (bytes.size() < prefixBytes) return fileError(path, "is truncated: it has no header");
  const std::uint64_t length = headerBytes(bytes);
  if (length > maxHeaderBytes) return fileError(path, joined({"claims a header of ", length, " bytes"}));
  if (length > bytes.size() - prefixBytes) return fileError(path, "is truncated within its header");
  const auto header = bytes.subspan(prefixBytes, static_cast<std::size_t>(length));
  const auto data = bytes.subspan(prefixBytes + header.size());
  if (header.empty() || static_cast<char>(header[0]) != '{')
    return fileError(path, "its header does not begin with '{'");
  auto entries = parseSafetensorsHeader({reinterpret_cast<const char*>(header.data()), header.size()});
  if (!entries) return fileError(path, entries.error().what, entries.error().tensor);
  if (auto covered = checkCover(path, *entries, data.size()); !covered) return tl::unexpected(covered.error());

  TensorFile file;
  file.path = path;
  file.format = "safetensors";
  auto places = takeEntries(file, std::move(*entries), data);
  if (!places) return tl::unexpected(places.error());
  file.readAt = [path, tensors = file.tensors, places = std::move(*places), owner = mapped->owner](std::size_t index) {
    return readTensor(path, tensors[index], places[index], owner);
  };
  return file;
}

FileResult<void> writeSafetensors(const std::string& path, std::span<const TensorToWrite> tensors) {
  std::set<std::string> names;
  std::vector<const TensorToWrite*> order;
  for (const TensorToWrite& tensor : tensors) {
    if (tensorByteCount(tensor.elem, tensor.shape) != tensor.bytes.size() || tensor.elem == Elem::string)
      return fileError(path,
                       joined({"safetensors cannot hold ", typeText(tensor.elem, tensor.shape), " of ",
                               tensor.bytes.size(), " bytes"}),
                       tensor.name);
    if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
      return fileError(path, "safetensors cannot hold a tensor of that name, or not twice", tensor.name);
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const TensorToWrite* a, const TensorToWrite* b) {
    return std::pair(info(b->elem).bytes, std::string_view(a->name)) <
           std::pair(info(a->elem).bytes, std::string_view(b->name));
  });
  auto header = nlohmann::ordered_json::object();
  std::uint64_t at = 0;
  for (const TensorToWrite* tensor : order) {
    const auto dtype =
        std::find_if(std::begin(dtypes), std::end(dtypes), [&](const Dtype& d) { return d.elem == tensor->elem; });
    header[tensor->name] = {
        {"dtype", dtype->text}, {"shape", tensor->shape}, {"data_offsets", {at, at + tensor->bytes.size()}}};
    at += tensor->bytes.size();
  }
  std::string head = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  head.append((8 - head.size() % 8) % 8, ' ');
  std::string prefix;
  for (std::size_t i = 0; i < prefixBytes; ++i)
    prefix += static_cast<char>(static_cast<std::uint64_t>(head.size()) >> (8 * i) & 0xff);
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(prefix)), std::as_bytes(std::span(head))};
  for (const TensorToWrite* tensor : order) pieces.push_back(tensor->bytes);
  return writeWholeFile(path, pieces);
}

}  // namespace axle
