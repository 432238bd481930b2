// Serialises the manifest of a bundle.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "backend/bundle.h"
#include "backend/constants.h"
#include "backend/debug.h"

namespace axle {

// The programs of a bundle: those of its entry and, if it is a stream, those of the network's stages.
struct Variants {
  std::span<const Variant> all;
  const ir::StreamNetwork* stream = nullptr;

  std::span<const Variant> ofEntry() const { return all.first(stream ? 1 : all.size()); }
  std::span<const Variant> ofStages() const { return all.subspan(ofEntry().size()); }
};

// Serialises models that fit a bundle, with the program of each. Returns nothing after adding a diagnostic if there are
// too many bytes. Names and texts for reports go to `debug`, unless it is null.
std::optional<std::string> makeManifest(const Variants& given, std::span<const Program> programs,
                                        const Interface& entry, const Constants& constants,
                                        const BundleOptions& options, DebugSection* debug, Diagnostics& diagnostics);

// Adds the diagnostic for a model that is too large for a bundle.
void reportTooLarge(Diagnostics& diagnostics);

}  // namespace axle
