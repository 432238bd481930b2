// Measures how the number of frames in a push trades latency for work and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/bundle.h"
#include "driver/run/failure.h"

namespace axle::driver {

struct ChunkCost {
  std::int64_t frames = 0;      // of the first streamed input, in a push
  std::uint64_t delay = 0;      // the most frames by which a result is late: the model's, plus those that fill a push
  double pushMicroseconds = 0;  // processor time
  std::optional<double> multiplyAdds;  // per frame; none if they are not known
  std::uint64_t arenaBytes = 0, stateBytes = 0;

  double frameMicroseconds() const { return pushMicroseconds / static_cast<double>(frames); }
};

// Whether the bundle has a stream. Fails if it cannot be read.
run::Outcome<bool> hasStream(const Bundle& bundle);

// Measures pushes of 1, 2, 4 ... 4096 drawn frames into the bundle's stream, up to the first that takes longer than 0.1
// s or for which memory is missing. Fails if there is no stream, or its inputs have sizes that are not known.
run::Outcome<std::vector<ChunkCost>> measureChunks(const Bundle& bundle);

// Returns the smallest chunk whose frames take at most 10 % longer than those of the best one.
std::int64_t chooseChunk(std::span<const ChunkCost> curve);

// Returns a line for each chunk.
std::string chunkTable(std::span<const ChunkCost> curve);

}  // namespace axle::driver
