#include "runtime/stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/joined.h"
#include "runtime/bind.h"
#include "runtime/check.h"
#include "runtime/named_inputs.h"
#include "runtime/out_of_memory.h"
#include "runtime/plan.h"
#include "runtime/run_sizes.h"
#include "runtime/stream/advance.h"
#include "runtime/stream/model.h"
#include "runtime/stream/network.h"
#include "runtime/stream/open.h"
#include "runtime/stream/saved.h"

namespace axle::runtime {

struct Stream::State {
  Network network;
};

namespace {

[[maybe_unused]] tl::unexpected<RunError> noMemory() { return failure(ErrorCode::outOfMemory, "not enough memory"); }

const PortInfo& portOf(const Network& network, std::size_t input) { return network.model->batch().inputs[input]; }

// Returns for how many frames of the first streamed input the frames of another one suffice.
std::int64_t reached(const manifest::StreamInput& input, std::int64_t frames) {
  return static_cast<std::int64_t>(((static_cast<std::uint64_t>(frames) + 1) * input.per - 1) / input.rate);
}

std::int64_t framesFor(const manifest::StreamInput& input, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) * input.rate / input.per);
}

// Whether the sizes are those that the stream was opened for, except along `axis`.
bool haveOpenedSizes(const Shape& frames, const Shape& opened, int axis) {
  if (frames.rank() != opened.rank()) return false;
  for (int i = 0; i < opened.rank(); ++i)
    if (i != axis && frames[i] != opened[i]) return false;
  return true;
}

Result<void> checkFrames(const Network& network, const InputFrames& given) {
  const std::vector<manifest::StreamInput>& streamed = network.model->stream.inputs;
  if (given.input >= streamed.size())
    return failure(ErrorCode::unknownInput, joined({"there is no input ", given.input}));
  const PortInfo& port = portOf(network, given.input);
  if (!streamed[given.input].streams)
    return failure(ErrorCode::unknownInput, joined({"input `", port.name, "` : ", port.type,
                                                    " does not stream: it is given once, when the stream is opened"}));
  const TensorView& frames = given.frames;
  const int axis = static_cast<int>(streamed[given.input].axis);
  const Shape& opened = network.inputShapes[given.input];
  if (frames.elem != port.elem || !haveOpenedSizes(frames.shape, opened, axis) || !frames.dense()) {
    std::string expected = joined({info(port.elem).name, " ["});
    for (int i = 0; i < opened.rank(); ++i)
      expected += joined({i > 0 ? ", " : "", i == axis ? "~" : std::to_string(opened[i])});
    return failure(ErrorCode::wrongInput,
                   joined({"frames of input `", port.name, "` have type ", typeText(frames.elem, frames.shape),
                           ", and the stream was opened for ", expected, "], frames along axis ", axis}));
  }
  const std::int64_t count = frames.shape[axis], most = network.inputGrowth[given.input];
  if (count > most)
    return failure(ErrorCode::wrongFrames, joined({count, " frames of input `", port.name,
                                                   "` in one push: the stream was opened for at most ", most}));
  if (frames.data == nullptr && frames.bytes() > 0)
    return failure(ErrorCode::missingInput, joined({"frames of input `", port.name, "` have no elements"}));
  return {};
}

// Checks that no input is ahead of another by more than the frames of one push.
Result<void> checkRates(const Network& network, std::span<const InputFrames> inputs) {
  const std::vector<manifest::StreamInput>& streamed = network.model->stream.inputs;
  const auto framesAfter = [&](std::size_t input) {
    std::int64_t frames = network.framesIn[input];
    for (const InputFrames& given : inputs)
      if (given.input == input) frames += given.frames.shape[static_cast<int>(streamed[input].axis)];
    return frames;
  };
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::size_t behind = 0;
  for (std::size_t i = 0; i < streamed.size(); ++i)
    if (streamed[i].streams && reached(streamed[i], framesAfter(i)) < least)
      least = reached(streamed[i], framesAfter(i)), behind = i;
  for (const InputFrames& given : inputs) {
    const std::int64_t frames = framesAfter(given.input);
    if (frames > static_cast<std::int64_t>(maxStreamFrames))
      return failure(ErrorCode::wrongFrames, joined({"a sequence of more than ", maxStreamFrames, " frames"}));
    if (frames > framesFor(streamed[given.input], least + network.options.maxFrames))
      return failure(
          ErrorCode::wrongFrames,
          joined({"input `", portOf(network, behind).name, "` starves: it has ", framesAfter(behind), " frames, and `",
                  portOf(network, given.input).name, "` would have ", frames, ", ahead by more than one push"}));
  }
  return {};
}

