// Finds the calls of a graph that compute and read each tensor, and the tensors that share another's memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/program.h"

namespace axle {

inline constexpr std::uint32_t noCall = UINT32_MAX;

// By outlet index.
struct CallUses {
  std::vector<std::uint32_t> maker;                 // noCall for inputs of the graph and constants
  std::vector<std::vector<std::uint32_t>> readers;  // in order; a call that reads it twice is listed twice
  std::vector<bool> isOutput;                       // of the graph

  CallUses(const ir::Graph& graph, const Calls& calls);

  // Whether the call's only result is read, and only by calls for which `isInside` holds.
  template <class IsInside>
  bool endsIn(const Call& call, const IsInside& isInside) const {
    if (call.outputs.size() != 1) return false;
    const std::uint32_t result = call.outputs[0].index;
    return !isOutput[result] && !readers[result].empty() && std::ranges::all_of(readers[result], isInside);
  }
};

// Returns for each outlet the outlet whose memory it uses, through views; itself if it has its own memory.
std::vector<std::uint32_t> memoryOf(const ir::Graph& graph, const Calls& calls);

}  // namespace axle
