// Serialises the manifest of a bundle.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "backend/bundle.h"
#include "backend/constants.h"
#include "backend/debug.h"

namespace axle {

// Of models that fit a bundle, with the program of each. Returns none after adding a diagnostic if the bytes are too
// many. Names and texts for reports go to `debug`, unless it is null.
std::optional<std::string> makeManifest(std::span<const Variant> variants, std::span<const Program> programs,
                                        const Interface& entry, const Constants& constants, std::uint32_t threads,
                                        DebugSection* debug, Diagnostics& diagnostics);

// Adds the diagnostic of a model that is beyond what a bundle can hold.
void reportTooLarge(Diagnostics& diagnostics);

}  // namespace axle
