// Measures how the number of frames in a push trades latency for work and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/bundle.h"
#include "driver/run/failure.h"
#include "runtime/stream.h"

namespace axle::driver {

struct ChunkCost {
  std::int64_t frames = 0;             // of the first streamed input, in a push
  std::uint64_t delay = 0;             // `delayOfChunk`
  double pushMicroseconds = 0;         // processor time
  std::optional<double> multiplyAdds;  // per frame; none if they are not known
  std::uint64_t arenaBytes = 0, stateBytes = 0;

  double frameMicroseconds() const { return pushMicroseconds / static_cast<double>(frames); }
};

// Whether the bundle has a stream. Fails if it cannot be read.
run::Outcome<bool> hasStream(const Bundle& bundle);

// Returns the number of frames for which all outputs have further results, 160 for windows in steps of 160. It is 1 if
// that number is above 4096.
std::int64_t framesPerResult(std::span<const runtime::StreamOutputInfo> outputs);

// Returns the most frames by which a result is late in pushes of `frames`: the model's delay, and those that fill the
// push.
std::uint64_t delayOfChunk(std::span<const runtime::StreamOutputInfo> outputs, std::int64_t frames);

// Measures pushes of 1, 2, 4 ... times the frames of a result, at most 4096, of drawn frames into the bundle's stream,
// up to the first that takes longer than 0.1 s or for which memory is missing. Fails if there is no stream, or its
// inputs have sizes that are not known.
run::Outcome<std::vector<ChunkCost>> measureChunks(const Bundle& bundle);

// Returns the smallest chunk whose frames take at most 10 % longer than those of the best one.
std::int64_t chooseChunk(std::span<const ChunkCost> curve);

// Returns a line for each chunk.
std::string chunkTable(std::span<const ChunkCost> curve);

}  // namespace axle::driver
