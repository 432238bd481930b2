// From a checked graph and known sizes to something that runs: shapes, kernels, and where in one arena every value
// lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dims/evaluate.h"
#include "runtime/error.h"
#include "runtime/run_sizes.h"
#include "runtime/manifest.h"
#include "runtime/program.h"

namespace axle::runtime {

// Memory that is needed from step `first` to step `last`, both included.
struct Block {
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;
  std::uint64_t offset = 0;
};

// Gives every block an offset, a multiple of 64, such that blocks needed at one step do not overlap. Blocks come in
// order of `first`; each takes the smallest hole that it fits into. The bytes needed in all; nothing when they cannot
// be addressed.
std::optional<std::uint64_t> planArena(std::span<Block> blocks);

struct BindContext {
  const manifest::Manifest& manifest;
  FoundSizes& sizes;
  std::span<const std::byte> weights;
};

// The graph's shapes, steps and plan, bodies included; no addresses yet but those of constants. What the run finds is
// planned for at its largest.
Result<BoundGraph> bindGraph(const BindContext& context, const manifest::Graph& graph);

// Gives the values and steps of a graph, and of its bodies, their addresses in memory of `graph.arenaBytes` bytes.
void placeGraph(BoundGraph& graph, std::byte* arena);

}  // namespace axle::runtime
