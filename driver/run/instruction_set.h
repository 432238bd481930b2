// Chooses the instruction set of a program's kernels.
#pragma once

#include <optional>
#include <string>

namespace axle::run {

// Chooses the best of this machine, or the one in the environment variable AXLE_INSTRUCTION_SET: `plain` gives the same
// results on all machines. Returns an error if there is no such instruction set.
std::optional<std::string> chooseInstructionSet();

}  // namespace axle::run
