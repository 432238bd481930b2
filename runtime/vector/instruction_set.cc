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
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c")) return 2;
  for (bool has : {__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512bw") != 0,
                   __builtin_cpu_supports("avx512cd") != 0, __builtin_cpu_supports("avx512dq") != 0,
                   __builtin_cpu_supports("avx512vl") != 0})
    if (!has) return 3;
#endif
  return std::size(names);
}

constexpr int unchosen = -1;
std::atomic<int> chosen = unchosen;

}  // namespace

std::span<const InstructionSetName> instructionSets() { return {names, countOnThisMachine()}; }

InstructionSet instructionSet() {
  int set = chosen.load(std::memory_order_relaxed);
  if (set == unchosen) {
    set = static_cast<int>(instructionSets().back().set);
    chosen.store(set, std::memory_order_relaxed);  // another thread stores the same
  }
  return static_cast<InstructionSet>(set);
}

bool useInstructionSet(std::string_view name) {
  for (const InstructionSetName& each : instructionSets())
    if (each.name == name) {
      chosen.store(static_cast<int>(each.set), std::memory_order_relaxed);
      return true;
    }
  return false;
}

}  // namespace axle::runtime
