// Finds the folder of graphs that are not part of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace axle::test {

// Returns $AXLE_SHARED/conformance, or ../shared/conformance beside the repository, which may be missing.
inline std::filesystem::path conformance() {
  const char* shared = std::getenv("AXLE_SHARED");
  return std::filesystem::path(shared && *shared ? shared : "../shared") / "conformance";
}

}  // namespace axle::test
