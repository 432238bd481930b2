// Writes a model as a bundle (`.axb`), in the format of runtime/bundle.proto and runtime/bundle_format.h.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/symbols.h"
#include "frontend/diagnostic.h"
#include "io/tensor_file.h"
#include "ir/graph.h"
#include "ir/stream/network.h"
#include "typecheck/types/typed.h"

namespace axle {

// Returns the bytes of a weight of `Model::weights`, in the layout of its constant's type.
using WeightBytes = std::function<FileResult<TensorBytes>(std::uint32_t weight, const ir::Constant& constant)>;

struct GuardText {
  DimFact fact;
  std::string text;  // as the checker prints it
};

// The description of the entry in a bundle, besides the graph. Ports are in the model's order.
struct Interface {
  std::string entryType;
  std::vector<std::string> inputTypes, outputTypes;  // as printed
  std::vector<SymbolRecipe> symbols;                 // without those that nodes compute in the run
  std::vector<GuardText> guards;                     // followed by the model's checks, in their order
};

// One program of a bundle.
struct Variant {
  const ir::Model* model = nullptr;
  Interface interface;
  bool fuses = true;  // calls are fused and share memory; otherwise there is one plain call for each node
};

struct BundleOptions {
  bool strip = false;         // without the debug section
  std::uint32_t threads = 1;  // the most threads of a run, unless asked otherwise
  std::uint64_t chunk = 0;    // frames in a push into the stream, unless asked otherwise; 0 if not chosen
};

// The bytes of a bundle; weights are not copied.
struct Bundle {
  std::vector<std::byte> head;       // header, manifest and debug section
  std::vector<TensorBytes> weights;  // and the gaps between them

  std::vector<std::span<const std::byte>> pieces() const;
  std::size_t bytes() const;
  // Returns a contiguous copy, aligned to 64 bytes.
  TensorBytes inMemory() const;
};

// Whether a bundle can hold the model; if not, adds a diagnostic.
bool fitsBundle(const ir::Model& model, const SourceMap& sources, Diagnostics& diagnostics);

// Makes a bundle of one program, or of several that differ in the ranks of their inputs; `entry` has the types before
// ranks are known. Returns nothing after adding diagnostics. `weights` may be empty for models without weights.
// `stream`: the only program as a network if its inputs are streamed; otherwise null.
std::optional<Bundle> makeBundle(std::span<const Variant> variants, const Interface& entry, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics, BundleOptions options = {},
                                 const ir::StreamNetwork* stream = nullptr);
// Makes a bundle of one program, without fused calls.
std::optional<Bundle> makeBundle(const ir::Model& model, const Interface& interface, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics, BundleOptions options = {});

}  // namespace axle
