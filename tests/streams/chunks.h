// Runs streamed programs from text to output frames, whole and in chunks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/stream_report.h"
#include "runtime/session.h"
#include "runtime/stream.h"

namespace axle::test {

using Inputs = std::vector<runtime::Tensor>;

// A compiled program, with its stream.
struct StreamedProgram {
  explicit StreamedProgram(const std::string& text);

  driver::StreamReport report;
  std::string problem;                        // the reason why there is no stream: a refusal, or a bug
  std::shared_ptr<TensorBytes> bytes, plain;  // bundles with the stream and without it
  std::shared_ptr<const runtime::StreamModel> model;
  runtime::StreamInfo info;

  bool streams() const { return model != nullptr; }
  // Draws inputs for n frames of the first streamed one from the seed.
  Inputs draw(std::int64_t n, unsigned seed) const;
};

struct Outputs {
  std::string error;  // of the run; empty: none
  std::vector<std::vector<float>> elements;
  std::vector<std::vector<std::int64_t>> shapes;
  std::int64_t delay = 0;  // the largest seen before the flush, of the first output
};

struct Costs {
  std::uint64_t stateBytes = 0, leastStateBytes = 0;
};
// Returns the costs of a stream for pushes of one frame.
Costs costsOf(const StreamedProgram& program);

// Run the bundle without a stream, and the batch program of the bundle with the stream.
Outputs runPlain(const StreamedProgram& program, const Inputs& inputs);
Outputs runWhole(const StreamedProgram& program, const Inputs& inputs);

struct Chunking {
  std::vector<std::int64_t> sizes;  // taken in turn
  // After this many pushes the stream continues as one restored from its saved state, then as a clone of that.
  std::optional<int> movedAfter;
};
Outputs runChunks(const StreamedProgram& program, const Inputs& inputs, const Chunking& chunking);

// Returns the difference; empty if they are equal up to rounding.
std::string difference(const Outputs& expected, const Outputs& got);

}  // namespace axle::test