// Checks that frames not yet pulled leave room for those that this push makes.
Result<void> checkOutputs(const Network& network, std::span<const InputFrames> inputs) {
  const std::size_t first = network.model->firstStreamed();
  const manifest::Stream& stream = network.model->stream;
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    const NetworkOutput& output = network.outputs[i];
    const Frames& frames = network.buffers[output.buffer];
    const std::int64_t unpulled = frames.made() - output.pulled;
    if (unpulled == 0) continue;
    const manifest::Buffer& buffer = stream.buffers[output.buffer];
    std::int64_t added = 0, counted = network.framesIn[first];
    for (const InputFrames& given : inputs) {
      const std::int64_t count = given.frames.shape[static_cast<int>(stream.inputs[given.input].axis)];
      if (given.input == first) counted += count;
      if (given.input + 1 == buffer.input) added = count;
    }
    if (buffer.input == 0)
      added =
          static_cast<std::int64_t>(std::min(buffer.sure.at(static_cast<std::uint64_t>(counted)), maxStreamFrames)) -
          frames.made();
    if (!frames.couldHold(added))
      return failure(ErrorCode::notBound,
                     joined({unpulled, " frames of output `", network.model->batch().outputs[i].name,
                             "` were not pulled, and there is no room for more"}));
  }
  return {};
}

// Returns the sizes of a batch run on the frames so far.
Result<Sizes> batchSizes(const Network& network) {
  std::vector<TensorView> views;
  const std::vector<manifest::StreamInput>& streamed = network.model->stream.inputs;
  for (std::size_t i = 0; i < streamed.size(); ++i) {
    Shape shape = network.inputShapes[i];
    if (streamed[i].streams) shape[static_cast<int>(streamed[i].axis)] = network.framesIn[i];
    views.push_back({portOf(network, i).elem, shape, nullptr});
  }
  return bindSizes(network.model->batch().manifest, views);
}

// Checks that a batch run would accept the whole sequence.
Result<void> checkSequence(const Network& network) {
  if (auto sizes = batchSizes(network); !sizes) return tl::unexpected(std::move(sizes.error()));
  const std::vector<manifest::StreamInput>& streamed = network.model->stream.inputs;
  const std::size_t first = network.model->firstStreamed();
  for (std::size_t i = 0; i < streamed.size(); ++i) {
    if (!streamed[i].streams) continue;
    const std::int64_t expected = framesFor(streamed[i], network.framesIn[first]);
    if (network.framesIn[i] != expected)
      return failure(
          ErrorCode::wrongFrames,
          joined({"input `", portOf(network, i).name, "` ends after ", network.framesIn[i], " frames: ", expected,
                  " belong to the ", network.framesIn[first], " frames of `", portOf(network, first).name, "`"}));
  }
  return {};
}

}  // namespace

StreamInfo describeStream(const StreamModel& model) {
  StreamInfo info;
  info.firstStreamed = model.firstStreamed();
  info.chunk = static_cast<std::int64_t>(model.stream.chunk);
  if (model.stream.sampleRate > 0) info.sampleRate = model.stream.sampleRate;
  for (std::size_t i = 0; i < model.stream.inputs.size(); ++i) {
    const manifest::StreamInput& input = model.stream.inputs[i];
    info.inputs.push_back({model.batch().inputs[i], {}, input.rate, input.per});
    if (input.streams) info.inputs.back().axis = static_cast<int>(input.axis);
  }
  for (std::size_t i = 0; i < model.stream.outputs.size(); ++i) {
    const manifest::StreamOutput& output = model.stream.outputs[i];
    info.outputs.push_back({model.batch().outputs[i], static_cast<int>(model.stream.buffers[output.buffer].axis),
                            output.delay, output.stride, output.frames});
  }
  return info;
}

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

Result<Stream> Stream::open(std::shared_ptr<const StreamModel> model, std::span<const NamedTensor> inputs,
                            StreamOptions options) AXLE_TRY {
  const auto ordered = inputsInOrder(model->batch().inputs, inputs);
  if (!ordered) return tl::unexpected(ordered.error());
  auto state = std::make_unique<State>();
  if (auto opened = openNetwork(state->network, std::move(model), *ordered, options); !opened)
    return tl::unexpected(std::move(opened.error()));
  return Stream(std::move(state));
}
AXLE_WITHOUT_MEMORY(noMemory())

const StreamModel& Stream::model() const { return *state_->network.model; }

