// Links a runtime for one bundle: axrun with only the kernels of the operators that the bundle calls.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/run/failure.h"

namespace axle::driver {

struct RuntimeRequest {
  std::string target;        // as `--target` names it; empty: this machine
  std::string deviceFolder;  // the folder with the device library; empty: looks beside axc
};

// The target of a bundle that is for no machine in particular. All targets store weights in one layout, so it changes
// no bundle; a runtime cannot be linked for it.
inline constexpr const char* portableTarget = "portable";

// Says what is wrong with a value of `--target`: a machine, with one of its processors behind a colon where it is
// known, or `portableTarget`. Returns an empty text if nothing is.
std::string refuseTarget(std::string_view word);

// Returns the bytes of a stripped program for the target. The bundle is a whole file that a Session accepts. Runs the
// target's compiler in a temporary folder; the errors say which compiler or library is missing and how to install it.
run::Outcome<std::vector<std::byte>> linkRuntime(std::span<const std::byte> bundle, const RuntimeRequest& request);

// Writes a program whole or not at all, and makes it executable.
run::Outcome<void> writeProgram(std::span<const std::byte> program, const std::string& path);

}  // namespace axle::driver
