// Runs streams: `axrun stream`. `linked_streaming.cc` links it, unless the program defines `linkedStreaming` itself, as
// runtimes of `axc build --runtime` for bundles without a stream do.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "driver/run/inputs.h"
#include "driver/run/json.h"
#include "driver/run/options.h"
#include "runtime/session.h"

namespace axle::run {

// The number of frames of the first streamed input in each push.
struct Chunking {
  std::vector<std::int64_t> sizes;    // used in turn; empty: the bundle's chunk, or chosen
  std::optional<std::uint64_t> seed;  // draws the sizes instead
};

struct StreamRunOptions {
  RunOptions run;  // model, inputs, sets, seed, folder, json
  Chunking chunking;
  std::optional<std::uint32_t> pcmRate;  // of 16-bit samples on stdin, which the input `NAME=-` takes
  bool print = false;                    // prints lines for frames of the first output
  std::optional<std::uint64_t> every;    // frames of the first output per line, at least; none: 1
  std::string labels;                    // a file with a line for each element of a frame; empty: none
};

struct Streaming {
  std::vector<Option> (*options)(StreamRunOptions& options);
  // Streams the inputs through a bundle: lines and results to `out`, everything else to `err`. Returns the exit code.
  // With --format=json, exactly one object goes to `out`, even on failure.
  int (*run)(const runtime::Session& session, const StreamRunOptions& options, std::FILE* in, std::FILE* out,
             std::FILE* err);
  // For `axrun info` of a bundle with a stream: a line for each streamed input and each output, and the same as JSON.
  Outcome<std::string> (*describe)(const runtime::Session& session);
  Outcome<void> (*writeJson)(const runtime::Session& session, JsonWriter& json);
  // Fails if WAV files among the inputs have another sample rate than the model computes with.
  Outcome<void> (*checkRates)(const runtime::Session& session, const std::vector<PortValue>& inputs);
};
extern const Streaming* const linkedStreaming;  // null in a program without it

}  // namespace axle::run
