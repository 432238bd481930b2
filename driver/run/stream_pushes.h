// Repeats pushes of one size into a stream, for measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/run/inputs.h"
#include "runtime/stream.h"

namespace axle::run {

class StreamPushes {
 public:
  // Prepares pushes of `frames` frames of the first streamed input. Draws inputs that stream, and reads the other
  // inputs that the options name.
  static Outcome<StreamPushes> make(const runtime::Session& session, const RunOptions& options, std::int64_t frames);

  // Pushes the next frames into the stream, and takes its results.
  Outcome<void> push();

  const runtime::Stream& stream() const { return *stream_; }

 private:
  struct Fed {
    std::size_t input = 0;
    int axis = 0;
    std::uint64_t rate = 1, per = 1;
  };

  std::int64_t frames_ = 1;
  std::uint64_t pushes_ = 0;
  std::vector<PortValue> values_;
  std::vector<Fed> fed_;
  std::vector<runtime::InputFrames> given_;
  std::optional<runtime::Stream> stream_;
  std::size_t outputs_ = 0;
};

}  // namespace axle::run
