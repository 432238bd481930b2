// How the frames in a push trade latency for work and memory, from the measured times of pushes.
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
  std::uint64_t delay = 0;      // the most frames by which a result is late: of the model, and of a push that fills
  double pushMicroseconds = 0;  // of the processor
  std::optional<double> multiplyAdds;  // of a frame; none where they are not known
  std::uint64_t arenaBytes = 0, stateBytes = 0;

  double frameMicroseconds() const { return pushMicroseconds / static_cast<double>(frames); }
};

// Whether the bundle has a stream; an error where it cannot be read.
run::Outcome<bool> hasStream(const Bundle& bundle);

// Pushes of 1, 2, 4 ... 4096 drawn frames into the bundle's stream, as far as they take no longer than a second and
// their memory is there. An error where there is no stream, or its inputs have sizes that are not known.
run::Outcome<std::vector<ChunkCost>> measureChunks(const Bundle& bundle);

// The smallest chunk whose frames take at most 10 % longer than those of the best one.
std::int64_t chooseChunk(std::span<const ChunkCost> curve);

// A line for each chunk.
std::string chunkTable(std::span<const ChunkCost> curve);

}  // namespace axle::driver
