#include "runtime/vector/instruction_set.h"

#include <atomic>
#include <cstddef>

namespace axle::runtime {
namespace {

constexpr InstructionSetName names[] = {
    {InstructionSet::plain, "plain"},
#if defined(__x86_64__)
    {InstructionSet::sse2, "sse2"},
    {InstructionSet::avx2, "avx2"},
    {InstructionSet::avx512, "avx512"},
#elif defined(__ARM_NEON)
    {InstructionSet::neon, "neon"},
#endif
};

std::size_t countOnThisMachine() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 2;
  for (bool has : {__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512bw") != 0,
                   __builtin_cpu_supports("avx512cd") != 0, __builtin_cpu_supports("avx512dq") != 0,
                   __builtin_cpu_supports("avx512vl") != 0})
    if (!has) return 3;
#endif
  return std::size(names);
}

std::atomic<InstructionSet>& chosen() {
  static std::atomic<InstructionSet> set = instructionSets().back().set;
  return set;
}

}  // namespace

std::span<const InstructionSetName> instructionSets() {
  static const std::size_t count = countOnThisMachine();
  return {names, count};
}

InstructionSet instructionSet() { return chosen().load(std::memory_order_relaxed); }

bool useInstructionSet(std::string_view name) {
  for (const InstructionSetName& each : instructionSets())
    if (each.name == name) {
      chosen().store(each.set, std::memory_order_relaxed);
      return true;
    }
  return false;
}

}  // namespace axle::runtime
