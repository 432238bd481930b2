// Prepares a checked graph with known sizes for running: shapes, kernels, and a place for every value in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/program.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {

struct BindContext {
  const manifest::Manifest& manifest;
  RunSizes& sizes;
  std::span<const std::byte> weights;
  ThreadTeam* team = nullptr;  // null: calls are not divided among threads
};

// Computes the shapes, steps and memory plan of the graph and its bodies. Only constants get addresses. Sizes known
// only in the run are planned with their upper bounds.
Result<BoundGraph> bindGraph(const BindContext& context, const manifest::Graph& graph);

// Returns the plan as `Graph.offsets` of a bundle; empty if it is too large for that.
std::vector<std::uint32_t> offsetsOf(const BoundGraph& bound);

// Gives the values and steps of a graph, and of its bodies, their addresses in memory of `graph.arenaBytes` bytes.
void placeGraph(BoundGraph& graph, std::byte* arena);

}  // namespace axle::runtime
