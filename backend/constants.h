// The constants of a bundle: each tensor is stored once for all programs.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/bundle.h"

namespace axle {

struct PlacedConstant {
  const ir::Constant* constant = nullptr;
  std::uint64_t offset = 0, bytes = 0;  // in the weights section
};

struct Constants {
  std::vector<PlacedConstant> all;
  std::vector<std::map<std::uint32_t, std::uint32_t>> indices;  // of each model: ConstantId -> index into `all`
  std::vector<TensorBytes> section;                             // with the gaps between them
  std::uint64_t bytes = 0;                                      // of the section
};

// Returns none after adding a diagnostic for each tensor that cannot be read.
std::optional<Constants> placeConstants(std::span<const Variant> variants, const WeightBytes& weights,
                                        Diagnostics& diagnostics);

}  // namespace axle
