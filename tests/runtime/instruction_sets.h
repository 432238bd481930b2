// Runs tests once in each instruction set that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "runtime/vector/instruction_set.h"

namespace axle::runtime::test {

// Calls body(name) with each set in use, then selects the best one again.
template <class Body>
void inEachInstructionSet(Body body) {
  for (const InstructionSetName& set : instructionSets()) {
    SCOPED_TRACE(std::string(set.name));
    useInstructionSet(set.name);
    body(set.name);
  }
  useInstructionSet(instructionSets().back().name);
}

}  // namespace axle::runtime::test
