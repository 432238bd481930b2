#include "io/npz.h"

#include <zip.h>

#include <algorithm>
#include <unordered_set>

#include "io/npy.h"
#include "io/safetensors.h"

namespace axle {
namespace {

constexpr std::string_view memberExtension = ".npy";
constexpr zip_int64_t maxMembers = 1 << 20;
constexpr std::uint64_t maxInflation = 1032;  // deflate cannot compress better than 1032 to 1
constexpr std::size_t step = 1 << 20;

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Member = std::unique_ptr<zip_file_t, CloseMember>;

// The member of the archive that holds a tensor, after its header was read.
struct Place {
  zip_uint64_t index = 0;
  NpyHeader header;
};

using Checked = tl::expected<void, std::string>;

tl::unexpected<std::string> wrong(std::string what) { return tl::unexpected(std::move(what)); }

// Appends up to `count` bytes. Grows the buffer step by step, so a wrong size in the file does not allocate memory.
Checked readInto(zip_file_t* member, std::vector<std::byte>& data, std::size_t count) {
  while (count > 0) {
    const std::size_t old = data.size(), part = std::min(count, step);
    data.resize(old + part);
    const zip_int64_t got = zip_fread(member, data.data() + old, part);
    if (got < 0) return wrong(std::string("cannot be unpacked: ") + zip_file_strerror(member));
    data.resize(old + static_cast<std::size_t>(got));
    if (got == 0) return wrong("is truncated");
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

Checked checkMember(const zip_stat_t& status) {
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((status.valid & needed) != needed) return wrong("has no size in the archive");
  if (status.encryption_method != ZIP_EM_NONE) return wrong("is encrypted");
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
    return wrong("is packed by method " + std::to_string(status.comp_method) + ", neither stored nor deflated");
  if (status.size / maxInflation > status.comp_size + 1)
    return wrong("claims " + std::to_string(status.size) + " bytes, more than its " + std::to_string(status.comp_size) +
                 " packed ones can hold");
  return {};
}

// Reads a member's npy header without inflating the rest.
tl::expected<Place, std::string> readPlace(zip_t* archive, zip_uint64_t index) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) != 0) return wrong("has no entry in the archive");
  if (auto good = checkMember(status); !good) return tl::unexpected(good.error());
  const Member member(zip_fopen_index(archive, index, 0));
  if (!member) return wrong(std::string("cannot be unpacked: ") + zip_strerror(archive));
  std::vector<std::byte> head;
  if (auto good = readInto(member.get(), head, static_cast<std::size_t>(std::min<std::uint64_t>(12, status.size)));
      !good)
    return tl::unexpected(good.error());
  const auto offset = npyDataOffset(head);
  if (!offset) return tl::unexpected(offset.error());
  if (*offset > head.size())
    if (auto good = readInto(member.get(), head, *offset - head.size()); !good) return tl::unexpected(good.error());
  auto header = parseNpyHeader(head);
  if (!header) return tl::unexpected(header.error());
  if (status.size != std::uint64_t{header->dataOffset} + header->dataBytes)
    return wrong(typeText(header->elem, header->shape) + " takes " + std::to_string(header->dataBytes) +
                 " bytes, the archive has " +
                 std::to_string(status.size - std::min<std::uint64_t>(status.size, header->dataOffset)));
  return Place{index, std::move(*header)};
}

tl::expected<TensorBytes, std::string> unpack(zip_t* archive, const Place& place) {
  const Member member(zip_fopen_index(archive, place.index, 0));
  if (!member) return wrong(std::string("cannot be unpacked: ") + zip_strerror(archive));
  auto data = std::make_shared<std::vector<std::byte>>();
  if (auto good = readInto(member.get(), *data, place.header.dataOffset + place.header.dataBytes); !good)
    return tl::unexpected(good.error());
  // libzip compares the checksum when it reaches the end.
  std::byte beyond{};
  if (zip_fread(member.get(), &beyond, 1) != 0)
    return wrong(std::string("cannot be unpacked: ") + zip_file_strerror(member.get()));
  const auto bytes = std::span<const std::byte>(*data).subspan(place.header.dataOffset);
  return normaliseNpyData(place.header, bytes, std::move(data));
}

bool recognises(std::span<const std::byte> head) {
  constexpr std::string_view local{"PK\x03\x04", 4}, empty{"PK\x05\x06", 4};
  const std::string_view text(reinterpret_cast<const char*>(head.data()), std::min<std::size_t>(4, head.size()));
  return text == local || text == empty;
}

FileResult<std::shared_ptr<zip_t>> openArchive(const std::string& path) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    auto result = fileError(path, std::string("is not a readable archive: ") + zip_error_strerror(&error));
    zip_error_fini(&error);
    return result;
  }
  std::shared_ptr<zip_t> owner(archive, zip_discard);
  if (zip_get_num_entries(archive, 0) > maxMembers) return fileError(path, "has more than 2^20 members");
  return owner;
}

FileResult<TensorFile> openNpz(const std::string& path) {
  auto archive = openArchive(path);
  if (!archive) return tl::unexpected(archive.error());
  TensorFile file;
  file.path = path;
  file.format = "npz";
  std::vector<Place> places;
  std::unordered_set<std::string> names;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive->get(), 0));
  for (zip_uint64_t index = 0; index < count; ++index) {
    const char* raw = zip_get_name(archive->get(), index, ZIP_FL_ENC_RAW);
    if (!raw) return fileError(path, "has a member without a name");
    std::string name(raw);
    const bool isNpy = name.ends_with(memberExtension);
    if (isNpy) name.resize(name.size() - memberExtension.size());
    if (!names.insert(name).second) return fileError(path, "the archive has it twice", name);
    auto place = isNpy ? readPlace(archive->get(), index) : wrong("is not an npy member");
    if (!place) {
      file.unreadable.push_back({std::move(name), std::move(place.error())});
      continue;
    }
    file.tensors.push_back({std::move(name), place->header.elem, place->header.shape, place->header.dataBytes});
    places.push_back(std::move(*place));
  }
  file.readAt = [path, tensors = file.tensors, places = std::move(places),
                 archive = *archive](std::size_t index) -> FileResult<TensorBytes> {
    auto data = unpack(archive.get(), places[index]);
    if (!data) return fileError(path, data.error(), tensors[index].name);
    return std::move(*data);
  };
  return file;
}

}  // namespace

const FileFormat npzFormat = {"npz", ".npz", recognises, openNpz};

std::span<const FileFormat> allFormats() {
  static const FileFormat formats[] = {npyFormat, safetensorsFormat, npzFormat};
  return formats;
}

}  // namespace axle
