#include "backend/bundle.h"

#include <algorithm>
#include <new>

#include "backend/constants.h"
#include "backend/debug.h"
#include "backend/manifest.h"
#include "backend/stream.h"
#include "runtime/bundle_format.h"

namespace axle {

std::vector<std::span<const std::byte>> Bundle::pieces() const {
  std::vector<std::span<const std::byte>> all{head};
  for (const TensorBytes& piece : weights)
    if (!piece.bytes.empty()) all.push_back(piece.bytes);
  return all;
}

std::size_t Bundle::bytes() const {
  std::size_t sum = 0;
  for (std::span<const std::byte> piece : pieces()) sum += piece.size();
  return sum;
}

TensorBytes Bundle::inMemory() const {
  constexpr std::align_val_t alignment{runtime::bundleAlignment};
  std::size_t size = bytes();
  auto* memory = static_cast<std::byte*>(::operator new(std::max<std::size_t>(size, 1), alignment));
  std::shared_ptr<const void> owner(memory, [](const void* p) {
    ::operator delete(const_cast<void*>(p), std::align_val_t{runtime::bundleAlignment});
  });
  std::byte* at = memory;
  for (std::span<const std::byte> piece : pieces()) at = std::copy(piece.begin(), piece.end(), at);
  return {std::move(owner), std::span<const std::byte>(memory, size)};
}

std::optional<Bundle> makeBundle(std::span<const Variant> variants, const Interface& entry, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics, BundleOptions options,
                                 const ir::StreamNetwork* stream) {
  std::vector<Variant> all(variants.begin(), variants.end());
  if (stream) {
    const std::size_t before = diagnostics.size();
    for (Variant& stage : stageVariants(*stream, diagnostics)) all.push_back(std::move(stage));
    if (diagnostics.size() > before) return std::nullopt;
  }
  std::vector<Program> programs;
  for (const Variant& variant : all) {
    if (!fitsBundle(*variant.model, sources, diagnostics)) return std::nullopt;
    auto program = variant.fuses ? fusedProgram(*variant.model) : plainProgram(*variant.model);
    if (!program) {
      reportTooLarge(diagnostics);
      return std::nullopt;
    }
    programs.push_back(std::move(*program));
  }
  auto constants = placeConstants(all, programs, weights, diagnostics);
  if (!constants) return std::nullopt;
  std::optional<DebugSection> debug;
  if (!options.strip) debug.emplace(sources, all.size());
  auto manifest =
      makeManifest({all, stream}, programs, entry, *constants, options, debug ? &*debug : nullptr, diagnostics);
  if (!manifest) return std::nullopt;
  std::uint32_t weightsCrc = 0;
  for (const TensorBytes& piece : constants->section) weightsCrc = runtime::crc32(piece.bytes, weightsCrc);
  const std::string debugText = debug ? debug->bytes() : "";
  const auto manifestBytes = std::as_bytes(std::span(*manifest)), debugBytes = std::as_bytes(std::span(debugText));
  const auto header =
      runtime::bundleHeader({manifestBytes.size(), runtime::crc32(manifestBytes)},
                            {debugBytes.size(), runtime::crc32(debugBytes)}, {constants->bytes, weightsCrc});
  Bundle out;
  out.head.assign(header.begin(), header.end());
  out.head.insert(out.head.end(), manifestBytes.begin(), manifestBytes.end());
  out.head.resize(runtime::debugOffset(manifestBytes.size()));
  out.head.insert(out.head.end(), debugBytes.begin(), debugBytes.end());
  out.head.resize(runtime::weightsOffset(manifestBytes.size(), debugBytes.size()));
  out.weights = std::move(constants->section);
  return out;
}

std::optional<Bundle> makeBundle(const ir::Model& model, const Interface& interface, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics, BundleOptions options) {
  const Variant only{&model, interface, false};
  return makeBundle({&only, 1}, interface, sources, weights, diagnostics, options);
}

}  // namespace axle
