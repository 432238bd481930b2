#include "backend/bundle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "backend/codes.h"
#include "backend/manifest.h"
#include "runtime/bundle_format.h"

namespace axle {

namespace {

constexpr std::array<std::byte, runtime::bundleAlignment> zeros{};

TensorBytes gap(std::size_t bytes) { return {nullptr, std::span(zeros.data(), bytes)}; }

std::size_t elementBytes(const ir::Constant& constant) {
  std::size_t bytes = info(constant.elem).bytes;
  for (std::int64_t size : constant.shape) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

// The bytes of every constant; none with diagnostics, one for each tensor that cannot be had.
std::optional<std::vector<TensorBytes>> constantBytes(const ir::Model& model,
                                                      const std::vector<ir::ConstantId>& constants,
                                                      const WeightBytes& weights, Diagnostics& diagnostics) {
  std::vector<TensorBytes> all;
  bool complete = true;
  auto refuse = [&](const DiagnosticCode& code, std::string message, Label primary, std::string help) {
    Diagnostic d;
    d.code = &code;
    d.message = std::move(message);
    d.primary = std::move(primary);
    if (!help.empty()) d.help.push_back(std::move(help));
    diagnostics.push_back(std::move(d));
    complete = false;
  };
  for (ir::ConstantId id : constants) {
    const ir::Constant& constant = model[id];
    if (!constant.weight) {
      all.push_back({constant.bytes, std::span(constant.bytes->data(), constant.bytes->size())});
      continue;
    }
    const ir::Weight& weight = model.weights[*constant.weight];
    if (!weights) {
      refuse(codes::missingWeights, "the parameter `" + weight.parameter + "` has no value",
             {weight.span, "declared here"}, "give the weights with --weights FILE, or --weights random to try it");
      continue;
    }
    FileResult<TensorBytes> bytes = weights(*constant.weight, constant);
    if (!bytes)
      refuse(codes::unreadableWeight,
             "the tensor of the parameter `" + weight.parameter + "` cannot be read: " + bytes.error().what,
             {ArtifactPlace{bytes.error().path, bytes.error().tensor}, ""}, "");
    else if (bytes->bytes.size() != elementBytes(constant))
      refuse(codes::changedWeight,
             "the tensor of the parameter `" + weight.parameter + "` has another size than its type",
             {weight.span, "declared here"}, "");
    else
      all.push_back(std::move(*bytes));
  }
  if (!complete) return std::nullopt;
  return all;
}

}  // namespace

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
    ::operator delete (const_cast<void*>(p), std::align_val_t{runtime::bundleAlignment});
  });
  std::byte* at = memory;
  for (std::span<const std::byte> piece : pieces()) at = std::copy(piece.begin(), piece.end(), at);
  return {std::move(owner), std::span<const std::byte>(memory, size)};
}

std::optional<Bundle> makeBundle(const ir::Model& model, const Interface& interface, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics) {
  std::vector<ir::ConstantId> constants = usedConstants(model);
  auto bytes = constantBytes(model, constants, weights, diagnostics);
  if (!bytes) return std::nullopt;
  Bundle out;
  std::vector<ConstantPlace> places;
  std::uint64_t offset = 0;
  std::vector<TensorBytes> section;
  for (TensorBytes& tensor : *bytes) {
    std::uint64_t start = runtime::alignUp(offset);
    if (start != offset) section.push_back(gap(start - offset));
    places.push_back({start, tensor.bytes.size()});
    offset = start + tensor.bytes.size();
    section.push_back(std::move(tensor));
  }
  auto manifest = makeManifest(model, interface, sources, constants, places, diagnostics);
  if (!manifest) return std::nullopt;
  std::uint32_t weightsCrc = 0;
  for (const TensorBytes& piece : section) weightsCrc = runtime::crc32(piece.bytes, weightsCrc);
  auto manifestBytes = std::as_bytes(std::span(*manifest));
  auto header = runtime::bundleHeader(manifest->size(), runtime::crc32(manifestBytes), offset, weightsCrc);
  out.head.assign(header.begin(), header.end());
  out.head.insert(out.head.end(), manifestBytes.begin(), manifestBytes.end());
  out.head.resize(runtime::weightsOffset(manifest->size()));
  out.weights = std::move(section);
  return out;
}

}  // namespace axle
