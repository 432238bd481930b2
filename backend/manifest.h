// The bundle's manifest, serialised.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "backend/bundle.h"
#include "backend/constants.h"

namespace axle {

// None, with a diagnostic, where a model is beyond what a bundle can hold.
std::optional<std::string> makeManifest(std::span<const Variant> variants, const Interface& entry,
                                        const SourceMap& sources, const Constants& constants, Diagnostics& diagnostics);

}  // namespace axle
