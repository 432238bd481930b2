// Which instruction set the kernels of a program use.
#pragma once

#include <optional>
#include <string>

namespace axle::run {

// The best of this machine, or what the environment's AXLE_INSTRUCTION_SET names: `plain` for results that are the same
// on all machines. Returns the error if there is no such one.
std::optional<std::string> chooseInstructionSet();

}  // namespace axle::run
