// Model -> bundle (`.axb`), as runtime/bundle.proto and runtime/bundle_format.h describe it.
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
#include "typecheck/types/typed.h"

namespace axle {

// Bytes of a weight of `Model::weights`, as its constant's type wants them.
using WeightBytes = std::function<FileResult<TensorBytes>(std::uint32_t weight, const ir::Constant& constant)>;

struct GuardText {
  DimFact fact;
  std::string text;  // as the checker prints it
};

// What a bundle says of its entry beside the graph. Ports are in the order of the model's.
struct Interface {
  std::string entryType;
  std::vector<std::string> inputTypes, outputTypes;  // as printed
  std::vector<SymbolRecipe> symbols;                 // those that the run finds are the model's
  std::vector<GuardText> guards;                     // with the model's checks behind them, in their order
};

// One program of a bundle.
struct Variant {
  const ir::Model* model = nullptr;
  Interface interface;
};

// The bytes of a bundle, weights where they already are.
struct Bundle {
  std::vector<std::byte> head;       // header and manifest
  std::vector<TensorBytes> weights;  // and the gaps between them

  std::vector<std::span<const std::byte>> pieces() const;
  std::size_t bytes() const;
  // All in one piece, at a multiple of 64.
  TensorBytes inMemory() const;
};

// Whether a bundle can hold it; else with a diagnostic.
bool fitsBundle(const ir::Model& model, const SourceMap& sources, Diagnostics& diagnostics);

// Several variants differ in the ranks of their inputs; `entry` is what they are variants of: its type and its ports'.
// One is a bundle by itself. None, with diagnostics. `weights` may be empty for models that have none.
std::optional<Bundle> makeBundle(std::span<const Variant> variants, const Interface& entry, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics);
std::optional<Bundle> makeBundle(const ir::Model& model, const Interface& interface, const SourceMap& sources,
                                 const WeightBytes& weights, Diagnostics& diagnostics);

}  // namespace axle
