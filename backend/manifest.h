// The bundle's manifest, serialised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/bundle.h"

namespace axle {

// Where a constant's bytes stand in the weights section.
struct ConstantPlace {
  std::uint64_t offset = 0, bytes = 0;
};

// The constants that the model's live graphs use, in the order of their ids.
std::vector<ir::ConstantId> usedConstants(const ir::Model& model);

// `places` are those of `constants`. None, with a diagnostic, where the model is beyond what a bundle can hold.
std::optional<std::string> makeManifest(const ir::Model& model, const Interface& interface, const SourceMap& sources,
                                        const std::vector<ir::ConstantId>& constants,
                                        const std::vector<ConstantPlace>& places, Diagnostics& diagnostics);

}  // namespace axle
