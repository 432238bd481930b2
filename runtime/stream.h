// A stream runs an entry with streamed inputs (`~T`) on a sequence that arrives frame by frame.
//
//   auto bundle = loadBundle("words.axb", {});
//   auto model = readStreamModel(*bundle);
//   auto stream = Stream::open(*model, {{"audio", shapeView}}, {.maxFrames = 160});
//   while (...) {
//     stream->push(0, frames);                // up to 160 frames of input 0
//     TensorView words = stream->pull(0);     // the new frames of output 0
//   }
//   stream->flush();                          // the sequence ends here; pull the rest
//
// Whatever the number of frames in each push, the frames of an output together are the output of a batch run on the
// whole sequence. A frame comes out as soon as every continuation of the sequence gives it the same value.
//
// A stream is used by one thread at a time; any number of them share one model and its weights, also in several
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.h"
#include "runtime/session.h"
#include "runtime/tensor.h"

namespace axle::runtime {

struct Bundle;
struct StreamModel;

// Decodes and checks the stream of a bundle. An error if the bundle has none.
Result<std::shared_ptr<const StreamModel>> readStreamModel(std::shared_ptr<const Bundle> bundle);

struct StreamOptions {
  // The most frames of the first streamed input in one push; of another input, as many as correspond to these.
  std::int64_t maxFrames = 1;
  // For tests: memory that holds nothing is filled with NaN.
  bool poison = false;
};

struct StreamInputInfo {
  PortInfo port;
  std::optional<int> axis;          // along which it streams; none: its elements are given when the stream is opened
  std::uint64_t rate = 0, per = 0;  // after n frames of the first streamed input it has floor(n*rate/per)
};

struct StreamOutputInfo {
  PortInfo port;
  int axis = 0;
  std::uint64_t delay = 0;               // in frames of the first streamed input
  std::uint64_t stride = 1, frames = 1;  // it has `frames` frames for `stride` frames of the first streamed input
};

struct StreamInfo {
  std::vector<StreamInputInfo> inputs;
  std::vector<StreamOutputInfo> outputs;
  std::size_t firstStreamed = 0;     // the input whose frames are counted
  std::int64_t chunk = 0;            // frames of it in a push, chosen by `axc build --chunk`; 0: not chosen
  std::optional<double> sampleRate;  // samples in a second that the entry computes with, if it states one
};
StreamInfo describeStream(const StreamModel& model);

// The cost of a sequence so far, and the least possible.
struct StreamCounts {
  // Multiply-adds since the beginning of the sequence or a restored state; none if those of a stage are not known, such
  // as a loop without a fixed count.
  std::optional<std::uint64_t> multiplyAdds;
  // Those of a batch run on the frames so far; none if they are not known, or if a batch run refuses the sequence.
  std::optional<std::uint64_t> batchMultiplyAdds;
  // The bytes of all states, and of each tensor kept between pushes: of its frames that are still needed, or, if
  // smaller, of the sums that its readers could keep instead.
  std::uint64_t leastStateBytes = 0;
};

// New frames of an input, by its index.
struct InputFrames {
  std::size_t input = 0;
  TensorView frames;
};

class Stream {
 public:
  // Opens a stream. `inputs` are all inputs of the entry. For one that streams only the type matters, except the size
  // along the stream; the elements of the others are copied.
  static Result<Stream> open(std::shared_ptr<const StreamModel> model, std::span<const NamedTensor> inputs,
                             StreamOptions options = {});

  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  const StreamModel& model() const;

  // Takes frames of streamed inputs and computes the frames that they decide. Allocates nothing unless it fails. A push
  // refused because of its inputs changes nothing; after another error the stream must be reset. An input may run ahead
  // of another by the frames of one push.
  Result<void> push(std::span<const InputFrames> inputs);
  Result<void> push(std::size_t input, const TensorView& frames) {
    const InputFrames one{input, frames};
    return push({&one, 1});
  }
  // Returns the frames of an output that were computed and not yet pulled, valid until the next call that changes the
  // stream. There is room for the frames of one push: a push that needs more room is refused.
  TensorView pull(std::size_t output);

  // Ends the sequence: checks its sizes as a batch run does, and computes the outputs' last frames.
  Result<void> flush();
  bool ended() const;  // after a flush, or an error other than a refused push
  // Begins a new sequence.
  Result<void> reset();

  // Returns everything that later frames depend on, as bytes: a stream of the same bundle whose inputs have the same
  // sizes can continue from there. This includes frames not yet pulled, but not the elements of inputs that do not
  // stream.
  std::vector<std::byte> save() const;
  // Restores a saved state. If the bytes are damaged, or of another bundle or sizes, returns an error and leaves the
  // stream as it was.
  Result<void> restore(std::span<const std::byte> saved);
  // Returns an independent stream in the same state.
  Result<Stream> clone() const;

  std::uint64_t framesIn(std::size_t input) const;  // since the beginning of the sequence
  std::uint64_t framesOut(std::size_t output) const;
  std::uint64_t stateBytes() const;  // kept between pushes
  std::uint64_t arenaBytes() const;  // all other memory of this stream; both are fixed when it is opened
  StreamCounts counts() const;       // allocates

 private:
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace axle::runtime
