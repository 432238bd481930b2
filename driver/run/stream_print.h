// Prints lines for the frames of a stream's output as they are computed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "driver/run/numbers.h"
#include "driver/run/streaming.h"
#include "runtime/stream.h"

namespace axle::run {

// Without labels, prints a line for each frame whose number is a multiple of `every`, with its elements. With labels,
// the label of a frame is that of its largest element, and a line is printed if it differs from that of the last line.
// Lines are at least `every` frames apart; of the frames in between whose labels differ from the last line's, the one
// with the largest value gets the next line.
class FramePrinter {
 public:
  // `type` is that of the output's frames, for any number of frames; `rate` is the number of frames of the first input
  // per second, if known.
  static Outcome<FramePrinter> make(const StreamRunOptions& options, const runtime::StreamOutputInfo& output,
                                    const runtime::TensorView& type, std::optional<double> rate, std::FILE* out);

  // `first` is the number of the view's first frame. Fails if the lines cannot be written.
  Outcome<void> print(const runtime::TensorView& view, std::uint64_t first);

 private:
  struct Labelled {
    std::uint64_t frame = 0;
    std::size_t label = 0;
    Number value;
  };

  std::string place(std::uint64_t frame) const;
  std::string lineOfAll(std::uint64_t frame, const std::vector<Number>& values) const;
  std::string lineOfLabel(std::uint64_t frame, const std::vector<Number>& values);

  bool isOn_ = false;
  std::uint64_t every_ = 1;
  runtime::StreamOutputInfo output_;
  Elem elem_ = Elem::f32;
  std::optional<double> rate_;
  std::FILE* out_ = nullptr;
  std::vector<std::string> labels_;
  std::optional<Labelled> waiting_;   // the next line, not printed yet
  std::optional<std::size_t> shown_;  // the label of the last line
  std::uint64_t nextLine_ = 0;        // the first frame at which a line may be printed
};

}  // namespace axle::run
