// Serialises the manifest of a bundle.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "backend/bundle.h"
#include "backend/constants.h"
#include "backend/debug.h"

namespace axle {

// Returns none after adding a diagnostic if a bundle cannot hold a model. Names and texts for reports go to `debug`,
// unless it is null.
std::optional<std::string> makeManifest(std::span<const Variant> variants, const Interface& entry,
                                        const SourceMap& sources, const Constants& constants, DebugSection* debug,
                                        Diagnostics& diagnostics);

}  // namespace axle
