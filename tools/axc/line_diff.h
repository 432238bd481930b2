// Compares two texts line by line.
#pragma once

#include <string>
#include <string_view>

namespace axle::axc {

// Returns a unified diff with three lines around each change, as `patch` reads it unless it has colour; empty if the
// texts are equal.
std::string unifiedDiff(std::string_view before, std::string_view after, const std::string& path, bool colour);

}  // namespace axle::axc
