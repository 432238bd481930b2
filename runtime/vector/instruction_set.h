// The instruction sets that vector kernels are compiled for, and which one this process uses.
#pragma once

#include <span>
#include <string_view>

namespace axle::runtime {

enum class InstructionSet : unsigned char {
  plain,  // one element at a time: what the others are tested against
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

// Those that this machine has, the best one last.
std::span<const InstructionSetName> instructionSets();

// The one in use: the best, unless `useInstructionSet` chose another.
InstructionSet instructionSet();

// For tests and measurements, before sessions are bound. False if this machine has none of that name.
bool useInstructionSet(std::string_view name);

}  // namespace axle::runtime
