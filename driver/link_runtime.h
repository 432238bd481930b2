// Links a runtime for one bundle: axrun with only the kernels of the operators that the bundle calls.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/run/failure.h"

namespace axle::driver {

struct RuntimeRequest {
  std::string target;        // a name of `runtimeTargets`; empty: this machine's
  std::string deviceFolder;  // the folder with the device library; empty: looks beside axc
};

// Returns the values that `--target` accepts.
std::vector<std::string> runtimeTargets();

// Returns the bytes of a stripped program for the target. The bundle is a whole file that a Session accepts. Runs the
// target's compiler in a temporary folder; the errors say which compiler or library is missing and how to install it.
run::Outcome<std::vector<std::byte>> linkRuntime(std::span<const std::byte> bundle, const RuntimeRequest& request);

// Writes a program whole or not at all, and makes it executable.
run::Outcome<void> writeProgram(std::span<const std::byte> program, const std::string& path);

}  // namespace axle::driver
