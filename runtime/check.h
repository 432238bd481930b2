// Checks a manifest before anything in it is used: every index is in range, every value is computed before it is used,
// every constant lies inside the weights, bodies nest at most `maxBodyDepth` deep.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/error.h"
#include "runtime/manifest.h"

namespace axle::runtime {

inline constexpr std::uint32_t maxBodyDepth = 64;
// The most nodes and values in one program; a body counts once for each node that uses it.
inline constexpr std::uint64_t maxProgramItems = 1u << 18;
inline constexpr std::size_t maxSymbols = 1024;
inline constexpr std::size_t maxLinks = 256;  // pointwise operators in one call

// Returns the error for a bundle that contradicts itself.
tl::unexpected<RunError> inconsistent(const std::string& what);

Result<void> checkManifest(const manifest::Manifest& manifest, std::uint64_t weightBytes);

}  // namespace axle::runtime
