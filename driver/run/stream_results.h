// The results of a run of a stream, as text and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/run/push_times.h"
#include "driver/run/streaming.h"
#include "runtime/stream.h"

namespace axle::run {

// The frames of one output, for a file.
struct Collected {
  Elem elem = Elem::f32;
  runtime::Shape shape;              // of all frames so far
  std::vector<std::byte> frames;     // push after push
  std::vector<std::int64_t> counts;  // frames of each push

  void add(const runtime::TensorView& view, int axis);
  // Returns the frames as one tensor.
  std::vector<std::byte> whole(int axis) const;
};

// What came out of one output.
struct OutputResults {
  std::uint64_t frames = 0;
  std::uint64_t delay = 0;  // frames of the first input that a frame came late, at most
  std::uint64_t elements = 0, nans = 0;
  Collected collected;  // empty without a folder to write to
};

struct StreamResults {
  std::uint64_t framesIn = 0, pushes = 0;
  PushTimes times;
  std::vector<OutputResults> outputs;
  std::uint64_t stateBytes = 0, arenaBytes = 0;
  runtime::StreamCounts counts;
  std::optional<double> realTime;  // how many times faster than the signal
};

// Returns the outputs that have NaN, with the number of elements; empty if none has.
std::string nansText(const StreamResults& results, const runtime::StreamInfo& info);
std::string streamJson(const StreamResults& results, const runtime::StreamInfo& info);
std::string streamText(const StreamResults& results, const runtime::StreamInfo& info, const StreamRunOptions& options);

}  // namespace axle::run
