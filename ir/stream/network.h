// A streamed model as a static network: stages, which are small models over the frames that are ready, and buffers of
// frames between them. The compiler's form of `bundle.Stream` in runtime/bundle.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ir/stream/analysis.h"

namespace axle::ir {

// Numbered and explained in bundle.proto.
enum class SourceKind : std::uint8_t { port, slot, state, window, begin, end, count, inside };
struct StageSource {
  SourceKind kind = SourceKind::port;
  std::uint32_t index = 0;
  std::int64_t stride = 1, spread = 1, first = 0, last = 0;
  bool operator==(const StageSource&) const = default;
};

enum class SinkKind : std::uint8_t { append, fillSlot, setState, add };
struct StageSink {
  SinkKind kind = SinkKind::append;
  std::uint32_t index = 0;
  // For `add`:
  std::int64_t step = 1, per = 1, shift = 0, count = 1, spacing = 1, run = 1;
  std::uint32_t along = 0;

  // Returns the lowest frame of the buffer in which a frame of the stage has a share.
  std::int64_t firstSum(std::int64_t frame) const;
  // Returns the end of the buffer's frames in which the stage's frames before `end` have a share.
  std::int64_t endOfSums(std::int64_t end) const;
};

struct StreamStage {
  Model model;                       // its frame count is the symbol StreamNetwork::frames
  std::vector<StageSource> sources;  // one for each input of the model
  std::vector<StageSink> sinks;      // one for each output
  std::int64_t scale = 0, shift = 0;
};

// The first value of a state: a tensor, or one element everywhere.
struct StreamState {
  StageSource initial;
  std::vector<std::byte> fill;
};

struct FrameBuffer {
  std::size_t axis = 0;
  std::vector<std::byte> fill;  // one element
  std::int64_t history = 0;
  Schedule sure, length;
  std::vector<StageSource> pieces;   // of a concatenation along the axis: its operands; otherwise empty
  std::optional<std::size_t> input;  // the model's input whose frames these are
};

struct StreamNetwork {
  struct Output {
    std::uint32_t buffer = 0;
    StreamedOutput stream;
  };
  DimVar frames;
  std::vector<StreamedInput> inputs;
  std::vector<Output> outputs;  // one for each output of the model
  std::vector<FrameBuffer> buffers;
  std::vector<StreamStage> stages;  // each after the stages that it reads from
  std::vector<StreamState> states;
  std::uint32_t slots = 0;
};

// Makes the network of a model without blockers. If the model streams but no buffer supports it, returns a blocker.
tl::expected<StreamNetwork, Blocker> makeNetwork(const Model& model, const StreamQuestion& question,
                                                 const StreamAnalysis& analysis);

}  // namespace axle::ir
