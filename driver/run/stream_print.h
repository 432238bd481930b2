// Lines for the frames of a stream's output, as they are computed.
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

// Without labels: a line for each frame whose number is a multiple of `every`, with its elements. With labels: a line
// for a frame whose label, that of its largest element, is another one than the last line's. At least `every` frames
// lie between two lines; of the frames in between whose labels differ from the last line's, the surest has the next
// line.
class FramePrinter {
 public:
  // `type` of the output's frames, whatever their number; `rate` of the first input's frames in a second, if known.
  static Outcome<FramePrinter> make(const StreamRunOptions& options, const runtime::StreamOutputInfo& output,
                                    const runtime::TensorView& type, std::optional<double> rate, std::FILE* out);

  // `first`: the number of the view's first frame. An error where the lines cannot be written.
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
  std::optional<Labelled> waiting_;   // for its line
  std::optional<std::size_t> shown_;  // the label of the last line
  std::uint64_t nextLine_ = 0;        // the first frame that may have a line
};

}  // namespace axle::run
