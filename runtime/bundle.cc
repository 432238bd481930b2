#include "runtime/bundle.h"

#include <unistd.h>

#include <cstring>
#include <limits>
#include <utility>

#include "io/joined.h"
#include "io/mapped_file.h"
#include "runtime/bundle_format.h"
#include "runtime/manifest.h"

namespace axle::runtime {
namespace {

std::uint64_t memoryOfMachine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

Result<std::shared_ptr<const Bundle>> loadBundle(const std::string& path, const LoadOptions& options) {
  auto file = mapFile(path);
  if (!file) return failure(ErrorCode::cannotRead, describe(file.error()));
  auto bundle = loadBundle(file->bytes, file->owner, options);
  if (!bundle) bundle.error().message = joined({path, ": ", bundle.error().message});
  return bundle;
}

Result<std::shared_ptr<const Bundle>> loadBundle(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                                 const LoadOptions& options) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % tensorAlignment != 0) {
    auto copy = Tensor::makeUnset(Elem::u8, {static_cast<std::int64_t>(bytes.size())});
    if (!copy) return tl::unexpected(std::move(copy.error()));
    std::memcpy(copy->bytes().data(), bytes.data(), bytes.size());
    auto kept = std::make_shared<Tensor>(std::move(*copy));
    bytes = kept->bytes();
    owner = std::move(kept);
  }
  auto sections = readBundleFrame(bytes, options.verifyChecksums);
  if (!sections) return tl::unexpected(std::move(sections.error()));
  auto manifest = manifest::readManifest(sections->manifest, sections->debug);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  auto bundle = std::make_shared<Bundle>();
  bundle->owner = std::move(owner);
  bundle->bytes = bytes, bundle->weights = sections->weights, bundle->debug = sections->debug;
  bundle->threads = manifest->threads;
  bundle->stream = manifest->stream;
  bundle->maxArenaBytes = options.maxArenaBytes != 0 ? options.maxArenaBytes : memoryOfMachine();
  auto variants = makeVariants(std::move(*manifest), sections->weights.size());
  if (!variants) return tl::unexpected(std::move(variants.error()));
  bundle->variants = std::move(*variants);
  return bundle;
}

}  // namespace axle::runtime
