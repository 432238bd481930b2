// The constants of a bundle: each tensor is stored once for all programs.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/bundle.h"
#include "backend/program.h"

namespace axle {

struct PlacedConstant {
  const ir::Constant* constant = nullptr;
  std::vector<std::int64_t> shape;      // as stored
  std::uint64_t offset = 0, bytes = 0;  // in the weights section
};

// A constant in the form that a call reads.
struct StoredConstant {
  ir::ConstantId id;
  Storage storage;

  auto operator<=>(const StoredConstant&) const = default;
};

// Returns the shape of a constant as stored; in panels: [groups * panels, ..all but the last of `shape`, panelWidth].
std::vector<std::int64_t> storedShape(const std::vector<std::int64_t>& shape, const Storage& storage);

using ConstantIndices = std::map<StoredConstant, std::uint32_t>;  // into Constants::all

struct Constants {
  std::vector<PlacedConstant> all;
  std::vector<ConstantIndices> indices;  // of each model
  std::vector<TensorBytes> section;      // with the gaps between them
  std::uint64_t bytes = 0;               // of the section
};

// Places the constants that the programs of the variants read. Returns nothing after adding a diagnostic for each
// tensor that cannot be read.
std::optional<Constants> placeConstants(std::span<const Variant> variants, std::span<const Program> programs,
                                        const WeightBytes& weights, Diagnostics& diagnostics);

}  // namespace axle
