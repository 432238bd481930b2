// Prepares a checked graph with known sizes for running: shapes, kernels, and a place for every value in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dims/evaluate.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/program.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {

// Memory that is needed from step `first` to step `last`, both included.
struct Block {
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;
  std::uint64_t offset = 0;
};

// Gives every block an offset, a multiple of 64, such that blocks needed at the same step do not overlap. Blocks are in
// order of `first`; each takes the smallest hole that it fits into. Returns the total number of bytes; none if they
// cannot be addressed.
std::optional<std::uint64_t> planArena(std::span<Block> blocks);

struct BindContext {
  const manifest::Manifest& manifest;
  RunSizes& sizes;
  std::span<const std::byte> weights;
};

// Computes the graph's shapes, steps and memory plan, including bodies. Only constants have addresses yet. Sizes known
// only in the run are planned with their upper bounds.
Result<BoundGraph> bindGraph(const BindContext& context, const manifest::Graph& graph);

// Gives the values and steps of a graph, and of its bodies, their addresses in memory of `graph.arenaBytes` bytes.
void placeGraph(BoundGraph& graph, std::byte* arena);

}  // namespace axle::runtime