Result<void> Stream::push(std::span<const InputFrames> inputs) AXLE_TRY {
  Network& network = state_->network;
  if (ended()) return failure(ErrorCode::notBound, "the stream has ended: reset it first");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (auto checked = checkFrames(network, inputs[i]); !checked) return checked;
    for (std::size_t k = 0; k < i; ++k)
      if (inputs[k].input == inputs[i].input)
        return failure(ErrorCode::unknownInput,
                       joined({"input `", portOf(network, inputs[i].input).name, "` is given twice in one push"}));
  }
  if (auto checked = checkRates(network, inputs); !checked) return checked;
  for (const NetworkOutput& output : network.outputs)
    network.buffers[output.buffer].advance(output.reader, output.pulled);
  if (auto checked = checkOutputs(network, inputs); !checked) return checked;
  for (const InputFrames& given : inputs) {
    const std::int64_t count = given.frames.shape[static_cast<int>(network.model->stream.inputs[given.input].axis)];
    network.framesIn[given.input] += count;
    if (!network.inputBuffer[given.input]) continue;
    Frames& frames = network.buffers[*network.inputBuffer[given.input]];
    if (!frames.hasRoom(count)) {
      network.isBroken = true;
      return inconsistent("its stream keeps more frames than it says");
    }
    frames.append(given.frames.as<std::byte>(), count, count * frames.frameBytes());
  }
  return advanceToNow(network);
}
AXLE_WITHOUT_MEMORY(noMemory())

TensorView Stream::pull(std::size_t index) {
  Network& network = state_->network;
  if (index >= network.outputs.size()) return {};
  NetworkOutput& output = network.outputs[index];
  Frames& frames = network.buffers[output.buffer];
  const std::int64_t first = std::exchange(output.pulled, frames.made()), last = frames.made();
  TensorView view{frames.elem(), frames.shapeOf(last - first), nullptr};
  if (!frames.hold(first, last)) return {};
  view.data = frames.at(first);
  if (frames.isDense()) return view;
  frames.copy(first, last, output.copy.bytes().data());
  view.data = output.copy.bytes().data();
  return view;
}

Result<void> Stream::flush() AXLE_TRY {
  Network& network = state_->network;
  if (ended()) return failure(ErrorCode::notBound, "the stream has ended: reset it first");
  network.isFlushed = true;
  if (auto checked = checkSequence(network); !checked) {
    network.isBroken = true;
    return checked;
  }
  for (const NetworkOutput& output : network.outputs)
    network.buffers[output.buffer].advance(output.reader, output.pulled);
  if (auto advanced = advanceToNow(network); !advanced) return advanced;
  for (std::size_t i = 0; i < network.outputs.size(); ++i)
    if (!network.buffers[network.outputs[i].buffer].isComplete()) {
      network.isBroken = true;
      return inconsistent(joined({"output ", i, " of its stream has another length than it says"}));
    }
  return {};
}
AXLE_WITHOUT_MEMORY(noMemory())

bool Stream::ended() const { return state_->network.isFlushed || state_->network.isBroken; }

Result<void> Stream::reset() AXLE_TRY { return beginSequence(state_->network); }
AXLE_WITHOUT_MEMORY(noMemory())

std::vector<std::byte> Stream::save() const { return saveNetwork(state_->network); }

Result<void> Stream::restore(std::span<const std::byte> saved) AXLE_TRY {
  return restoreNetwork(state_->network, saved);
}
AXLE_WITHOUT_MEMORY(noMemory())

Result<Stream> Stream::clone() const AXLE_TRY {
  const Network& network = state_->network;
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < network.inputShapes.size(); ++i)
    inputs.push_back({portOf(network, i).elem, network.inputShapes[i], network.ports[i].view().data});
  auto state = std::make_unique<State>();
  if (auto opened = openNetwork(state->network, network.model, inputs, network.options); !opened)
    return tl::unexpected(std::move(opened.error()));
  Stream copy(std::move(state));
  if (auto restored = copy.restore(save()); !restored) return tl::unexpected(std::move(restored.error()));
  return copy;
}
AXLE_WITHOUT_MEMORY(noMemory())

std::uint64_t Stream::framesIn(std::size_t input) const {
  return input < state_->network.framesIn.size() ? static_cast<std::uint64_t>(state_->network.framesIn[input]) : 0;
}

std::uint64_t Stream::framesOut(std::size_t output) const {
  const Network& network = state_->network;
  return output < network.outputs.size()
             ? static_cast<std::uint64_t>(network.buffers[network.outputs[output].buffer].made())
             : 0;
}

std::uint64_t Stream::stateBytes() const { return state_->network.stateBytes; }
std::uint64_t Stream::arenaBytes() const { return state_->network.arenaBytes; }

StreamCounts Stream::counts() const {
  const Network& network = state_->network;
  StreamCounts counts;
  counts.leastStateBytes = network.leastStateBytes;
  if (network.countsAll) counts.multiplyAdds = network.multiplyAdds;
  auto sizes = batchSizes(network);
  if (!sizes) return counts;
  const manifest::Manifest& batch = network.model->batch().manifest;
  RunSizes known(batch, std::move(*sizes));
  const auto graph = bindGraph({batch, known, network.model->bundle->weights, nullptr}, batch.graph);
  if (graph) counts.batchMultiplyAdds = graph->macs;
  return counts;
}

}  // namespace axle::runtime
