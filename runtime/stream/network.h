// The state of one stream: its buffers, and the programs of its stages, bound to the numbers of frames that they
// compute at once. The phases are functions over it: open.h, advance.h, saved.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/program.h"
#include "runtime/run_sizes.h"
#include "runtime/stream.h"
#include "runtime/stream/frames.h"
#include "runtime/stream/model.h"
#include "runtime/tensor.h"

namespace axle::runtime {

// A program bound to `size` frames: frames that it makes or, in a stage with a scale, frames that it reads. Its address
// must not change.
struct StageProgram {
  std::int64_t size = 0;
  RunSizes sizes;
  BoundGraph graph;
};

struct StageSource {
  const manifest::Source* source = nullptr;
  std::uint32_t buffer = 0;   // of a window, or of the first or last frames
  std::size_t reader = 0;     // its number in the buffer
  void* data = nullptr;       // of an input, slot or state
  std::byte* copy = nullptr;  // for numbers, marks of frames, and windows that are not dense in their buffer
  std::uint64_t copyBytes = 0;

  // The first and the last frame of the window for the stage's frame `a`.
  std::int64_t firstOf(std::int64_t a) const { return floorOf(a, source->first); }
  std::int64_t lastOf(std::int64_t a) const { return floorOf(a, source->last); }

 private:
  std::int64_t floorOf(std::int64_t a, std::int64_t offset) const {
    const std::int64_t numerator = a * source->stride + offset;
    if (source->spread <= 1) return numerator;
    const std::int64_t quotient = numerator / source->spread;
    return quotient - (numerator % source->spread < 0 ? 1 : 0);
  }
};

struct StageRun {
  const manifest::Stage* stage = nullptr;
  const manifest::Manifest* program = nullptr;
  bool makesFrames = false;
  std::int64_t most = 1;  // frames made at once
  std::vector<StageSource> sources;
  std::vector<std::unique_ptr<StageProgram>> programs;  // by ascending size
  std::vector<std::uint32_t> states, slots;             // that the stage reads
  std::vector<std::uint32_t> appended;                  // buffers that the stage appends to
  const manifest::Sink* adds = nullptr;                 // the only sink of a stage that adds to partial sums
  std::int64_t next = 0;                                // the next frame to compute
  bool isDone = false;                                  // for a stage that runs once
};

// A buffer assembled from pieces: the place that its next frame comes from.
struct PiecesRun {
  std::uint32_t buffer = 0;
  std::size_t piece = 0;
  std::int64_t frame = 0;  // of this piece
  std::size_t reader = 0;  // its number in the piece's buffer
};

struct Slot {
  Shape shape;
  Tensor value;
  bool isSet = false;
  bool followsStream = false;  // depends on frames
};

struct Carried {
  Shape shape;
  Tensor value;
  bool isSet = false;
};

struct NetworkOutput {
  std::uint32_t buffer = 0;
  std::size_t reader = 0;
  std::int64_t pulled = 0;  // frames
  Tensor copy;              // of frames that are not contiguous in their buffer
};

struct Network {
  std::shared_ptr<const StreamModel> model;
  StreamOptions options;
  std::vector<Shape> inputShapes;         // streamed inputs have size 0 along the stream
  std::vector<Tensor> ports;              // copies of inputs that do not stream
  std::vector<std::int64_t> growth;       // by buffer: the most frames that one push appends
  std::vector<std::int64_t> inputGrowth;  // by input: the most frames of a push
  std::vector<Frames> buffers;
  std::vector<std::int64_t> targets;  // by buffer: frames whose number is certain by now
  std::vector<StageRun> stages;
  std::vector<PiecesRun> pieces;  // by position of the actor; empty for stages
  std::vector<Slot> slots;
  std::vector<Carried> states;
  std::vector<NetworkOutput> outputs;
  std::vector<std::optional<std::uint32_t>> inputBuffer;  // by input
  std::vector<std::int64_t> framesIn;                     // by input
  Tensor memory, arena, copies;                           // of buffers; of programs; of the sources' copies
  std::uint64_t stateBytes = 0, arenaBytes = 0, leastStateBytes = 0;
  std::uint64_t multiplyAdds = 0;  // since the start of the sequence, or of a restored state
  bool countsAll = true;           // no multiply-adds are left out
  bool isFlushed = false;          // no frame follows
  bool isBroken = false;           // stopped by an error
};

}  // namespace axle::runtime
