// Suggests how a bundle is made of a file that is none. `linked_bundle_help.cc` links it, unless the program defines
// `linkedBundleHelp` itself, as runtimes of `axc build --runtime` do.
#pragma once

#include <string>
#include <vector>

namespace axle::run {

// Adds what the file at `path` is, if that is known, and what to do.
using BundleHelp = void (*)(const std::string& path, std::vector<std::string>& help);

extern const BundleHelp linkedBundleHelp;  // null in a program without it

}  // namespace axle::run
