// Stream analysis: finds the tensors of a model that arrive frame by frame when some inputs do, the frames from which
// each of their frames is computed, when a frame is certainly known, and the operators that cannot work on a stream.
// Follows the streaming semantics of the tfdeploy report, section 3, with any chunk size and both ends of the sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dims/fact.h"
#include "ir/graph.h"
#include "ir/stream/schedule.h"

namespace axle::ir {

enum class Arrival : std::uint8_t {
  atOnce,   // does not depend on the stream
  early,    // a tensor without a streamed axis, known after some frames
  frames,   // frame by frame along an axis
  atTheEnd  // a tensor without a streamed axis, known when the sequence has ended
};

// When a tensor is known. Counts are in frames of the first streamed input.
struct Flow {
  Arrival arrival = Arrival::atOnce;
  std::size_t axis = 0;             // of `frames`
  std::vector<std::int64_t> known;  // of `frames`: the count after which frame j and all before it are known, up to the
                                    // horizon
  std::int64_t after = 0;           // of `early`: the count after which it is known
  NodeId origin;                    // of `atTheEnd`: the node that needs the end
  bool isBlocked = false;           // computed from the result of a blocker
};

// Returns how many frames of Flow::known are known after n.
std::int64_t countKnown(const std::vector<std::int64_t>& known, std::int64_t n);

// Frame a of a result is computed from frames floor((a*stride + first) / spread) to floor((a*stride + last) / spread)
// of an operand. Positions outside of the operand are empty.
struct FrameWindow {
  std::int64_t stride = 1, spread = 1, first = 0, last = 0;

  bool isOneToOne() const { return stride == 1 && spread == 1 && first == 0 && last == 0; }
  std::int64_t lowest(std::int64_t frame) const;
  std::int64_t highest(std::int64_t frame) const;
};

// The ways in which an operator keeps a model from streaming.
enum class BlockerKind : std::uint8_t {
  needsAll,      // a result is computed from all frames
  mixes,         // the frames from which a result is computed are unknown
  backwards,     // results begin at the end
  fromEnd,       // the first results need the last frames
  padding,       // the padding in front depends on the length
  openWindow,    // a window without a fixed size
  needsLength,   // a result is computed from the number of frames
  late,          // an operand is known at the end, and needed before
  secondStream,  // one stream follows another
  twoAxes,       // more than one dimension would have to stream
  starving,      // an operand waits for another one more and more
  unknownRate,   // the rate of an input's frames is not known
  noFrames,      // a result has no streamed dimension
  noRule,        // the number of frames follows no rule
  noBuffer       // it streams, but no buffer of the network supports it
};

struct Obstacle {
  BlockerKind kind = BlockerKind::needsAll;
  std::string why;
};

// A node that keeps a model from streaming, and why.
struct Blocker {
  NodeId node;
  Obstacle obstacle;
};

// A streamed input of the model: after n frames of the first one it has floor(n * rate / per) frames.
struct StreamedInput {
  std::size_t input = 0, axis = 0;
  std::int64_t rate = 1, per = 1;
};

struct StreamedOutput {
  std::size_t axis = 0;
  std::int64_t delay = 0;  // of docs/streaming.md, in frames of the first streamed input
  std::int64_t stride = 1,
               frames = 1;  // in the long run `frames` frames for `stride` frames of the first streamed input
};

// How a model's main graph works on a stream.
struct StreamAnalysis {
  std::vector<StreamedInput> inputs;    // never empty
  std::vector<StreamedOutput> outputs;  // one for each output, unless there are blockers
  std::vector<Blocker> blockers;

  std::int64_t horizon = 0;  // the frames of the first input that the tables below cover
  std::vector<Flow> flows;   // by outlet of the main graph
  // By node: the windows of its inputs that arrive in frames; one-to-one windows for the others.
  std::vector<std::vector<FrameWindow>> windows;
  std::vector<bool> carriesState;  // by node: a running sum or a loop
};

// The symbols along which a model's inputs are streamed, and the guards of a batch run.
struct StreamQuestion {
  std::span<const DimVar> streamed;
  std::span<const DimComparison> guards;
};

// Returns nothing if no input of the model has a streamed size.
std::optional<StreamAnalysis> analyseStream(const Model& model, const StreamQuestion& question);

// ---- for users of an analysis

// Returns the number that a dimension equals in every sequence that a batch run accepts, if there is one.
std::optional<std::int64_t> numberFor(const Model& model, const StreamQuestion& question,
                                      const StreamAnalysis& analysis, Dim dim);

// Values of a dimension, by the number of frames of the first streamed input.
struct Lengths {
  std::vector<std::int64_t> length;  // -1 for a number of frames that no batch run accepts
  std::vector<std::int64_t> sure;    // the least value in all sequences with at least this number of frames
};
// Returns the lengths of a dimension over the streamed symbol alone; nothing if it has other symbols.
std::optional<Lengths> lengthsOf(const Model& model, const StreamQuestion& question, const StreamAnalysis& analysis,
                                 Dim dim);

}  // namespace axle::ir
