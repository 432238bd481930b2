#include "backend/offsets.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bundle.pb.h"
#include "runtime/bind.h"
#include "runtime/plan.h"
#include "runtime/variants.h"

namespace axle {

namespace {

// Zeros in place of the weights, on which plans do not depend. Their memory is never read, so the system never
// allocates it.
class Zeros {
 public:
  explicit Zeros(std::uint64_t bytes) : memory_(std::calloc(bytes + 1, 1), std::free), bytes_(bytes) {}
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(memory_.get()), memory_ ? bytes_ : 0};
  }
  bool fits() const { return memory_ != nullptr; }

 private:
  std::unique_ptr<void, void (*)(void*)> memory_;
  std::uint64_t bytes_;
};

void copyOffsets(const runtime::BoundGraph& bound, const runtime::manifest::Manifest& read, bundle::Manifest& program) {
  const bool isMain = bound.graph == &read.graph;
  bundle::Graph& graph =
      isMain ? *program.mutable_graph() : *program.mutable_bodies(static_cast<int>(bound.graph - read.bodies.data()));
  if (graph.offsets().empty())  // a body may be bound several times, with the same sizes
    for (std::uint32_t offset : runtime::offsetsOf(bound)) graph.add_offsets(offset);
  for (const runtime::Step& step : bound.steps)
    for (const runtime::BoundGraph& body : step.bodies) copyOffsets(body, read, program);
}

void planProgram(const runtime::Variant& variant, std::span<const std::byte> weights, bundle::Manifest& program) {
  std::vector<runtime::TensorView> inputs;
  for (const runtime::PortInfo& port : variant.inputs) {
    runtime::TensorView& view = inputs.emplace_back();
    view.elem = port.elem;
    for (const auto& size : *port.sizes) view.shape.push(size.value_or(0));
  }
  auto sizes = runtime::bindSizes(variant.manifest, inputs);
  if (!sizes) return;
  runtime::RunSizes known(variant.manifest, std::move(*sizes));
  const auto bound = runtime::bindGraph({variant.manifest, known, weights}, variant.manifest.graph);
  if (bound) copyOffsets(*bound, variant.manifest, program);
}

}  // namespace

void writeOffsets(bundle::Manifest& manifest, std::uint64_t weightBytes) {
  std::vector<bundle::Manifest*> programs;
  for (bundle::Manifest& variant : *manifest.mutable_variants()) programs.push_back(&variant);
  if (programs.empty()) programs.push_back(&manifest);
  const auto hasSymbols = [](const bundle::Manifest* program) { return program->symbols_size() > 0; };
  std::string bytes;
  if (std::all_of(programs.begin(), programs.end(), hasSymbols) || !manifest.SerializeToString(&bytes)) return;
  auto read = runtime::manifest::readManifest(std::as_bytes(std::span(bytes)), {});
  if (!read) return;
  const auto variants = runtime::makeVariants(std::move(*read), weightBytes);
  const Zeros weights(weightBytes);
  if (!variants || !weights.fits()) return;
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (!hasSymbols(programs[i])) planProgram(variants->all[i], weights.bytes(), *programs[i]);
}

}  // namespace axle
