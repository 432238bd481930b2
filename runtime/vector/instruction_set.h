// Chooses, among the instruction sets that vector kernels are compiled for, the one that this process uses.
#pragma once

#include <span>
#include <string_view>

namespace axle::runtime {

enum class InstructionSet : unsigned char {
  plain,  // one element at a time; the reference in tests of the others
#if defined(__x86_64__)
  sse2,
  avx2,  // with FMA and F16C
  avx512,
#elif defined(__ARM_NEON)
  neon,
#endif
};

struct InstructionSetName {
  InstructionSet set;
  std::string_view name;
};

// Returns the instruction sets that this machine has, the best one last.
std::span<const InstructionSetName> instructionSets();

// Returns the instruction set in use: the best one, unless `useInstructionSet` chose another.
InstructionSet instructionSet();

// Chooses an instruction set, for tests and measurements; call it before sessions are bound. Returns false if this
// machine has none of that name.
bool useInstructionSet(std::string_view name);

}  // namespace axle::runtime
