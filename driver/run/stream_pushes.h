// Pushes of one size into a stream, again and again, to be measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/run/inputs.h"
#include "runtime/stream.h"

namespace axle::run {

class StreamPushes {
 public:
  // Pushes of `frames` frames of the first streamed input. Inputs that stream are drawn; of the others those that the
  // options name are read.
  static Outcome<StreamPushes> make(const runtime::Session& session, const RunOptions& options, std::int64_t frames);

  // Gives the next frames to the stream, and takes what it computes.
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
