// Supplies the frames of a stream's inputs, push by push.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/run/inputs.h"
#include "driver/run/interrupted_input.h"
#include "driver/run/split_mix64.h"
#include "driver/run/streaming.h"
#include "runtime/stream.h"

namespace axle::run {

// A streamed input, whole in memory or arriving from stdin.
struct FedInput {
  std::size_t input = 0;
  int axis = 0;
  std::uint64_t rate = 1, per = 1;
  runtime::TensorView whole;           // all frames; for stdin: the type of one frame
  std::int64_t given = 0;              // frames so far
  std::vector<std::byte> frames;       // of this push, if they are not contiguous in `whole`
  bool isPcm = false;                  // 16-bit samples from stdin
  std::vector<unsigned char> samples;  // of this push

  std::int64_t frameCount() const { return whole.shape[axis]; }
};

struct Feed {
  std::vector<PortValue> values;             // of all inputs except that of stdin
  std::vector<FedInput> inputs;              // the streamed ones, in the entry's order
  std::vector<runtime::NamedTensor> opened;  // all inputs, for Stream::open
  std::optional<std::int64_t> length;        // of the first streamed input; none: until stdin ends
  std::FILE* in = nullptr;
  std::unique_ptr<InterruptEndsInput> interrupt;  // of stdin
  std::optional<double> rate;  // frames of the first streamed input per second, if a file or an option states it
};

// Samples per second of an input, as `source` states them.
struct StatedRate {
  std::string source;
  std::uint32_t samples = 0;
  std::size_t port = 0;
};

// Returns the number of frames of the first streamed input per second, if a WAV file among the inputs or `ofStdin`
// states it. Fails if their rates do not agree with each other, or with the model's.
Outcome<std::optional<double>> frameRate(const std::vector<PortValue>& inputs, const runtime::StreamInfo& info,
                                         const std::optional<StatedRate>& ofStdin);

// Reads the inputs that the options name.
Outcome<Feed> takeFeed(const runtime::Session& session, const runtime::StreamInfo& info,
                       const StreamRunOptions& options, std::FILE* in);

// Checks the lengths of all inputs as a batch run does; stdin has those frames that were read.
Outcome<void> checkLengths(const runtime::StreamModel& model, const Feed& feed);

// Returns the next `count` frames of the first streamed input, and the frames of the other inputs that belong to them.
// With `isLast`, these are all remaining frames. The views are valid until the next call. Returns no frames after stdin
// has ended or was interrupted; fails if it ends within a frame.
Outcome<std::vector<runtime::InputFrames>> nextFrames(Feed& feed, std::int64_t count, bool isLast);

// The sizes of pushes.
class Chunks {
 public:
  // `ofBundle` is the bundle's chunk, used if `chunking` says nothing; 0: the bundle has none. `length` is that of the
  // sequence, if it is known; `rate` that of its frames.
  Chunks(const Chunking& chunking, std::int64_t ofBundle, std::optional<std::int64_t> length,
         std::optional<double> rate);

  std::int64_t most() const { return most_; }
  // Whether neither an option nor the bundle sets the number of frames of a push.
  bool isChosenHere() const { return isChosenHere_; }
  // Halves the pushes. Returns false if they are already small.
  bool halve();
  std::int64_t next();

 private:
  Chunking chunking_;
  std::int64_t most_ = 1;
  bool isChosenHere_ = false;
  std::size_t at_ = 0;
  SplitMix64 random_;
};

}  // namespace axle::run
