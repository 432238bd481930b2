// Damages bundles so that they still decode, but break a rule that loading, binding or running must check.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace axle::runtime::test {

// How mutants ended.
struct MutantCounts {
  std::size_t refusedAtLoad = 0, refusedAtBind = 0, stopped = 0, ran = 0;

  std::size_t all() const { return refusedAtLoad + refusedAtBind + stopped + ran; }
};

// Returns a copy of a bundle with one to three changes, of a field of its manifest, of its debug section, or of its
// bytes.
std::vector<std::byte> mutant(std::span<const std::byte> bundle, std::mt19937& random);

// Loads, binds and runs `count` mutants, with inputs of the sizes that the bundle takes (3 for each open size), and
// calls all queries of a session. Not for bundles with bodies, which may loop forever.
MutantCounts runMutants(std::span<const std::byte> bundle, std::size_t count, unsigned seed);

// Returns how many mutants of each bundle a test runs: the environment's AXLE_MUTANTS, or `few`.
std::size_t mutantsOf(std::size_t few);

}  // namespace axle::runtime::test
