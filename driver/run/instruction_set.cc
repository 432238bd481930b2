#include "driver/run/instruction_set.h"

#include <cstdlib>

#include "io/joined.h"
#include "runtime/vector/instruction_set.h"

namespace axle::run {

std::optional<std::string> chooseInstructionSet() {
  const char* name = std::getenv("AXLE_INSTRUCTION_SET");
  if (name == nullptr || *name == '\0' || runtime::useInstructionSet(name)) return std::nullopt;
  std::string problem = joined({"AXLE_INSTRUCTION_SET is `", name, "`; this machine has"});
  for (const runtime::InstructionSetName& set : runtime::instructionSets()) problem += joined({" ", set.name});
  return problem;
}

}  // namespace axle::run
